#!/usr/bin/env bash
# Make a virtual environment with Regauge and what a lock names, each file by its hash: make_venv.sh FOLDER LOCK
set -euo pipefail
folder=$1
lock=$2

find_python() {
    for name in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
        [ -n "$name" ] && command -v "$name" >/dev/null 2>&1 || continue
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
    echo "Regauge needs Python 3.11 or newer; set PYTHON to one." >&2
    exit 1
}

python=$(find_python)
if [ ! -x "$folder/bin/pip" ]; then
    # Debian and Ubuntu keep venv in a package of its own.
    "$python" -c 'import ensurepip' 2>/dev/null || bash "$(dirname "$0")/install_system.sh" python3-venv
    "$python" -m venv "$folder"
fi
# What is never loaded need not be compiled; the rest is when it is loaded first.
install=("$folder/bin/pip" install --quiet --disable-pip-version-check --no-compile)
# A lock names all that is needed, so nothing is resolved: pip would look for newer versions of what is asked for with an
# extra (`etils[epath]`), which no hash holds for.
"${install[@]}" --no-deps --require-hashes --requirement "locks/$lock.txt"
"$folder/bin/pip" check --quiet --disable-pip-version-check
# What builds the package is in the lock too.
"${install[@]}" --no-deps --no-build-isolation --editable .
