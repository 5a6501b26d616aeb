"""The dataset in one call, without a network: `bwb.load()`.

The sample corpus is built into a folder under the cache of Hugging Face (``HF_HOME``) the first
time it is asked for. The folder's name holds the digest of the documents and the versions of
schema and package, so a changed corpus or package gets a new one.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from bwb import __version__
from bwb.corpus import is_built, logical_digest, read_manifest
from bwb.errors import InputError, UnknownNameError
from bwb.schema import SCHEMA_VERSION

if TYPE_CHECKING:
    from collections.abc import Collection

    import datasets

    from bwb.corpus import Manifest


def load(
    config: str = "annotated", split: str | None = None, *, data: Path | str | None = None
) -> datasets.Dataset | datasets.DatasetDict:
    """Load a dataset that bwb built, or the embedded sample.

    Args:
        config: ``annotated``, ``documents``, ``pairs`` or ``systems``; the card says what a row
            of each is.
        split: ``train``, ``validation`` or ``test``, or anything `datasets` makes of these, such
            as ``test[:10]`` or ``train+validation``; None for all splits, by name.
        data: A folder that `bwb build` wrote; None is the sample.

    Raises:
        UnknownNameError: if the dataset has no such configuration or split.
        InputError: if `data` is no folder that `bwb build` wrote, or the cache cannot be written.
    """
    from datasets import Features, load_dataset

    from bwb.publish.rows import config_schema

    folder = sample_folder() if data is None else Path(data)
    if not is_built(folder):
        raise InputError(f"{folder}: not a folder that bwb build wrote; run: bwb build CORPUS")
    manifest = read_manifest(folder)
    name = next((known for known in manifest.counts if known == config), None)
    if name is None:
        raise UnknownNameError("configuration", config, manifest.counts)
    _check_split(split, manifest.counts[name])
    features = Features.from_arrow_schema(config_schema(name))
    return load_dataset(str(folder.resolve()), config, split=split, features=features)


def sample_folder() -> Path:
    """Folder of the built sample; builds it if there is none.

    Several processes may do this at the same time: each builds beside the folder's place, and the
    first to finish puts its own there.

    Raises:
        InputError: if it cannot be written.
    """
    import datasets

    from bwb.annotations.sources import read_documents
    from bwb.publish.build import build
    from bwb.publish.card import SAMPLE

    documents = list(read_documents())
    key = f"{logical_digest(documents)[:16]}-{SCHEMA_VERSION}-{__version__}"
    folder = Path(datasets.config.HF_CACHE_HOME) / "bwb" / key / SAMPLE
    damaged = is_built(folder) and not _complete(folder, read_manifest(folder))
    if damaged or not is_built(folder):
        try:
            build(documents, folder, name=SAMPLE, overwrite=damaged)
        except InputError:
            if not is_built(folder):
                raise
    return folder


def _complete(folder: Path, manifest: Manifest) -> bool:
    """Whether no file was lost or cut, as by a cleaner of caches."""
    files = [(folder / entry.path, entry.bytes) for entry in manifest.files]
    return all(path.is_file() and path.stat().st_size == size for path, size in files)


def _check_split(split: str | None, known: Collection[str]) -> None:
    """Check the names in a split expression; `all` is all of them."""
    for part in split.split("+") if split is not None else ():
        name = part.partition("[")[0].strip()
        if name not in known and name != "all":
            raise UnknownNameError("split", name, known)
