//! Job files as people write them, and what becomes of each option.

use fio::job;
use fio::translate::{Existing, Job, translate};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn existing(path: &Path) -> Existing {
    match path.to_str() {
        Some("there" | "dir/there") => Existing::File,
        Some("folder") => Existing::Directory,
        _ => Existing::Nothing,
    }
}

fn jobs(text: &str) -> Result<Vec<Job>, String> {
    let file = job::parse("JOB.fio", text.as_bytes(), &job::no_include);
    translate(&file, existing).map_err(|errors| errors.to_string())
}

fn only(text: &str) -> Job {
    let mut jobs = jobs(text).unwrap();
    assert_eq!(jobs.len(), 1);
    jobs.remove(0)
}

/// The parameters asked for, as `a=b c=d`.
fn values(job: &Job, names: &str) -> String {
    let all: BTreeMap<&str, &str> =
        job.values.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(all.len(), job.values.len(), "a parameter is set twice: {job:?}");
    let found = names.split(' ').filter_map(|name| Some(format!("{name}={}", all.get(name)?)));
    found.collect::<Vec<_>>().join(" ")
}

fn check(options: &str, expected: &str) -> Job {
    let job = only(&format!("[a]\nsize=1m\n{}\n", options.replace(' ', "\n")));
    let names: Vec<&str> = expected.split(' ').filter_map(|pair| Some(pair.split_once('=')?.0)).collect();
    assert_eq!(values(&job, &names.join(" ")), expected, "{options}");
    job
}

fn refused(options: &str, expected: &str) {
    let message = jobs(&format!("[a]\nsize=1m\n{}\n", options.replace(' ', "\n"))).unwrap_err();
    assert_eq!(message, expected);
}

#[test]
fn fios_defaults_are_translated() {
    let job = only("[a]\nsize=1m\n");
    let text: Vec<String> = job.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        text.join(" "),
        "rw=read ioengine=psync mode=buffered iodepth=1 advice=sequential bs=4KiB size=1MiB numjobs=1 \
         runtime=0s number_ios=256 ramp_time=0s cache=cold"
    );
    assert!(job.remarks.is_empty(), "{:?}", job.remarks);
    assert_eq!((job.name.as_str(), job.line, job.directory), ("a", 1, None));
}

