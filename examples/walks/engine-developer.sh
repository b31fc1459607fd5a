#!/bin/bash
# A developer of a storage engine: what an engine's loads and reads cost here, and the records behind the figures.
. "$(dirname "$(realpath "$0")")/common.sh"

walk studies
reads '^    kv,'
walk run kv --dir disk $rounds --fix keys=20000
reads 'store'
walk report latest --format json
walk export latest
reads '^study,'
