#!/usr/bin/env bash
# Checks the disk below a directory on every host by Open MPI, and compares the hosts.
#
# usage: mpirun.sh HOSTFILE DIRECTORY FLEET
#   HOSTFILE   hosts, one a line
#   DIRECTORY  a directory on the disk to check, the same on every host
#   FLEET      a folder that every host sees, such as one on NFS; it receives one run directory for each host
set -euo pipefail
[ $# -eq 3 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
export hosts=$1 directory=$2 fleet=$3

# One rank for each host: two ranks on one disk would measure each other. Open MPI would bind a rank, and all processes of its trials, to
# one core or one socket. mpirun stops every rank when one of them fails, so a rank that fails prints its exit code and succeeds.
# shellcheck disable=SC2016
mpirun --hostfile "$hosts" --map-by ppr:1:node --bind-to none bash -c '
  syncline check --dir "$1" --out "$2" || echo "$(hostname): exit code $?" >&2
' check "$directory" "$fleet"

syncline fleet "$fleet" --html "$fleet/fleet.html" --remeasure-plan "$fleet/again.tsv"
