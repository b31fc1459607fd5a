# The part that every walk shares. A walk is the first hour of one kind of user. It fails if a command fails, or if a screen
# lacks a line that this user needs. Failed audits (exit code 3) and limits that stay open (98) are results.
set -euo pipefail
directory=${1:?usage: $0 DIRECTORY, on the disk to measure}
# ROUNDS=1 shortens every run; PAIRS and STUDY shorten a comparison in turns.
rounds=${ROUNDS:+--rounds $ROUNDS}
place=$(mktemp -d "$directory/walk-XXXXXX")
chmod 755 "$place"
trap 'rm -rf "$place"' EXIT
screen=$place/screen
mkdir "$place/disk"
cd "$place"

# Runs a command and keeps its screen.
walk() {
  local code=0
  printf '\n$ syncline %s\n' "$*"
  syncline "$@" >"$screen" || code=$?
  cat "$screen"
  case $code in 0 | 3 | 98) ;; *) exit "$code" ;; esac
}

# The last screen has a line like this.
reads() {
  grep -qE -- "$1" "$screen" || {
    echo "no line of the last screen is like: $1" >&2
    exit 1
  }
}
