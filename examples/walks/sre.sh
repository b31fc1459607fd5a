#!/bin/bash
# An SRE: how good is this disk, did it change, and a gate that holds on a shared machine.
. "$(dirname "$(realpath "$0")")/common.sh"

walk check disk --out before $rounds
reads 'durable commits'
walk check disk --out after $rounds
walk compare before after
reads 'assumed'
mkdir other
walk compare --interleave disk other --study "${STUDY:-commit-modes}" --pairs "${PAIRS:-8}" --out turns \
  --fail-if 'commits_per_s<-90%'
reads 'pairs'
