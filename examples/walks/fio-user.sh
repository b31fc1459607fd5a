#!/bin/bash
# A user of fio: a job file, its table, and the same job back.
. "$(dirname "$(realpath "$0")")/common.sh"

cat >database.fio <<'JOB'
[global]
size=16m
runtime=2
time_based
[wal]
rw=write
bs=8k
ioengine=psync
fdatasync=1
[readers]
rw=randread
bs=8k
direct=1
ioengine=libaio
iodepth=8
JOB
walk fio database.fio --dir disk --dry-run
reads '^  trials '
walk fio database.fio --dir disk --out run $rounds
reads 'IOPS'
walk export run --format fio
reads '^rw=randread'
