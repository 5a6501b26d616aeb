"""Where what can be made again is kept."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def user_caches() -> Path:
    """Folder of the user's caches: ``$BWB_CACHE``, or where the system keeps caches."""
    if given := os.environ.get("BWB_CACHE"):
        return Path(given)
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif os.name == "nt":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "bwb"
