#!/bin/bash
# An ML engineer whose dataset is in S3: which block size and how many readers read it fastest? TARGET names the dataset;
# the address and the credentials come from the standard AWS_* variables. It needs a build with object-store.
. "$(dirname "$(realpath "$0")")/common.sh"

walk run --for data-loader --target "${TARGET:?s3://BUCKET/PREFIX}" --dir disk --out run $rounds 2>told
# An object has no page cache: one line says what is left out.
grep 'left out of scan-grid: page_cache: ' told
reads 'block_size +concurrency'
walk advise run --for pytorch
reads 'Data loaders'