/// Page 001's random reads: `time_based` is not given, so a job ends after its 20 GiB or 30 s.
#[test]
fn page_001s_random_reads() {
    let job = only(
        "[randread]\nrw=randread\nbs=4k\nioengine=io_uring\niodepth=16\nfilesize=20G\nfilename=bigfile\n\
         numjobs=12\ndirect=1\ngroup_reporting\nruntime=30s\n",
    );
    assert_eq!(
        values(
            &job,
            "rw bs ioengine iodepth mode size numjobs runtime number_ios advice random_distribution cache"
        ),
        "rw=randread bs=4KiB ioengine=uring iodepth=16 mode=direct size=20GiB numjobs=12 runtime=30s \
         number_ios=5242880 advice=random random_distribution=once cache=cold"
    );
    insta::assert_snapshot!(job.remarks.join("\n"), @"
    jobs are threads, as with fio's option thread
    instead of bigfile a file is made in a fresh directory, and removed at the end
    ");
}

#[test]
fn what_each_option_means() {
    check("rw=readwrite rwmixread=70", "rw=rw rwmixread=70");
    check("rw=randrw rwmixread=70 rwmixwrite=40", "rwmixread=60");
    check("rw=randrw rwmixwrite=40 rwmixread=70", "rwmixread=70");
    check("readwrite=randrw", "rw=randrw rwmixread=50 data=random fdatasync=0 end_fsync=false");
    check("direct=1 buffered=1", "mode=buffered");
    check("buffered=1 direct=1", "mode=direct");
    check("buffered=0", "mode=direct");
    check("ioengine=io_uring uncached=1", "mode=dontcache ioengine=uring");
    check("ioengine=io_uring iodepth=32", "iodepth=32 ioengine=uring");
    check("ioengine=mmap", "mode=mmap iodepth=1");
    check("fadvise_hint=0", "advice=normal");
    check("fadvise_hint=random", "advice=random");
    check("rw=randread fadvise_hint=sequential", "advice=sequential");
    check("rw=randread", "advice=random");
    check("rw=randread random_distribution=zipf:0.9", "random_distribution=zipf zipf_theta=0.9");
    check("rw=write zero_buffers", "data=zero");
    check("rw=write zero_buffers=0", "data=random");
    check("rw=write buffer_compress_percentage=30", "data=compressible buffer_compress_percentage=30");
    check("rw=write fdatasync=8 end_fsync=1 overwrite=1", "fdatasync=8 end_fsync=true");
    check("invalidate=0", "cache=as_is");
    check("pre_read=1", "cache=warm");
    check("ramp_time=2 time_based runtime=1m", "ramp_time=2s runtime=1min number_ios=0");
    check("runtime=500ms", "runtime=500ms number_ios=256");
    check("number_ios=10", "runtime=0s number_ios=10");
    check("number_ios=1000", "number_ios=256");
    check("number_ios=1000 io_size=2m", "number_ios=512");
    check("rate_iops=1000 rate_process=poisson", "rate_iops=1000");
    check("rate_iops=1000,300 rate_process=poisson rw=write", "rate_iops=300");
    check("rate_iops=700,300 rate_process=poisson rw=rw rwmixread=70", "rate_iops=1000");
    check("rate_iops=500 rate_process=poisson rw=rw", "rate_iops=1000");
    check("rate_iops=50 rate_poisson=1 rw=randread", "rate_iops=50");
    check("rate=,12500k bs=8k rw=randwrite", "rate_iops=1562");
    check("rate=8m bs=8k", "rate_iops=1024");
    check("bsrange=8k-8k", "bs=8KiB");
    check("bs=4k bsrange=8k-8k", "bs=8KiB");
    check("bssplit=16k/100:4k/0", "bs=16KiB bssplit=16KiB/100 number_ios=64");
    check("bssplit=8k/40:4k/60", "bs=4KiB bssplit=4KiB/60:8KiB/40 number_ios=182");
    check("bssplit=4k/60:8k/40 blockalign=1k", "bs=1KiB bssplit=4KiB/60:8KiB/40");
    check("bssplit=2K/1:4K/2:64K/90", "bssplit=2KiB/1:4KiB/2:64KiB/97");
    check("bssplit=32k/1", "bs=32KiB bssplit=32KiB/100");
    check(
        "rw=randrw random_distribution=zoned:50/5:30/15:20/80",
        "random_distribution=zoned zones=50/5:30/15:20/80",
    );
    check("bssplit=4k:8k rw=randrw bs=64k", "bssplit=4KiB/50:8KiB/50");
    check("bssplit=4k/100,8k/50:16k rw=randwrite", "bs=8KiB bssplit=8KiB/50:16KiB/50");
    check("bssplit=4k/100,4k/100 rw=rw", "bssplit=4KiB/100");
    check("thinktime=5", "thinktime=5us thinktime_blocks=1");
    check("thinktime=5ms thinktime_blocks=16", "thinktime=5ms thinktime_blocks=16");
    check("thinktime=0 rate_iops=50", "rate_iops=50");
    check("rw=write sync_file_range=write:32", "sync_file_range=write sync_file_range_writes=32");
    check("rw=write sync_file_range=write,wait_before:1", "sync_file_range=wait_before_write");
    check(
        "rw=write sync_file_range=wait_before,write,wait_after:2",
        "sync_file_range=wait_before_write_wait_after",
    );
    check("rw=write sync_file_range=write:0 fdatasync=1", "fdatasync=1");
    check("bs=8k,8k rw=rw", "bs=8KiB");
    check("bs=8k blockalign=8k", "bs=8KiB");
    check("loops=3", "number_ios=768");
    check("nrfiles=16 filename_format=f.$jobnum.$filenum", "size=1MiB numjobs=1");
    check("numjobs=4 rw=randread filename_format=$jobname", "size=1MiB numjobs=4");
    check("numjobs=4 rw=write filename=f direct=1", "size=1MiB numjobs=4 number_ios=256");
    check("ioengine=libaio direct=1 iodepth=16", "ioengine=uring iodepth=16");
    check("ioengine=libaio iodepth=16", "ioengine=psync iodepth=1 mode=buffered");
    check("ioengine=posixaio iodepth=16", "ioengine=psync iodepth=1 mode=buffered");
    check("ioengine=posixaio direct=1 iodepth=16", "ioengine=psync iodepth=1 mode=direct");
    check("rw=write fsync=4 fsync_on_close=1", "fdatasync=4 end_fsync=true");
    check("rw=write sync=dsync", "fdatasync=1");
    check("cpumask=4", "cpu=2");
    check(
        "rw=write buffer_compress_percentage=33 buffer_compress_chunk=4096",
        "buffer_compress_percentage=33",
    );
    check("cpus_allowed=2", "cpu=2");
    check("cpus_allowed=2-3 cpus_allowed_policy=split numjobs=2", "cpu=2 numjobs=2");
    let named = only("[a]\nname=b\nsize=1m\ndirectory=/data\n");
    assert_eq!((named.name.as_str(), named.directory), ("b", Some(PathBuf::from("/data"))));
}

#[test]
fn what_is_a_little_different_is_said() {
    for (options, remark) in [
        ("iodepth=8", "iodepth=8 is 1 with ioengine=psync, as in fio"),
        ("ioengine=sync", "ioengine=sync runs as psync: pread and pwrite"),
        ("ioengine=io_uring fixedbufs", "fixedbufs and registerfiles go together here: neither is done"),
        ("rw=write", "the file is full of data before it is written, as with overwrite=1"),
        ("rw=read end_fsync=1", "syncs have no effect with rw=read, as in fio"),
        ("rw=read zero_buffers", "what would be written has no effect with rw=read"),
        ("randseed=3", "the random seed is Syncline's own: drawn for each round and recorded"),
        ("percentile_list=50:99", "percentile_list has no effect: the whole histogram is kept"),
        (
            "iodepth_batch=8",
            "iodepth_batch options have no effect: Syncline submits whatever is due in one call and reaps what is there",
        ),
        ("number_ios=5 time_based runtime=1", "number_ios has no effect with time_based, as in fio"),
        ("ramp_time=1", "what runs in ramp_time does not count towards the end of the job; in fio it does"),
        (
            "rate_iops=5 rate_process=poisson",
            "latencies count from the intended start of an operation; fio's count from its submission",
        ),
        (
            "rw=write ioengine=io_uring iodepth=4 fdatasync=1",
            "fdatasync waits for the job's writes in flight; fio queues it beside them",
        ),
        (
            "ioengine=libaio iodepth=16",
            "ioengine=libaio without direct=1 waits in each submission, so fio has one operation in flight with iodepth=16; it runs as psync, which is the same",
        ),
        (
            "ioengine=libaio direct=1",
            "ioengine=libaio runs on io_uring, which submits with less work of the CPU",
        ),
        (
            "gtod_reduce=1",
            "gtod_reduce has no effect: Syncline reads the clock once for each batch, and reports latencies",
        ),
        (
            "write_bw_log=x",
            "no log is written: the latency histogram and a 100 ms series of every trial are in the run directory",
        ),
        ("fallocate=0", "fallocate has no effect: Syncline writes the whole file before it is measured"),
        ("nrfiles=16", "one file of 1MiB takes the place of 16 files"),
        ("filename=a:b", "one file of 1MiB takes the place of 2 files"),
        (
            "filename=/dev/sda",
            "/dev/sda is never opened: a file in the measured directory takes its place, so its file system takes part",
        ),
        (
            "filename=there",
            "there is there and is left alone: a file in a fresh directory takes its place, and is removed at the end",
        ),
        ("rw=write fsync=1", "fsync=1 runs as fdatasync=1, which leaves out metadata that no read needs"),
        (
            "rw=write sync=1",
            "sync runs as fdatasync=1: each write is followed by its sync, in two system calls",
        ),
        (
            "rw=write fsync_on_close=1",
            "fsync_on_close runs as end_fsync: the sync is inside the measured time",
        ),
        (
            "rate_iops=1000",
            "rate_iops spaces operations evenly in fio; here they arrive at random (Poisson) at the same mean rate, so that some wait for others",
        ),
        ("rate=1m", "rate is 256 operations a second of each job, of bs bytes each"),
        (
            "rate=7k",
            "rate is 1 operations a second of each job, of bs bytes each, rounded down to whole blocks",
        ),
        ("startdelay=5m", "startdelay has no effect: nothing else runs meanwhile"),
        (
            "bssplit=4k/60:8k/40",
            "a job ends after as many operations of bssplit as move its bytes on average",
        ),
        (
            "bssplit=4k/60:8k/40 rate=1m",
            "rate is 182 operations a second of each job, of bssplit's mean size, rounded down to whole blocks",
        ),
        (
            "bssplit=4k/60:8k/40 rw=randread",
            "each operation has the size that bssplit draws; without norandommap fio shortens those that meet blocks it has moved",
        ),
        (
            "thinktime=5 thinktime_spin=3",
            "thinktime_spin has no effect: a job sleeps for the whole of thinktime",
        ),
        (
            "rw=write ioengine=io_uring iodepth=4 sync_file_range=write:1",
            "sync_file_range waits for the job's writes in flight; fio queues it beside them",
        ),
        (
            "numjobs=4 rw=write filename=f direct=1",
            "each of 4 jobs takes a slice of 256KiB of the file in order; in fio each goes through the whole file, one behind another",
        ),
        (
            "numjobs=2",
            "one file of 2MiB takes the place of a file of 1MiB for each of 2 jobs, which take a slice each, in order",
        ),
    ] {
        let job = check(options, "cache=cold");
        assert!(job.remarks.iter().any(|said| said == remark), "{options}: {:?}", job.remarks);
    }
    let quiet = check(
        "rw=randwrite norandommap overwrite=1 ioengine=io_uring fixedbufs registerfiles iodepth=4 thread \
         group_reporting clat_percentiles=1 gtod_reduce=0 hipri=0 sqthread_poll=0",
        "iodepth=4",
    );
    assert!(quiet.remarks.is_empty(), "{:?}", quiet.remarks);
}

/// Translated jobs read into huge pages and registered everything, whatever the options of fio.
#[test]
fn memory_and_registration_are_those_that_fio_was_told() {
    check("ioengine=io_uring iodepth=4", "registered=false");
    check("ioengine=io_uring iodepth=4 fixedbufs registerfiles", "registered=true");
    check("iomem=malloc", "buffer_pages=small");
    check("mem=shmhuge", "buffer_pages=huge");
    check("iomem=mmaphuge:/huge/file", "buffer_pages=huge");
    refused(
        "iomem=cudamalloc",
        "JOB.fio:3: iomem=cudamalloc is not supported; use malloc for small pages or mmaphuge for huge ones",
    );
}

#[test]
fn jobs_share_files_as_in_fio() {
    check("numjobs=4 rw=randread filename=f", "size=1MiB number_ios=256");
    check("numjobs=4 rw=randread", "size=4MiB number_ios=256");
    check("numjobs=4 rw=write", "size=4MiB number_ios=256");
    check("numjobs=4 rw=write filename=f offset_increment=1m", "size=4MiB numjobs=4 number_ios=256");
    check("numjobs=4 rw=randwrite filename=f offset_increment=1m", "size=4MiB");
    refused(
        "numjobs=4 rw=write filename=f",
        "JOB.fio:3: [a] has 4 jobs on parts of one file that overlap; add offset_increment=1m to give each its own part",
    );
    refused(
        "numjobs=4 rw=write filename=f offset_increment=4k",
        "JOB.fio:6: [a] has 4 jobs on parts of one file that overlap; add offset_increment=1m to give each its own part",
    );
    refused(
        "numjobs=4 rw=write offset_increment=1m",
        "JOB.fio:5: without filename each job has a file of its own and offset_increment leaves holes; remove it, or add filename=",
    );
}

#[test]
fn each_refusal_says_what_to_do() {
    for (options, expected) in [
        (
            "zonemode=zbd",
            "JOB.fio:3: option \"zonemode=zbd\" is not supported; zones are not part of a device job; remove it",
        ),
        ("iodetph=4", "JOB.fio:3: option \"iodetph\" is not supported; did you mean \"iodepth\"?"),
        (
            "ioengine=rbd",
            "JOB.fio:3: ioengine=rbd is not supported; use io_uring, libaio, posixaio, psync, sync, vsync, pvsync, pvsync2 or mmap",
        ),
        (
            "ioengine=falloc",
            "JOB.fio:3: ioengine=falloc is not supported; use io_uring, libaio, posixaio, psync, sync, vsync, pvsync, pvsync2 or mmap",
        ),
        ("ioengine=mmap direct=1", "JOB.fio:3: ioengine=mmap goes through the page cache; remove direct=1"),
        ("direct", "JOB.fio:3: option \"direct\" needs a value: direct=…"),
        ("direct=yes", "JOB.fio:3: option \"direct\": \"yes\": expected 0 or 1"),
        (
            "bs=4k,8k",
            "JOB.fio:3: bs=4k,8k: reads and writes have the same sizes here; use bs= of one size, or bssplit= for several",
        ),
        (
            "bs=,8k",
            "JOB.fio:3: bs=,8k: reads and writes have the same sizes here; use bs= of one size, or bssplit= for several",
        ),
        (
            "bsrange=4k-64k",
            "JOB.fio:3: bsrange=4k-64k: reads and writes have the same sizes here; use bs= of one size, or bssplit= for several",
        ),
        ("bssplit=4k/60:8k/60", "JOB.fio:3: option \"bssplit\": the shares sum to more than 100 percent"),
        (
            "bssplit=4KiB/60:8k/40",
            "JOB.fio:3: option \"bssplit\": \"4KiB\": fio reads kib as a power of 1000 unless kb_base=1000; write 4k for a power of 1024",
        ),
        ("bssplit=4k/half:8k", "JOB.fio:3: option \"bssplit\": \"half\": expected a whole number"),
        // Both overflowed.
        (
            "bssplit=4t/50:4000000t/50",
            "JOB.fio:2: size=1m is smaller than the largest of bssplit,=4000000t; take a larger size",
        ),
        (
            "bssplit=4k/18446744073709551615:8k/18446744073709551615",
            "JOB.fio:3: option \"bssplit\": the shares sum to more than 100 percent",
        ),
        (
            "bssplit=4k/100,8k/100 rw=rw",
            "JOB.fio:3: bssplit=4k/100,8k/100: reads and writes have the same sizes here; use bs= of one size, or bssplit= for several",
        ),
        (
            "bssplit=4k/60:2m/40",
            "JOB.fio:2: size=1m is smaller than the largest of bssplit,=2m; take a larger size",
        ),
        ("bs=8k blockalign=4k", "JOB.fio:4: blocks lie at multiples of bs=8k; remove blockalign"),
        ("loops=0", "JOB.fio:3: loops=0 runs nothing; take 1 or more"),
        ("nrfiles=0", "JOB.fio:3: nrfiles=0 leaves nothing to measure; take 1"),
        (
            "thinktime=1ms rate_iops=5",
            "JOB.fio:3: thinktime and a rate are both given: an open loop does not wait for its job; remove one",
        ),
        ("thinktime=1ms thinktime_blocks=0", "JOB.fio:4: thinktime_blocks=0 never pauses; take 1 or more"),
        (
            "thinktime=soon",
            "JOB.fio:3: option \"thinktime\": \"soon\": expected a time such as 30, 30s, 250ms or 2m",
        ),
        (
            "rw=write sync_file_range=write",
            "JOB.fio:4: sync_file_range=write: expected flags and writes, such as write:32",
        ),
        (
            "rw=write sync_file_range=wait_after:1",
            "JOB.fio:4: sync_file_range=wait_after:1 is not supported; its flags are write, wait_before,write or wait_before,write,wait_after",
        ),
        (
            "rw=write sync_file_range=write:1 fdatasync=1",
            "JOB.fio:4: sync_file_range and another sync are both given; remove one",
        ),
        (
            "write_barrier=1",
            "JOB.fio:3: option \"write_barrier\" is not supported; a job syncs after every N writes: use fdatasync=N, which also flushes the device, or sync_file_range=",
        ),
        (
            "exec_prerun=reboot",
            "JOB.fio:3: option \"exec_prerun\" is not supported; Syncline runs no commands from a job file; run it yourself, or remove it",
        ),
        (
            "ioscheduler=none",
            "JOB.fio:3: option \"ioscheduler\" is not supported; Syncline changes no setting of the machine; set it yourself, and remove it",
        ),
        (
            "rw=write sync=1 ioengine=libaio direct=1 iodepth=4",
            "JOB.fio:4: sync with more than one operation in flight is not part of a device job: use iodepth=1, or `syncline run commit`",
        ),
        ("rw=write fsync=1 fdatasync=1", "JOB.fio:5: fsync and fdatasync are both given; remove one"),
        (
            "rate=1k",
            "JOB.fio:3: rate=1k: expected bytes a second, a block at least, such as 10m or 700k,300k",
        ),
        ("rate=1m rate_iops=5", "JOB.fio:3: rate and rate_iops are both given; remove one"),
        (
            "cpumask=3",
            "JOB.fio:3: cpumask=3: one CPU for one job is supported; use cpus_allowed= with cpus_allowed_policy=split",
        ),
        ("readonly rw=write", "JOB.fio:3: readonly forbids rw=write; remove one of them"),
        (
            "verify=md5",
            "JOB.fio:3: option \"verify=md5\" is not supported; Syncline measures and does not verify contents; run the verification with fio",
        ),
        ("bs=1.5k", "JOB.fio:3: option \"bs\": \"1.5k\": expected a size such as 4096, 4k, 1m or 20g"),
        (
            "bs=4KiB",
            "JOB.fio:3: option \"bs\": \"4KiB\": fio reads kib as a power of 1000 unless kb_base=1000; write 4k for a power of 1024",
        ),
        ("bs=0", "JOB.fio:3: bs=0 moves nothing; give a block size"),
        ("bs=2m", "JOB.fio:2: size=1m is smaller than bs=2m; take a larger size"),
        (
            "rw=read:8k",
            "JOB.fio:3: rw=read:8k: a pattern with a modifier is not supported; write it without \":\"",
        ),
        ("rw=randtrim", "JOB.fio:3: rw=randtrim: nothing is trimmed here; take another pattern"),
        (
            "rw=raedn",
            "JOB.fio:3: unknown pattern \"raedn\"; there are: read, write, randread, randwrite, rw, readwrite, randrw",
        ),
        (
            "rate_iops=1000 rate_process=poisson rw=rw rwmixread=70",
            "JOB.fio:3: rate_iops limits reads to 1000 and writes to 1000 operations a second, which is not rwmixread=70; give rate_iops=READS,WRITES in that ratio",
        ),
        (
            "rate=,5m rw=randrw",
            "JOB.fio:3: rate limits writes to 1280 operations a second and reads not at all, which is not rwmixread=50; give rate=READS,WRITES in that ratio",
        ),
        (
            "hipri",
            "JOB.fio:3: option \"hipri\" is not supported; Syncline waits for interrupts and does not poll the device; remove it",
        ),
        (
            "sqthread_poll=1",
            "JOB.fio:3: option \"sqthread_poll=1\" is not supported; Syncline's ring has no kernel thread of its own; remove it",
        ),
        (
            "madvise=1",
            "JOB.fio:3: option \"madvise\" is not supported; not an option of fio: use fadvise_hint, which is madvise with ioengine=mmap",
        ),
        ("time_based", "JOB.fio:3: time_based needs a runtime; add runtime=30s"),
        ("filename=folder", "JOB.fio:3: filename=folder names an existing directory; give directory=folder"),
        (
            "random_distribution=pareto:0.2 rw=randread",
            "JOB.fio:3: random_distribution=pareto:0.2 is not supported; use random, zipf:1.2 with any positive exponent but 1, or zoned:50/5:50/95",
        ),
        (
            "random_distribution=zipf:nan rw=randread",
            "JOB.fio:3: random_distribution=zipf:nan is not supported; use random, zipf:1.2 with any positive exponent but 1, or zoned:50/5:50/95",
        ),
        (
            "random_distribution=zoned:50/5 rw=randread",
            "JOB.fio:3: random_distribution=zoned:50/5: the accesses do not sum to 100 percent",
        ),
        (
            "random_distribution=zoned:100/100,50/10:50/90 rw=randrw",
            "JOB.fio:3: random_distribution=zoned:100/100,50/10:50/90: reads and writes have the same zones here",
        ),
        (
            "random_distribution=zipf:1.0 rw=randread",
            "JOB.fio:3: random_distribution=zipf:1.0 is not supported; use random, zipf:1.2 with any positive exponent but 1, or zoned:50/5:50/95",
        ),
        (
            "zero_buffers buffer_compress_percentage=50 rw=write",
            "JOB.fio:4: zero_buffers and buffer_compress_percentage exclude each other; remove one",
        ),
        ("rwmixread=101 rw=rw", "JOB.fio:3: option \"rwmixread\": 101 is not a percentage"),
        (
            "filesize=2m",
            "JOB.fio:3: size and filesize differ; give size= for the file, and io_size= to move more or less than that",
        ),
        ("io_size=1k", "JOB.fio:3: io_size=1024 is smaller than bs; take at least one block"),
        (
            "size=50%",
            "JOB.fio:3: option \"size\": a share of a file that is there already; give a size such as 1g",
        ),
        ("numjobs=0", "JOB.fio:3: numjobs=0 runs nothing; take 1 or more"),
        (
            "cpus_allowed=0-3",
            "JOB.fio:3: cpus_allowed=0-3: each job has one CPU; give as many in a row as jobs, with cpus_allowed_policy=split",
        ),
        // A study would leave out the job that it cannot run, and measure the others.
        (
            "ioengine=libaio direct=1 bs=1m iodepth=64 numjobs=40",
            "JOB.fio:1: [a] iodepth × bs and the payload need 64MiB in flight or in buffers in each of 40 jobs, at most 1GiB in all: lower iodepth, bs or numjobs",
        ),
    ] {
        refused(options, expected);
    }
    assert!(jobs("[a]\nrw=read\n").unwrap_err().starts_with("JOB.fio:1: [a] gives no size; add size="));
}

#[test]
fn every_unsupported_option_is_named_at_once() {
    let message = jobs("[global]\nzonemode=zbd\n[a]\nsize=1m\nverify=md5\nflow=1\n").unwrap_err();
    let lines: Vec<&str> = message.lines().map(|line| &line[..10]).collect();
    assert_eq!(lines, ["JOB.fio:2:", "JOB.fio:5:", "JOB.fio:6:"]);
}

/// Whatever is wrong with a section is found at once, not the first of it.
#[test]
fn every_problem_of_a_file_is_in_one_message() {
    let message =
        jobs("[a]\nsize=1m\nbssplit=4k/50:8k/60\nioengine=rbd\nrw=randwrite\nfsync=x\nflow=3\nx y\n")
            .unwrap_err();
    let lines: Vec<&str> = message.lines().map(|line| &line[..10]).collect();
    assert_eq!(lines, ["JOB.fio:3:", "JOB.fio:4:", "JOB.fio:6:", "JOB.fio:7:", "JOB.fio:8:"], "{message}");
}

#[test]
fn sections_with_stonewall_are_jobs_of_their_own() {
    let both = jobs("[global]\nsize=1m\nbs=8k\n[a]\n[global]\nbs=16k\n[b]\nstonewall\n").unwrap();
    assert_eq!(values(&both[0], "bs"), "bs=8KiB");
    assert_eq!(values(&both[1], "bs"), "bs=16KiB");
    assert!(jobs("[global]\nsize=1m\nstonewall\n[a]\n[b]\n").is_ok());
    assert!(jobs("[global]\nsize=1m\nstonewall\n[a]\nrw=rw\n[b]\nwait_for_previous=0\n").is_err());
}

/// A run distinguishes jobs by their names.
#[test]
fn jobs_with_one_name_are_told_apart() {
    let named = |text: &str| -> Vec<String> { jobs(text).unwrap().into_iter().map(|job| job.name).collect() };
    assert_eq!(named("[global]\nname=x\nsize=1m\nstonewall\n[a]\n[b]\n"), ["a", "b"]);
    assert_eq!(named("[global]\nname=x\nsize=1m\nstonewall\n[a]\n"), ["x"]);
    assert_eq!(named("[global]\nsize=1m\nstonewall\n[a]\n[a]\n"), ["a 4", "a 5"]);
}

#[test]
fn equal_sections_are_jobs_of_one() {
    let job = only("[global]\nsize=1m\nrw=randwrite\n[a]\n[b]\nname=c\n[d]\n");
    assert_eq!(values(&job, "numjobs size rw"), "numjobs=3 size=3MiB rw=randwrite");
    assert!(job.remarks.iter().any(|remark| remark.starts_with("3 equal sections")), "{:?}", job.remarks);
    let one_file = only("[global]\nsize=1m\nrw=randread\nfilename=f\nnumjobs=2\n[a]\n[b]\n");
    assert_eq!(values(&one_file, "numjobs size"), "numjobs=4 size=1MiB");
    let devices = only("[global]\nsize=1m\nrw=randread\n[a]\nfilename=/dev/sda\n[b]\nfilename=/dev/sdb\n");
    assert_eq!(values(&devices, "numjobs size"), "numjobs=2 size=2MiB");
}

#[test]
fn readers_run_beside_writers() {
    let both = "[global]\nioengine=libaio\ndirect=1\ntime_based\nruntime=3\nsize=1m\n[w]\nrw=randwrite\nbs=8k\n\
                numjobs=2\niodepth=8\nrate=,800k\n[r]\nrw=randread\niodepth=4\n";
    let job = only(both);
    assert_eq!(job.name, "r beside w");
    assert_eq!(
        values(
            &job,
            "rw bs iodepth numjobs rate_iops size beside beside_bs beside_iodepth beside_numjobs number_ios"
        ),
        "rw=randwrite bs=8KiB iodepth=8 numjobs=2 rate_iops=100 size=3MiB beside=randread beside_bs=4KiB \
         beside_iodepth=4 beside_numjobs=1 number_ios=0"
    );
    assert!(job.remarks.iter().any(|remark| remark.starts_with("one file of 3MiB takes the place")));
    let shared = only(&both.replace("[global]", "[global]\nfilename=/dev/sdx"));
    assert_eq!(values(&shared, "size"), "size=1MiB");
}

/// One after another such jobs would not meet on the disk, so Syncline never runs them so unless the user requests it.
#[test]
fn other_sections_beside_each_other_are_refused() {
    let message = jobs("[global]\nsize=1m\n[a]\n[b]\nbs=8k\n").unwrap_err();
    assert_eq!(
        message,
        "JOB.fio:4: [b] would run beside [a], and cannot: only readers run beside writers; add stonewall to [b] to \
         run each by itself"
    );
    for (text, why) in [
        (
            "[a]\nrw=randread\n[b]\nrw=randwrite\n",
            "JOB.fio:5: [b] would run beside [a], and cannot: they end at different times without time_based; add stonewall to [b] to run each by itself",
        ),
        (
            "[global]\ntime_based\nruntime=1\n[a]\nrw=randread\n[b]\nrw=randwrite\n",
            "JOB.fio:8: [b] would run beside [a], and cannot: without direct=1 readers of one file find in the page cache what its writers wrote; add stonewall to [b] to run each by itself",
        ),
        (
            "[global]\ntime_based\nruntime=1\n[a]\nrw=randread\n[b]\nrw=randwrite\nruntime=2\n",
            "JOB.fio:8: [b] would run beside [a], and cannot: their runtime differs; add stonewall to [b] to run each by itself",
        ),
        (
            "[global]\ntime_based\nruntime=1\n[a]\nrw=randread\n[b]\nrw=randwrite\nstartdelay=1\n",
            "JOB.fio:8: [b] would run beside [a], and cannot: startdelay lets one begin before the other; add stonewall to [b] to run each by itself",
        ),
        (
            "[a]\nrw=randread\n[b]\nrw=randwrite\n[c]\nrw=read\n",
            "JOB.fio:7: [c] would run beside [a], and cannot: no more than two kinds of jobs run beside each other; add stonewall to [c] to run each by itself",
        ),
    ] {
        let message = jobs(&format!("[global]\nsize=1m\n{text}")).unwrap_err();
        assert_eq!(message, why);
    }
}

#[test]
fn a_mistake_in_global_is_said_once() {
    let message = jobs("[global]\nsize=1m\nbs=x\nstonewall\n[a]\n[b]\n[c]\n").unwrap_err();
    assert_eq!(message.lines().count(), 1, "{message}");
}

/// `include /etc/shadow` printed its lines as options that are not supported.
#[test]
fn no_text_of_an_included_file_is_printed() {
    for line in [
        "root:$6$secret:19000:0:::",
        "password=secret",
        "bs=secret",
        "[secret]",
        "include secret",
        "size=${secret",
    ] {
        let include = |name: &str, _: &str| match name {
            "/etc/shadow" => Ok(("/etc/shadow".to_owned(), format!("rw=read\n{line}\n").into_bytes())),
            _ => Err("it is not there".to_owned()),
        };
        let mut file = job::parse("JOB.fio", b"[a]\nsize=1m\ninclude /etc/shadow\n", &include);
        fio::expand(&mut file, &[], |_| None);
        let errors = translate(&file, existing).unwrap_err();
        assert!(!errors.to_string().contains("secret"), "{line}: {errors}");
        assert_eq!((errors.0[0].file.as_str(), errors.0[0].line), ("/etc/shadow", 2), "{line}: {errors}");
    }
}
