#!/bin/bash
# An ML engineer: which block size and which hint read a dataset fastest?
. "$(dirname "$(realpath "$0")")/common.sh"

mkdir train
for number in 1 2 3 4; do
  head -c 2097152 /dev/urandom >"train/shard-$number"
done
walk run --for data-loader --target train --dir disk --out run $rounds
reads 'normal'
reads 'sequential'
walk advise run --for pytorch
reads 'Data loaders'
