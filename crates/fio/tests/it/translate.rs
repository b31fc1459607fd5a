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
         number_ios=5242880 advice=random random_distribution=once cache=cold"
    );
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
    check("rate_iops=50 rate_poisson=1 rw=randread", "rate_iops=50");
    check("rate=,12500k bs=8k rw=randwrite", "rate_iops=1562");
    check("rate=8m bs=8k", "rate_iops=1024");
    check("rate=1250", "rate_period=4096s rate_iops=1250");
    check("rate=300,300,300 rw=randrw", "rate_period=4096s rate_iops=600");
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
    check(
        "rw=randread random_distribution=zoned:50/5:30/15:20/",
        "random_distribution=zoned zones=50/5:30/15:20/80",
    );
    check(
        "rw=randread random_distribution=zoned:50/:30/:20/",
        "random_distribution=zoned zones=50/33:30/33:20/34",
    );
    check("bssplit=4k:8k rw=randrw bs=64k", "bssplit=4KiB/50:8KiB/50");
    check("bssplit=4k/100,8k/50:16k rw=randwrite", "bs=8KiB bssplit=8KiB/50:16KiB/50");
    check("bssplit=4k/100,4k/100 rw=rw", "bssplit=4KiB/100");
    check(
        "bssplit=4k/40:16k/60,8k/100 rw=randrw rwmixread=50",
        "random_distribution=uniform bs=4KiB bssplit=4KiB/40:16KiB/60 bssplit_writes=8KiB/100 number_ios=106",
    );
    check("bssplit=4k/100,8k/100 rw=randread", "bs=4KiB bssplit=4KiB/100");
    check("bs=4k,8k", "bs=4KiB");
    check("bs=,8k rw=write", "bs=8KiB");
    check(
        "bs=4k,8k rw=randrw",
        "random_distribution=uniform bs=4KiB bssplit=4KiB/100 bssplit_writes=8KiB/100 number_ios=170",
    );
    check("bsrange=8k-8k,16k-16k rw=rw", "bs=8KiB bssplit=8KiB/100 bssplit_writes=16KiB/100");
    // As fio 3.33 writes it to its log of operations: every third block of 256, once through the file.
    check("rw=read:8k", "rw=read bs=4KiB hole=8KiB number_ios=86");
    check("rw=read:8k io_size=1m", "hole=8KiB number_ios=256");
    check("rw=write:-8k", "rw=write order=backward number_ios=256");
    check("rw=read:-12k", "hole=4KiB order=backward number_ios=128");
    check("zonemode=strided zonesize=8k zoneskip=8k", "hole=8KiB hole_every=8KiB number_ios=256");
    check("zonemode=strided zonesize=8k zoneskip=8k zonerange=16k", "hole=16KiB hole_every=8KiB");
    check("zonemode=zbd zonesize=256m", "rw=read bs=4KiB");
    check("zonemode=zbd zonesize=256m rw=randread", "rw=randread random_distribution=once");
    check(
        "zonemode=zbd zonesize=128k max_open_zones=4 size=8z rw=randwrite",
        "random_distribution=in_zones zone_size=128KiB open_zones=4 size=1MiB",
    );
    check(
        "zonemode=zbd zonesize=128k max_open_zones=8 job_max_open_zones=2 numjobs=2 rw=randwrite",
        "open_zones=4 numjobs=2",
    );
    check("rw=randtrim", "rw=randtrim random_distribution=once number_ios=256");
    check("rw=trim bs=8k,8k,16k", "rw=trim bs=16KiB number_ios=64");
    check("rw=trim bssplit=4k/50:8k/50,16k/100", "bs=16KiB bssplit=16KiB/100");
    check("rw=trimwrite", "rw=trimwrite number_ios=512 data=random");
    check("rw=randtrim ioengine=falloc", "rw=randtrim ioengine=psync");
    check("rw=trim rate_iops=100 rate_process=poisson", "rate_iops=100");
    check("rw=trimwrite rate_iops=100 rate_process=poisson", "rate_iops=200");
    check("rw=randwrite atomic=1 direct=1", "atomic=true mode=direct");
    check("rw=randread atomic=1 direct=1", "mode=direct");
    // fio makes a file of filesize and moves size bytes of it, at most the whole of it.
    check("filesize=2m", "size=2MiB number_ios=256");
    check("filesize=512k", "size=512KiB number_ios=128");
}

