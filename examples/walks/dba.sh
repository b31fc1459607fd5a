#!/bin/bash
# A DBA: is this disk fit for PostgreSQL, which settings follow, and what would prove them?
. "$(dirname "$(realpath "$0")")/common.sh"

walk doctor disk
reads '^(Nothing here prevents a measurement|Mend first)'
walk run --for postgres --dir disk --dry-run
reads '^  measuring '
walk run wal-sync --dir disk --out run $rounds
reads '^Settings of PostgreSQL'
reads '^  computed .*shared_buffers'
walk advise run --for postgres
reads 'computed, not measured'
reads 'source  '
walk prove run --settings commit_delay --dir disk --dry-run
reads '^  trials '
