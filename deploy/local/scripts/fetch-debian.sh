#!/bin/bash
# fetch-debian.sh DIR SUITE PATTERN PACKAGE...
# Downloads packages of Debian SUITE and their dependencies whose names match PATTERN (an extended
# regular expression), and extracts them under DIR/root. Needs no root: apt-get and dpkg use private
# lists and the mirror that is configured on this machine. DIR/done marks a complete DIR and has its
# original path. Of concurrent calls, one works and the others wait for it.
set -euo pipefail
mkdir -p "$1"
dir=$(cd "$1" && pwd -P) suite=$2 pattern=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
for tool in apt-get apt-cache dpkg flock; do
  command -v "$tool" >/dev/null || { echo "$tool not found: packages can only be downloaded on Debian and derived systems" >&2; exit 1; }
done
exec 9>"$dir/lock"
flock 9
[ "$(cat "$dir/done" 2>/dev/null || true)" != "$dir" ] || exit 0
rm -rf "$dir/done" "$dir/apt" "$dir/debs" "$dir/root"
mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial" "$dir/debs" "$dir/root"

mirror=$( (cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null || true) |
  sed -nE 's/^URIs: *([^ ]+).*/\1/p; s/^deb (\[[^]]*\] )?([^ ]+) .*/\2/p' | grep -E -m1 '/debian/?$' || true)
[ -n "$mirror" ] || { echo "no Debian mirror in the configuration of apt" >&2; exit 1; }
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" > "$dir/apt/sources.list"
# An empty status file: with the system's own, apt would select the installed versions.
: > "$dir/apt/status"
options=(-o Dir::State::status="$dir/apt/status" -o Dir::Etc::sourcelist="$dir/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
  -o Dir::State::lists="$dir/apt/lists" -o Dir::Cache="$dir/apt/cache" -o APT::Sandbox::User="" -o Debug::NoLocking=1
  -o Acquire::Languages=none -o Acquire::Retries=3 -t "$suite")
apt-get "${options[@]}" update -qq
mapfile -t names < <(apt-cache "${options[@]}" depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
  --no-enhances "$@" | grep -E '^[a-z0-9]' | grep -E "$pattern" | sort -u)
(cd "$dir/debs" && apt-get "${options[@]}" download -qq "$@" "${names[@]}" && for file in *.deb; do dpkg -x "$file" "$dir/root"; done)
rm -rf "$dir/debs" "$dir/apt"
if [ -d "$dir/root/usr/lib/erlang" ]; then sh "$here/relocate-debian-erlang.sh" "$dir/root"; fi
echo "$dir" > "$dir/done"
