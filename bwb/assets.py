"""Finding the files that belong to the package: in a checkout, or in an installed wheel.

In a checkout they lie at the top level (`annotations/sample`, `DATASET_CARD.md`), where people
edit them; the wheel carries copies as `bwb/_assets/…`.
"""

from __future__ import annotations

from pathlib import Path

from bwb.errors import InputError

_PACKAGE = Path(__file__).resolve().parent


def asset(name: str) -> Path:
    """Path of a file or folder that comes with the package, by its path in the checkout.

    Raises:
        InputError: if the installation is broken and has no such file.
    """
    checkout = _PACKAGE.parent
    roots = [_PACKAGE / "_assets"]
    if (checkout / "pyproject.toml").is_file():
        roots.insert(0, checkout)
    for root in roots:
        if (root / name).exists():
            return root / name
    raise InputError(f"the installed package lacks {name}; looked in {', '.join(map(str, roots))}")


def sample() -> Path:
    """Folder of the sample corpus, the default of every command."""
    return asset("annotations/sample")
