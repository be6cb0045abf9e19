#!/usr/bin/env bash
# Check the scripts of the pages by npm, where it is there and its packages are or can be fetched; otherwise say so in one line.
#
#   scripts/check_scripts.sh lint    eslint and tsc
#   scripts/check_scripts.sh test    node --test
set -uo pipefail
cd "$(dirname "$0")/.."

if ! command -v npm >/dev/null 2>&1; then
    echo "Not installed: npm. The scripts of the pages are not checked ($1)." >&2
    exit 0
fi
# What is installed is what the lock says; it is fetched anew only where that has changed.
if ! cmp --silent package-lock.json node_modules/.installed; then
    if ! npm ci --silent --no-audit --no-fund >/dev/null 2>&1; then
        echo "npm cannot fetch its packages. The scripts of the pages are not checked ($1)." >&2
        exit 0
    fi
    cp package-lock.json node_modules/.installed
fi
exec npm run --silent "$1"
