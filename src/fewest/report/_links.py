"""Addresses of pages about features, genes for instance, made from their names."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

_PLACE = "{name}"
# Searches rather than entries: a name may be a symbol, an identifier or an old name.
PRESETS = {
    "ncbi": "https://www.ncbi.nlm.nih.gov/gene/?term={name}",
    "ensembl": "https://www.ensembl.org/Multi/Search/Results?q={name}",
    "uniprot": "https://www.uniprot.org/uniprotkb?query={name}",
}
_ALLOWED = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]*")


def read_links(text: str) -> str:
    """The pattern of an address, from the name of a known one or the pattern itself.

    Raises
    ------
    ValueError
        Where the address would not be one of the web, or would not depend on the name.

    Examples
    --------
    >>> from fewest.report._links import find_address, read_links
    >>> find_address(read_links("ncbi"), "TP53")
    'https://www.ncbi.nlm.nih.gov/gene/?term=TP53'
    """
    pattern = PRESETS.get(text, text)
    rest = pattern.replace(_PLACE, "")
    try:
        address = urlsplit(pattern)
        is_web = address.scheme in ("http", "https") and bool(address.hostname)
        is_safe = is_web and _PLACE not in address.netloc and bool(_ALLOWED.fullmatch(rest))
    except ValueError:
        is_safe = False
    if not is_safe or _PLACE not in pattern:
        raise ValueError(
            f"links must be one of {', '.join(PRESETS)}, or an address that begins with https:// "
            f"or http:// and has {_PLACE} after the host, such as {PRESETS['ncbi']}; got {text!r}"
        )
    return pattern


def find_address(pattern: str, name: str) -> str:
    """The address for one name, every special character of which is encoded."""
    return pattern.replace(_PLACE, quote(name, safe="", errors="replace"))
