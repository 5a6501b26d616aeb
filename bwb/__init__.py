"""bwb: an annotated corpus and a benchmark for document-level literary machine translation.

Importing this module does nothing but name things; what is heavy is imported when it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bwb.annotations.sources import read_documents as read_documents
    from bwb.publish.load import load as load
    from bwb.records import Document as Document

__version__ = "0.1.0"

# Public name -> the module that defines it.
_LAZY = {
    "Document": "bwb.records",
    "load": "bwb.publish.load",
    "read_documents": "bwb.annotations.sources",
}

__all__ = ["Document", "__version__", "load", "read_documents"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - PEP 562
    """Import a public name on first use."""
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'bwb' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names."""
    return sorted(__all__)