#[test]
fn what_each_further_option_means() {
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
    check("numjobs=4 rw=write filename=f direct=1", "size=1MiB numjobs=4 number_ios=256 whole_file=true");
    check("offset=64k", "size=1MiB number_ios=256");
    check("io_size=10%", "size=1MiB number_ios=26112");
    check("ioengine=libpmem direct=1 rw=write sync=1", "mode=mmap fdatasync=1 iodepth=1");
    check("ioengine=dev-dax", "mode=mmap");
    check("ioengine=libblkio libblkio_driver=io_uring iodepth=4", "ioengine=uring iodepth=4 mode=buffered");
    check("ioengine=rbd rbdname=x pool=y iodepth=4", "ioengine=uring iodepth=4 mode=direct");
    check(
        "ioengine=libblkio libblkio_driver=virtio-blk-vfio-pci iodepth=4",
        "ioengine=uring iodepth=4 mode=direct",
    );
    check(
        "ioengine=null rw=randread random_distribution=zipf:0.5",
        "ioengine=psync random_distribution=zipf",
    );
    check("ioengine=gfapi volume=x brick=y", "ioengine=psync mode=direct");
    check("ioengine=io_uring_cmd cmd_type=nvme sqthread_poll=1", "ioengine=uring mode=direct");
    check("ioengine=libaio direct=1 iodepth=16", "ioengine=uring iodepth=16");
    check("ioengine=libaio iodepth=16", "ioengine=psync iodepth=1 mode=buffered");
    check("ioengine=posixaio iodepth=16", "ioengine=psync iodepth=1 mode=buffered");
    check("ioengine=posixaio direct=1 iodepth=16", "ioengine=psync iodepth=1 mode=direct");
    check("rw=write fsync=4 fsync_on_close=1", "fdatasync=4 end_fsync=true");
    check("rw=write sync=dsync", "fdatasync=1");
    check("rw=randwrite verify=crc32c verify_interval=512", "rw=randwrite verify=true");
    check("rw=randwrite verify=crc32c do_verify=0", "rw=randwrite");
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
        ("ioengine=libaio iodepth=16", "one operation in flight with iodepth=16"),
        ("ioengine=libaio direct=1", "ioengine=libaio runs on io_uring"),
        ("gtod_reduce=1", "reports latencies"),
        ("write_bw_log=x", "no log is written"),
        ("fallocate=0", "writes the whole file before"),
        ("nrfiles=16", "one file of 1MiB takes the place of 16 files"),
        ("filename=a:b", "one file of 1MiB takes the place of 2 files"),
        ("filename=/dev/sda", "/dev/sda is never opened: a file in the measured directory takes its place"),
        ("filename=there", "there is there and is left alone"),
        ("rw=write fsync=1", "fsync=1 runs as fdatasync=1"),
        ("rw=write sync=1", "each write is followed by its sync"),
        ("rw=write fsync_on_close=1", "inside the measured time"),
        ("rate_iops=1000", "spaces operations evenly in fio"),
        ("rate=1m", "rate is 256 operations a second"),
        ("rate=7k", "rounded down to whole blocks"),
        ("startdelay=5m", "nothing else runs meanwhile"),
        ("offset=64k", "begins where offset points to"),
        ("prio=3 prioclass=2", "I/O priorities have no effect"),
        ("cmdprio_percentage=20", "I/O priorities have no effect"),
        ("numa_cpu_nodes=0", "the node that the kernel chooses"),
        ("dedupe_percentage=50 rw=write", "what is written does not repeat"),
        ("exitall exit_what=all", "exit_what has no effect"),
        ("flow=3", "flow has no effect"),
        ("ioengine=libcufile gpu_dev_ids=0 cuda_io=posix", "without the GPU"),
        ("ioengine=io_uring sqthread_poll=1", "each job submits to its ring itself"),
        ("ioengine=nfs nfs_url=x", "a file takes its place"),
        ("ioengine=libpmem", "runs as mmap"),
        ("bssplit=4k/60:8k/40", "move its bytes on average"),
        ("bssplit=4k/60:8k/40 rate=1m", "bssplit's mean size"),
        ("bssplit=4k/60:8k/40 rw=randread", "without norandommap fio shortens"),
        ("thinktime=5 thinktime_spin=3", "sleeps for the whole of thinktime"),
        (
            "rw=write ioengine=io_uring iodepth=4 sync_file_range=write:1",
            "waits for the job's writes in flight",
        ),
        ("rw=write verify=md5", "all bytes of each block"),
        ("rw=write verify=md5 verify_backlog=4", "after the measurement"),
        ("rw=write verify=null", "nothing is read back"),
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
    check("numjobs=4 rw=write filename=f offset_increment=8m", "size=4MiB");
    // fio starts each job at the beginning of the file.
    check("numjobs=4 rw=write filename=f", "size=1MiB whole_file=true number_ios=256");
    refused("numjobs=4 rw=write filename=f offset_increment=4k", "overlap");
    refused("numjobs=4 rw=write offset_increment=1m", "without filename each job has a file of its own");
}

