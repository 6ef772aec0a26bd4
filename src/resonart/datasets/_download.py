"""Raw files, downloaded on first use. This needs pooch, an extra.

pooch writes a download under a temporary name and renames it once the sha256 is right, so a failed
download leaves nothing behind. A cached file that no longer has its sha256 is downloaded again.
Only raw files are cached: converting takes milliseconds, and nothing can become outdated.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from resonart._shared.require import require

from ._convert import Labels, Rows
from ._origins import Origin, RawFile

CACHE = "RESONART_CACHE"
# Seconds to wait for a connection, and for the next bytes.
TIMEOUT = (10, 30)


def download(name: str, origins: Sequence[Origin]) -> tuple[Rows, Labels]:
    """Get a data set from the first origin that can be reached.

    A file with a wrong sha256 ends the search: at a fixed commit it cannot have changed, so
    something on the way alters downloads, and the user should know.
    """
    pooch = _pooch(name)
    from requests.exceptions import RequestException

    failed, last = [], None
    for origin in origins:
        try:
            return origin.convert(*[_content(pooch, name, file) for file in origin.files])
        except RequestException as error:
            failed.append(f"{origin.files[0].url} ({_reason(error)})")
            last = error
    raise ConnectionError(
        f"The data set {name!r} is not in the cache and could not be downloaded from "
        f"{' nor from '.join(failed)}. Try again with a connection to the internet, or "
        f"{other_ways(name)}"
    ) from last


def other_ways(name: str) -> str:
    """Return how to get a data set without its origins."""
    return f"set RESONART_DATA to a folder that has {name}.csv.gz (docs/datasets.md says how)."


def _content(pooch: Any, name: str, file: RawFile) -> bytes:
    """Return the bytes of a file, from the cache if it is there."""
    folder = pooch.create(
        path=pooch.os_cache("resonart"),
        base_url="",
        registry={file.cached_as: f"sha256:{file.sha256}"},
        urls={file.cached_as: file.url},
        env=CACHE,
    )
    from requests.exceptions import RequestException

    # Read at once, not in pieces: the files are small, and no connection is left open on failure.
    downloader = pooch.HTTPDownloader(timeout=TIMEOUT, stream=False)
    try:
        path = folder.fetch(file.cached_as, downloader=downloader)
        return Path(path).read_bytes()
    except RequestException:
        raise  # another origin may help
    except OSError as error:
        raise OSError(
            f"The cache folder {folder.abspath} cannot be used ({error}). Set {CACHE} to a folder "
            "that is writable and has free space."
        ) from error
    except ValueError as error:
        raise ValueError(
            f"The file downloaded for the data set {name!r} from {file.url} is not the right one "
            f"(sha256 {file.sha256}), and was deleted. A proxy or a log-in page may have answered "
            f"instead: open the address in a browser, then try again; or "
            f"{other_ways(name)}"
        ) from error


def _pooch(name: str) -> Any:
    what = f"Downloading the data set {name!r}"
    return require("pooch", what, "datasets", instead=f"Or {other_ways(name)}")


def _reason(error: OSError) -> str:
    """Return in short why a download failed; the long form is the error's cause."""
    response = getattr(error, "response", None)
    return type(error).__name__ if response is None else f"HTTP status {response.status_code}"
