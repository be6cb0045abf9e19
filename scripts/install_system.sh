#!/usr/bin/env bash
# Install Debian packages that are not there yet, when that is allowed; otherwise say in one line what is missing.
set -uo pipefail

missing=()
for package in "$@"; do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
if command -v apt-get >/dev/null 2>&1 && "${as_root[@]}" true 2>/dev/null; then
    install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}")
    "${install[@]}" >/dev/null 2>&1 && exit 0
    "${as_root[@]}" apt-get update >/dev/null 2>&1
    "${install[@]}" >/dev/null 2>&1 && exit 0
fi
echo "Not installed: ${missing[*]}. What needs it is skipped; install it with: apt-get install ${missing[*]}" >&2
exit 0