#[test]
fn each_refusal_says_what_to_do() {
    for (options, expected) in [
        ("zonemode=zbd rw=randrw", "JOB.fio:3: zonemode=zbd: reads meet the write pointers"),
        ("zonemode=zbd rw=trim", "JOB.fio:3: zonemode=zbd: a trim resets a zone"),
        ("zonemode=zbd zonesize=1m rw=randwrite zonecapacity=512k", "zones have no rest"),
        ("zonemode=strided rw=randread zonesize=8k", "take random_distribution=zoned:"),
        ("zonemode=strided", "add zonesize="),
        ("zonemode=strided zonesize=8k zonerange=4k", "take zonesize=4k"),
        ("zonemode=strided zonesize=8k zoneskip=1k", "take a multiple of bs"),
        ("zonemode=round", "use none or strided"),
        ("zonemode=strided zonesize=8k rw=read:8k", "both given"),
        ("iodetph=4", "did you mean \"iodepth\"?"),
        ("ioengine=psnyc", "use io_uring, libaio"),
        ("ioengine=falloc", "allocates blocks and writes no data"),
        ("ioengine=ftruncate", "moves or frees the extents"),
        // Options of such an engine add nothing to its refusal.
        ("ioengine=cpuio cpuload=50 cpumode=qsort", "run that program beside Syncline"),
        ("ioengine=null", "does no I/O"),
        ("ioengine=net hostname=x port=1 rw=nothing", "a program for networks"),
        ("ioengine=mtd", "opens no device"),
        ("ioengine=null random_distribution=sequence:2,0,1 rw=randread", "use random, zipf"),
        ("atomic=1 rw=write", "JOB.fio:3: atomic=1 is for direct I/O"),
        ("latency_target=1000", "add latency_window=5s"),
        ("latency_target=1000 latency_window=5s", "the slowest operation decides"),
        ("latency_target=1000 latency_window=5s latency_percentile=98", "take 50, 95, 99 or 99.9"),
        ("fdp=1 fdp_pli=3", "cannot choose where its device places data"),
        ("pi_chk=GUARD", "no protection information"),
        ("zonesize=256m zoneskip=1g", "add zonemode=strided"),
        ("ioengine=mmap direct=1", "remove direct=1"),
        ("direct", "needs a value"),
        ("direct=yes", "expected 0 or 1"),
        ("bsrange=4k-64k", "use bs= of one size"),
        ("bssplit=4k/60:8k/60", "more than 100 percent"),
        ("bssplit=4KiB/60:8k/40", "write 4k"),
        ("bssplit=4k/half:8k", "expected a whole number"),
        // Both overflowed.
        ("bssplit=4t/50:4000000t/50", "smaller than the largest of bssplit"),
        ("bssplit=4k/18446744073709551615:8k/18446744073709551615", "more than 100 percent"),
        ("bssplit=4k/60:2m/40", "smaller than the largest of bssplit"),
        ("bs=8k blockalign=4k", "blocks lie at multiples of bs=8k"),
        ("loops=0", "runs nothing"),
        ("nrfiles=0", "leaves nothing to measure"),
        ("thinktime=1ms rate_iops=5", "an open loop does not wait for its job"),
        ("thinktime=1ms thinktime_blocks=0", "never pauses"),
        ("thinktime=soon", "expected a time"),
        ("rw=write sync_file_range=write", "expected flags and writes"),
        ("rw=write sync_file_range=wait_after:1", "its flags are write"),
        ("rw=write sync_file_range=write:1 fdatasync=1", "both given"),
        ("write_barrier=1", "also flushes the device"),
        ("exec_prerun=reboot", "Syncline runs no commands"),
        ("ioscheduler=none", "changes no setting of the machine"),
        ("rw=write sync=1 ioengine=libaio direct=1 iodepth=4", "use iodepth=1"),
        ("rw=write fsync=1 fdatasync=1", "both given"),
        ("rate=fast", "expected bytes a second"),
        ("rate=1m rate_iops=5", "both given"),
        ("cpumask=3", "one CPU for one job"),
        ("readonly rw=write", "forbids rw=write"),
        ("verify=md5", "give verify= to the job that writes"),
        ("verify=md6 rw=write", "unknown verify"),
        ("verify=md5 rw=write bssplit=4k/50:8k/50", "blocks of one size"),
        ("bs=1.5k", "expected a size"),
        ("bs=4KiB", "write 4k"),
        ("bs=0", "moves nothing"),
        ("bs=2m", "size=1m is smaller than bs=2m"),
        ("rw=read:1k", "take a multiple of bs"),
        ("rw=read:-4k", "-8k goes backward block by block"),
        ("rw=read:x", "expected a size"),
        ("rw=write:12k offset=8k", "remove offset"),
        ("rw=randread:8", "write it without"),
        ("rw=read:8k bssplit=4k/50:8k/50", "blocks of one size"),
        ("rw=randtrim verify=md5", "a hole has no data to verify"),
        ("rw=trimwrite bs=4k,4k,8k", "both have one size"),
        ("rw=trimwrite ioengine=falloc", "ioengine=falloc allocates blocks"),
        ("rw=randtrim bs=512", "frees whole blocks"),
        ("rw=randtrim rate_iops=100,200", "give one rate"),
        ("rw=raedn", "unknown pattern"),
        ("rate_iops=1000 rate_process=poisson rw=rw rwmixread=70", "in that ratio"),
        ("rate=,5m rw=randrw", "limits writes to 1280 operations a second and reads not at all"),
        ("hipri", "does not poll"),
        ("madvise=1", "fadvise_hint"),
        ("time_based", "add runtime="),
        ("zonemode=strided zonesize=8k zoneskip=2m", "take a larger size"),
        ("filename=folder", "names an existing directory"),
        ("random_distribution=pareto:0.2 rw=randread", "use random, zipf"),
        ("random_distribution=zipf:nan rw=randread", "use random, zipf"),
        ("random_distribution=zoned:50/5 rw=randread", "do not sum to 100"),
        ("random_distribution=zoned:50/5:20/ rw=randread", "do not sum to 100"),
        ("random_distribution=zoned:100/100,50/10:50/90 rw=randrw", "the same zones"),
        ("random_distribution=zipf:1.0 rw=randread", "any positive exponent but 1"),
        ("zero_buffers buffer_compress_percentage=50 rw=write", "exclude each other"),
        ("rwmixread=101 rw=rw", "not a percentage"),
        ("io_size=1k", "smaller than bs"),
        ("io_size=0%", "expected 1% to 100%"),
        ("io_size=101%", "expected 1% to 100%"),
        ("offset=4z", "add zonesize="),
        ("wait_for=b", "take stonewall instead"),
        ("numjobs=0", "runs nothing"),
        ("cpus_allowed=0-3", "one CPU"),
        // A study would leave out the job that it cannot run, and measure the others.
        ("ioengine=libaio direct=1 bs=1m iodepth=64 numjobs=40", "[a] iodepth × bs and the payload need"),
    ] {
        refused(options, expected);
    }
}

