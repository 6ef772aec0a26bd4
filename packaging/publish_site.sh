#!/bin/bash
# publish_site.sh BUILT SITE VERSION URL
#
# Take the versions kept in the branch gh-pages of origin into the new folder SITE, put what was built
# among them (site.py), and keep the result in the branch. It holds one commit, the last: old builds
# of the site are not kept.
set -euo pipefail
built=$1 site=$2 version=$3 url=$4

git worktree add --quiet --detach "$site"
git -C "$site" checkout --quiet --orphan gh-pages-new
git -C "$site" rm -rfq --ignore-unmatch .
if git -C "$site" fetch --quiet --depth 1 origin gh-pages; then
    git -C "$site" checkout --quiet FETCH_HEAD -- .
elif [ -n "$(git ls-remote origin gh-pages)" ]; then
    exit 1 # it is there and could not be read: nothing is to be overwritten
fi
"${PYTHON:-python}" "$(dirname "$0")/site.py" "$built" "$site" --version "$version" --url "$url"
git -C "$site" add --all
git -C "$site" -c user.name="resonart" -c user.email="resonart@users.noreply.github.com" \
    commit --quiet --message "The site, with version $version"
git -C "$site" push --quiet --force origin HEAD:gh-pages
