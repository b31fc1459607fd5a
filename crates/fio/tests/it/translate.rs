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
    let file = job::parse("JOB.fio", text.as_bytes()).map_err(|error| error.to_string())?;
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
    assert!(message.starts_with("JOB.fio:") && message.contains(expected), "{options}: {message}");
    assert!(!message.contains('\n'), "{message}");
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
         number_ios=5242880 advice=random random_distribution=uniform cache=cold"
    );
    assert!(job.remarks.iter().any(|remark| remark.contains("norandommap")));
    assert!(job.remarks.iter().any(|remark| remark.contains("instead of bigfile")));
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
    check("cpus_allowed=2", "cpu=2");
    check("cpus_allowed=2-3 cpus_allowed_policy=split numjobs=2", "cpu=2 numjobs=2");
    let named = only("[a]\nname=b\nsize=1m\ndirectory=/data\n");
    assert_eq!((named.name.as_str(), named.directory), ("b", Some(PathBuf::from("/data"))));
}

#[test]
fn what_is_a_little_different_is_said() {
    for (options, remark) in [
        ("iodepth=8", "iodepth=8 is 1 with ioengine=psync, as in fio"),
        ("ioengine=sync", "ioengine=sync runs as psync"),
        ("ioengine=io_uring fixedbufs", "neither is done"),
        ("rw=write", "as with overwrite=1"),
        ("rw=read end_fsync=1", "no effect with rw=read"),
        ("rw=read zero_buffers", "no effect with rw=read"),
        ("randseed=3", "the random seed is Syncline's own"),
        ("percentile_list=50:99", "the whole histogram is kept"),
        ("iodepth_batch=8", "iodepth_batch options have no effect"),
        ("number_ios=5 time_based runtime=1", "number_ios has no effect with time_based"),
        ("ramp_time=1", "does not count towards the end"),
        ("rate_iops=5 rate_process=poisson", "intended start"),
        ("rw=write ioengine=io_uring iodepth=4 fdatasync=1", "waits for the job's writes in flight"),
        ("numjobs=2", "one file of 2MiB takes the place of a file of 1MiB for each of 2 jobs"),
    ] {
        let job = check(options, "cache=cold");
        assert!(job.remarks.iter().any(|said| said.contains(remark)), "{options}: {:?}", job.remarks);
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
    refused("iomem=cudamalloc", "iomem=cudamalloc is not supported");
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
        "[a] has 4 jobs on parts of one file that overlap; add offset_increment=1m",
    );
    refused("numjobs=4 rw=write filename=f offset_increment=4k", "overlap");
    refused("numjobs=4 rw=write offset_increment=1m", "without filename each job has a file of its own");
}

#[test]
fn each_refusal_says_what_to_do() {
    for (options, expected) in [
        ("zonemode=zbd", "JOB.fio:3: option \"zonemode=zbd\" is not supported"),
        ("iodetph=4", "did you mean \"iodepth\"?"),
        ("ioengine=libaio", "use ioengine=io_uring"),
        ("ioengine=rbd", "use io_uring, psync"),
        ("ioengine=mmap direct=1", "remove direct=1"),
        ("direct", "needs a value"),
        ("direct=yes", "expected 0 or 1"),
        ("bs=4k,8k", "one block size"),
        ("bs=1.5k", "expected a size"),
        ("bs=4KiB", "write 4k"),
        ("bs=0", "moves nothing"),
        ("bs=2m", "size=1m is smaller than bs=2m"),
        ("rw=read:8k", "modifier"),
        ("rw=randtrim", "nothing is trimmed"),
        ("rw=raedn", "unknown pattern"),
        ("loops=2", "use time_based"),
        ("fsync=1", "fdatasync=N"),
        ("rate_iops=1000", "add rate_process=poisson"),
        ("rate_iops=1000 rate_process=poisson rw=rw rwmixread=70", "in that ratio"),
        ("rate=1m", "only rate_iops"),
        ("hipri", "does not poll"),
        ("sqthread_poll=1", "kernel thread"),
        ("write_lat_log=x", "100 ms series"),
        ("log_avg_msec=100", "100 ms series"),
        ("create_on_open=1", "before anything is measured"),
        ("madvise=1", "fadvise_hint"),
        ("time_based", "add runtime="),
        ("filename=/dev/sda", "names a device: Syncline measures only files it makes; leave filename out"),
        ("filename=there", "names an existing file"),
        ("filename=new:there", "filename=there names an existing file"),
        ("filename=folder", "names an existing directory"),
        ("directory=dir filename=there", "names an existing file"),
        ("filename=new:newer", "works on one file"),
        ("random_distribution=pareto:0.2 rw=randread", "use random, or zipf"),
        ("random_distribution=zipf:nan rw=randread", "use random, or zipf"),
        ("random_distribution=zipf:1.0 rw=randread", "any positive exponent but 1"),
        ("zero_buffers buffer_compress_percentage=50 rw=write", "exclude each other"),
        ("rwmixread=101 rw=rw", "not a percentage"),
        ("filesize=2m", "size and filesize differ"),
        ("io_size=1k", "smaller than bs"),
        ("size=50%", "a share of a file"),
        ("numjobs=0", "runs nothing"),
        ("cpus_allowed=0-3", "one CPU"),
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

#[test]
fn sections_run_one_after_another() {
    let message = jobs("[global]\nsize=1m\n[a]\n[b]\nbs=8k\n").unwrap_err();
    assert_eq!(
        message,
        "JOB.fio:4: [b] would run beside [a] of line 3, and Syncline runs one after another; add stonewall to [b]"
    );
    let both = jobs("[global]\nsize=1m\nbs=8k\n[a]\n[global]\nbs=16k\n[b]\nstonewall\n").unwrap();
    assert_eq!(values(&both[0], "bs"), "bs=8KiB");
    assert_eq!(values(&both[1], "bs"), "bs=16KiB");
    assert!(jobs("[global]\nsize=1m\nstonewall\n[a]\n[b]\n").is_ok());
    assert!(jobs("[global]\nsize=1m\nstonewall\n[a]\n[b]\nwait_for_previous=0\n").is_err());
}

#[test]
fn a_mistake_in_global_is_said_once() {
    let message = jobs("[global]\nsize=1m\nbs=x\nstonewall\n[a]\n[b]\n[c]\n").unwrap_err();
    assert_eq!(message.lines().count(), 1, "{message}");
}