#[test]
fn every_unsupported_option_is_named_at_once() {
    let message = jobs("[global]\nprofile=tiobench\n[a]\nsize=1m\nhipri=1\nfdp=1\n").unwrap_err();
    let lines: Vec<&str> = message.lines().map(|line| &line[..10]).collect();
    assert_eq!(lines, ["JOB.fio:2:", "JOB.fio:5:", "JOB.fio:6:"]);
}

/// Whatever is wrong with a section is found at once, not the first of it.
#[test]
fn every_problem_of_a_file_is_in_one_message() {
    let message = jobs(
        "[a]\nsize=1m\nbssplit=4k/50:8k/60\nioengine=psnyc\nrw=randwrite\nfsync=x\nprofile=tiobench\nx y\n",
    )
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
    let beside = jobs("[global]\nsize=1m\nstonewall\n[a]\nrw=rw\n[b]\nwait_for_previous=0\n").unwrap();
    assert_eq!(beside.len(), 1);
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
    // What has no effect here and the number of jobs do not make sections unequal.
    let unlike =
        only("[global]\nsize=1m\nrw=randread\nfilename=f\n[a]\nnuma_cpu_nodes=0\n[b]\nnumjobs=2\nthread\n");
    assert_eq!(values(&unlike, "numjobs size"), "numjobs=3 size=1MiB");
    let parts = only("[global]\nsize=1m\nrw=randread\n[a]\noffset=0\n[b]\noffset=64m\n");
    assert_eq!(values(&parts, "numjobs size"), "numjobs=2 size=2MiB");
}

