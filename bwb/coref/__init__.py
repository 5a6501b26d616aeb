"""Coreference: who finds the mentions of a text and what they refer to.

A `Resolver` (`bwb.coref.base`) turns sentences into chains of mentions. There is a deterministic
one for English (`bwb.coref.sieve`), an adapter for the library fastcoref (`bwb.coref.fastcoref`),
and one that reads what another program has predicted (`bwb.coref.predictions`). `bwb.coref.project`
finds a reference's mentions in a system's text, line by line.
"""
