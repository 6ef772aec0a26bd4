"""Put a built site among the other versions of it: the last step of the workflow ``site``.

    python packaging/site.py build/docs/html SITE --version 1.2 --url https://host/resonart

SITE has a folder for each version: ``dev``, and one for each minor release. The folder of this
version is replaced, all others stay. Beside them lie what the switcher of versions reads, a page
that leads to the newest release (before there is one, to ``dev``) and that version's llms.txt.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from pathlib import Path

DEVELOPMENT = "dev"
RELEASE = re.compile(r"\d+\.\d+")

FORWARD = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<title>resonart</title>
<meta http-equiv="refresh" content="0; url={version}/">
<link rel="canonical" href="{url}/{version}/">
<a href="{version}/">resonart {version}</a>
</html>
"""


def versions_of(site: Path) -> list[str]:
    """Return the versions that are there: development, then releases, the newest first."""
    found = [path.name for path in site.iterdir() if path.is_dir()]
    releases = [name for name in found if RELEASE.fullmatch(name)]
    releases.sort(key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    return [DEVELOPMENT] * (DEVELOPMENT in found) + releases


def add(built: Path, site: Path, version: str, url: str) -> None:
    """Put what was built into the site as this version, and write what all versions share."""
    if version != DEVELOPMENT and not RELEASE.fullmatch(version):
        sys.exit(f"site.py: --version is {version!r}; give {DEVELOPMENT!r} or a minor release: 1.2")
    if not (built / "index.html").exists():
        sys.exit(f"site.py: there is no index.html in {built}; run make docs first")
    url = url.rstrip("/")
    told = (built / "llms.txt").read_text()
    if f"]({url}/{version}/" not in told:
        sys.exit(
            "site.py: this site was built for another place; build it with "
            f"RESONART_SITE={url} RESONART_SITE_VERSION={version} make docs"
        )
    shutil.rmtree(site / version, ignore_errors=True)
    shutil.copytree(built, site / version)
    (site / version / "switcher.json").unlink(missing_ok=True)

    versions = versions_of(site)
    newest = next((name for name in versions if name != DEVELOPMENT), DEVELOPMENT)
    names = {newest: f"{newest} (stable)"} | {DEVELOPMENT: "development"}
    entries = [
        {
            "name": names.get(name, name),
            "version": name,
            "url": f"{url}/{name}/",
            "preferred": name == newest,
        }
        for name in versions
    ]
    (site / "switcher.json").write_text(json.dumps(entries, indent=2) + "\n")
    (site / "index.html").write_text(FORWARD.format(version=newest, url=url))
    for name in ("llms.txt", "llms-full.txt"):
        shutil.copy(site / newest / name, site / name)
    (site / ".nojekyll").touch()  # Pages leaves out folders like _static otherwise


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("built", type=Path, help="what `make docs` has built")
    parser.add_argument("site", type=Path, help="the folder of all versions")
    parser.add_argument("--version", required=True, help="dev, or a minor release: 1.2")
    parser.add_argument("--url", required=True, help="where the folder is published")
    asked = parser.parse_args()
    add(asked.built, asked.site, asked.version, asked.url)
    print(f"{asked.version} is among {', '.join(versions_of(asked.site))}")


if __name__ == "__main__":
    main()