/// Syncline opens no device, so it does not know the size of one.
#[test]
fn a_target_without_a_size_has_a_stated_one() {
    let device = only("[a]\nfilename=/dev/nvme0n1\nrw=randread\n");
    assert_eq!(values(&device, "size number_ios"), "size=1GiB number_ios=262144");
    assert!(device.remarks.iter().any(|remark| remark.starts_with("no size is given: the file has 1GiB")));
    let share = only("[a]\nfilename=/dev/nvme0n1\nsize=50%\noffset=50%\n");
    assert_eq!(values(&share, "size"), "size=512MiB");
    assert!(share.remarks.iter().any(|remark| remark.starts_with("size=50% is 50 % of 1GiB")), "{share:?}");
}

#[test]
fn wait_for_the_section_before_is_a_stonewall() {
    let text = "[global]\nsize=1m\n[w]\nrw=write\nnumjobs=2\n[r]\nrw=randread\nwait_for=w\n[r2]\nrw=randread\nwait_for=w\n";
    let both = jobs(text).unwrap();
    assert_eq!(both.len(), 2);
    assert_eq!(values(&both[1], "rw numjobs"), "rw=randread numjobs=2");
    let message = jobs("[global]\nsize=1m\n[a]\n[b]\nbs=8k\nstonewall\n[c]\nwait_for=a\n").unwrap_err();
    assert!(message.starts_with("JOB.fio:8: wait_for=a"), "{message}");
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
        "rw=randwrite bs=8KiB iodepth=8 numjobs=2 rate_iops=100 size=2MiB beside=randread beside_bs=4KiB \
         beside_iodepth=4 beside_numjobs=1 number_ios=0"
    );
    assert_eq!(values(&job, "beside_size beside_mode beside_ioengine"), "beside_size=1MiB");
    let shared = only(&both.replace("[global]", "[global]\nfilename=/dev/sdx"));
    assert_eq!(values(&shared, "size beside_size"), "size=1MiB");
}

/// A database's log and its reads: the log is written through the page cache and synced, the reads are direct.
#[test]
fn a_log_beside_reads() {
    let job = only(
        "[global]\ntime_based\nruntime=3\n[wal]\nrw=write\nbs=8k\nioengine=sync\nfdatasync=1\nsize=1m\n\
         [reads]\nrw=randread\nioengine=libaio\ndirect=1\niodepth=32\nsize=4m\n",
    );
    assert_eq!(
        values(
            &job,
            "rw bs ioengine mode fdatasync iodepth advice registered size beside beside_iodepth beside_size \
             beside_ioengine beside_mode beside_advice"
        ),
        "rw=write bs=8KiB ioengine=psync mode=buffered fdatasync=1 iodepth=1 advice=sequential registered=false \
         size=1MiB beside=randread beside_iodepth=32 beside_size=4MiB beside_ioengine=uring beside_mode=direct \
         beside_advice=random"
    );
}

/// fio's example `aio-read`: sections that differ in their depth, each with a file of its own.
#[test]
fn unlike_sections_are_kinds_of_jobs_that_end_together() {
    let job = only(
        "[global]\nioengine=libaio\nbuffered=0\nrw=randread\nbs=128k\nsize=512m\n[file1]\niodepth=4\n[file2]\niodepth=32\n\
         [file3]\niodepth=8\nnumjobs=2\n[file4]\niodepth=16\nrw=randwrite\nfdatasync=1\n",
    );
    assert_eq!(job.name, "file1 + file2 + file3 + 1 more");
    assert_eq!(
        values(&job, "rw iodepth size number_ios teams"),
        "rw=randread iodepth=4 size=512MiB number_ios=4096 teams=name=file1; name=file2 iodepth=32 size=512MiB; \
         name=file3 iodepth=8 numjobs=2 size=1GiB; name=file4 rw=randwrite iodepth=16 fdatasync=1 size=512MiB"
    );
    assert!(job.remarks.iter().any(|remark| remark.contains("end together")), "{:?}", job.remarks);
    let shared = only(
        "[global]\nfilename=f\nsize=1m\ntime_based\nruntime=1\nioengine=io_uring\niodepth=8\n[job2]\nrw=write\nflow=1\n\
         [job1]\nrw=randread\nnumjobs=2\nflow=8\n",
    );
    assert_eq!(
        values(&shared, "flow teams"),
        "flow=1 teams=name=job2; name=job1 rw=randread numjobs=2 advice=random random_distribution=once flow=16"
    );
}

