"""Addresses: which host they ask, and whether it is this machine."""

from __future__ import annotations

import contextlib
import ipaddress
from urllib.parse import quote, urldefrag, urljoin, urlsplit

_PORTS = {"http": 80, "https": 443}

# What stands in paths and queries as it is; the rest is put into %XX.
_SAFE = "%/:=&~+!$,;'@()*[]|"


def host_of(url: str) -> str:
    """Name of the host, with its port unless that is the usual one: ``example.org:8080``.

    Rates, back-off and refusals are kept by host; http and https of one name are one host.
    """
    parts = urlsplit(url)
    name = (parts.hostname or "").rstrip(".")
    shown = f"[{name}]" if ":" in name else name
    port = parts.port
    return shown if port is None or port == _PORTS.get(parts.scheme) else f"{shown}:{port}"


def origin_of(url: str) -> str:
    """Scheme and host: what a robots.txt speaks for (RFC 9309, section 2.3)."""
    return f"{urlsplit(url).scheme}://{host_of(url)}"


def robots_url(url: str) -> str:
    """Where the robots.txt for an address is."""
    return f"{origin_of(url)}/robots.txt"


def is_loopback(url: str) -> bool:
    """Whether the address is on this machine."""
    name = urlsplit(url).hostname or ""
    if name == "localhost":
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False


def usable(url: str) -> bool:
    """Whether this is an absolute http or https address with a host and a possible port."""
    try:
        parts = urlsplit(url)
        return parts.scheme in _PORTS and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def plain(url: str) -> str:
    """The address as it is asked: without fragment, with a path, in ASCII but for the host.

    Raises:
        ValueError: if it cannot be taken apart.
    """
    parts = urlsplit(urldefrag(url.strip())[0])
    path = quote(parts.path or "/", safe=_SAFE)
    return parts._replace(path=path, query=quote(parts.query, safe=_SAFE + "?")).geturl()


def target(base: str, location: str | None) -> str | None:
    """Where a redirect leads; None if nowhere one can go.

    Args:
        base: The address that answered.
        location: Its header. Servers put UTF-8 into it, which arrives as Latin-1.
    """
    if not location or not location.strip():
        return None
    with contextlib.suppress(UnicodeError):
        location = location.encode("latin-1").decode("utf-8")
    try:
        made = plain(urljoin(base, location.strip()))
    except ValueError:
        return None
    return made if usable(made) else None