/// fio's example `1mbs_clients`: clients that come one after another.
#[test]
fn sections_that_begin_later() {
    let clients = "[global]\nsize=1m\nrate=1250\n[a]\nstartdelay=2\n[b]\nstartdelay=6\n[c]\nstartdelay=10\n";
    let job = only(clients);
    assert_eq!(values(&job, "numjobs start_delay start_delay_step"), "numjobs=3 start_delay_step=4s");
    let unlike = only(
        "[global]\nsize=1m\n[a]\n[b]\nstartdelay=3\nbs=8k\n[c]\nstartdelay=4\nbs=8k\n[d]\nstartdelay=9\nbs=8k\n",
    );
    assert_eq!(
        values(&unlike, "teams"),
        "teams=name=a; name=b bs=8KiB numjobs=2 number_ios=128 start_delay=3s start_delay_step=1s size=2MiB; \
         name=d bs=8KiB number_ios=128 start_delay=9s size=1MiB"
    );
}

/// One after another such jobs would not meet on the disk, so Syncline never runs them so unless the user requests it.
#[test]
fn sections_that_differ_in_what_a_trial_has_once_are_refused() {
    let message = jobs("[global]\nsize=1m\n[a]\n[b]\ninvalidate=0\n").unwrap_err();
    assert_eq!(
        message,
        "JOB.fio:4: [b] would run beside [a], and cannot: their cache differs; add stonewall to [b] to run each by itself"
    );
    for (text, why) in [
        (
            "[global]\ntime_based\nruntime=1\n[a]\nrw=randread\n[b]\nrw=randwrite\nruntime=2\n",
            "their runtime differs",
        ),
        ("[a]\n[b]\nbs=8k\ntime_based\nruntime=1\n", "their runtime differs"),
        ("[global]\nruntime=1\n[a]\n[b]\nbs=8k\ntime_based\n", "the other ends by its size"),
        ("[a]\n[b]\nrw=write\nend_fsync=1\n", "end_fsync is for jobs of one kind"),
        ("[global]\nfilename=f\n[a]\n[b]\nsize=2m\n", "their sizes of one file differ"),
        ("[global]\nfilename=f\n[a]\nrw=write\nverify=md5\n[b]\nrw=write\n", "or none"),
        ("[a]\nflow=1\nflow_id=1\n[b]\nflow=1\nflow_id=2\nbs=8k\n", "their flow_id differs"),
    ] {
        let message = jobs(&format!("[global]\nsize=1m\n{text}")).unwrap_err();
        assert!(message.contains(why) && message.lines().count() == 1, "{text}: {message}");
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

/// fio's example `latency-profile`: a job for each depth that fio tries first.
#[test]
fn a_latency_target_becomes_a_job_for_each_depth() {
    let search = "rw=randread\nioengine=io_uring\niodepth=24\nlatency_target=500000\nlatency_window=5000000\n\
        latency_percentile=99.9\n";
    let jobs = jobs(&format!("[a]\nsize=1m\n{search}")).unwrap();
    let depths: Vec<String> = jobs.iter().map(|job| values(job, "iodepth runtime number_ios")).collect();
    let expected = [1, 2, 4, 8, 16, 24].map(|depth| format!("iodepth={depth} runtime=5s number_ios=0"));
    assert_eq!(depths, expected);
    assert_eq!((jobs[0].name.as_str(), jobs[5].name.as_str()), ("a depth 1", "a depth 24"));
    assert!(self::jobs(&format!("[a]\nsize=1m\n{search}[b]\nsize=1m\nrw=randwrite\n")).is_err());
}

/// A target without a size has room for the zones that are written at a time, and for two that are read.
#[test]
fn a_target_without_a_size_holds_its_zones() {
    let size = |options: &str| values(&only(&format!("[a]\nfilename=/dev/x\n{options}\n")), "size");
    assert_eq!(size("zonemode=zbd\nzonesize=256m\nmax_open_zones=32\nrw=randwrite\nnumjobs=16"), "size=8GiB");
    assert_eq!(size("zonemode=strided\nzonesize=256m\nzoneskip=2g\nrw=read"), "size=4608MiB");
    assert_eq!(size("zonemode=strided\nzonesize=1m\nzoneskip=1m\nrw=read"), "size=1GiB");
}
