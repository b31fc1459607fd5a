//! The device workload's parameters through the whole program on the real disk: each does what it says.

#![allow(clippy::float_cmp, reason = "a file is cached not at all, or wholly")]

use crate::laboratory;

use laboratory::trial::DeviceTrial;
use laboratory::{Laboratory, text};

const JOBS: u64 = 2;
/// Reads and writes of both jobs.
const OPERATIONS: u64 = JOBS * 200;

/// What the arms have in common; each is one parameter looked at.
const ARMS: &str = r#"
question = "Does every parameter do what it says?"
workload = "device"
[fixed]
size = "8MiB"
numjobs = 2
number_ios = 200
runtime = "0s"
[[arm]]
name = "warm"
iodepth = 16
cache = "warm"
[[arm]]
name = "warm mmap"
rw = "read"
mode = "mmap"
cache = "warm"
[[arm]]
name = "warm direct"
mode = "direct"
iodepth = 16
cache = "warm"
[[arm]]
name = "uniform"
advice = "random"
[[arm]]
name = "zipf"
advice = "random"
random_distribution = "zipf"
zipf_theta = 1.5
[[arm]]
name = "scheduled"
mode = "direct"
iodepth = 16
rate_iops = 200
[[arm]]
name = "zeroes"
rw = "randwrite"
mode = "direct"
data = "zero"
[[arm]]
name = "compressible"
rw = "write"
data = "compressible"
buffer_compress_percentage = 80
end_fsync = true
[[arm]]
name = "ramped"
mode = "direct"
ramp_time = "200ms"
[[arm]]
name = "preconditioned"
rw = "randwrite"
mode = "direct"
iodepth = 4
precondition_passes = 2
[[arm]]
name = "advised mmap"
mode = "mmap"
advice = "sequential"
[[arm]]
name = "mixed"
rw = "randrw"
rwmixread = 80
mode = "direct"
[[arm]]
name = "timed"
rw = "randrw"
rwmixread = 80
mode = "direct"
number_ios = 0
runtime = "100ms"
[profile.quick]
rounds = 1
warmup_rounds = 0
"#;

#[test]
fn every_parameter_does_what_it_says() {
    let lab = Laboratory::new();
    let records = lab.measure(ARMS);
    let arm = |name: &str| {
        let found = records.iter().find(|record| record.values.is("arm", name)).unwrap();
        DeviceTrial::of(found).unwrap()
    };
    for trial in records.iter().filter_map(DeviceTrial::of).filter(|trial| !trial.is("arm", "timed")) {
        assert_eq!(trial.count("iops"), OPERATIONS, "{}", trial.record.values);
    }

    for name in ["warm", "warm mmap"] {
        let trial = arm(name);
        assert_eq!(trial.cached_before(), 1.0, "{name}: not proven warm");
        let share = trial.figure("page_cache_hit_share");
        assert!(share > 0.9 && share <= 1.0, "{name}: {share} served from the page cache");
    }
    assert!(arm("warm").figure("system_calls_per_operation") < 1.0);
    let direct = arm("warm direct");
    assert_eq!(direct.cached_before(), 0.0, "direct I/O goes around the cache: there is nothing to warm");
    assert!(direct.figure("page_cache_hit_share") < 0.01);

    let (uniform, zipf) = (arm("uniform").cached_after(), arm("zipf").cached_after());
    assert!(zipf > 0.0 && zipf < 0.75 * uniform, "hot blocks: {zipf} of the file read, {uniform} uniformly");

    // Arrivals are 5 ms apart on average, of a fixed seed. A disk that does not keep up ends later than the last of
    // them, by no more than the longest latency, which counts from the intended start.
    let (scheduled, asked) = (arm("scheduled"), (JOBS * 200) as f64);
    let rate = scheduled.figure("iops");
    assert!(rate < 1.5 * asked, "{rate} operations a second of {asked}");
    let latencies = scheduled.sidecar(&lab).histogram("completion_latency").unwrap().unwrap();
    let arriving_s = scheduled.phase.duration_s - latencies.max() as f64 / 1e9;
    assert!(arriving_s * 0.5 * asked < OPERATIONS as f64, "{arriving_s} s for the arrivals of a second");
    let series = &scheduled.sidecar(&lab).series["completion_latency"];
    let in_series: u64 = series.iter().sum();
    // What happened in the last interval, which is not complete, is not in it: all of it, if the disk stalled until
    // then.
    let has_stalled = latencies.max() as f64 / 1e9 > 0.3;
    assert!(in_series <= OPERATIONS && (has_stalled || in_series >= OPERATIONS / 2), "{series:?}");

    for name in ["zeroes", "preconditioned"] {
        assert_eq!(arm(name).count("write_iops"), OPERATIONS, "{name}");
    }
    assert_eq!(arm("compressible").phase.operations, OPERATIONS + JOBS, "one fsync at the end of each job");
    assert!(arm("ramped").record.wall_s > 0.2);
    assert_eq!(arm("preconditioned").cached_before(), 0.0);
    assert!(arm("advised mmap").cached_after() > 0.0);

    let timed = arm("timed");
    assert!(timed.phase.duration_s >= 0.1, "{} s", timed.phase.duration_s);
    // A number of operations: how many fit into a time depends on the disk.
    let share = arm("mixed").count("read_iops") as f64 / OPERATIONS as f64;
    assert!((share - 0.8).abs() < 0.1, "{share} of the operations were reads");
}

/// What the trial before left is what the next one finds, and the record says how much that was.
#[test]
fn a_cache_left_as_it_is_is_proven_all_the_same() {
    let lab = Laboratory::new();
    let study = r#"
question = "What did the trial before leave?"
workload = "device"
[factors]
mode = ["buffered"]
[fixed]
rw = "read"
size = "8MiB"
number_ios = 2048
runtime = "0s"
cache = "as_is"
[profile.quick]
rounds = 2
warmup_rounds = 0
"#;
    let records = lab.measure(study);
    let trials: Vec<_> = records.iter().filter_map(DeviceTrial::of).collect();
    assert_eq!(trials.len(), 4);
    for (before, after) in trials.iter().zip(&trials[1..]) {
        assert_eq!(before.cached_after(), 1.0, "the whole file was read");
        assert!(after.cached_before() > 0.9, "{}", after.cached_before());
    }
}

#[test]
fn under_a_memory_cap_the_page_cache_keeps_to_it() {
    let lab = Laboratory::new();
    let arguments = "run memory --dir disk --out run --rounds 1 --vary mode=buffered --vary memory_cap=50% \
                     --fix size=64MiB --fix runtime=0s --fix number_ios=4000";
    if let Err(why) = disk::cgroup::cap_method() {
        skip::because(why);
        return;
    }
    let output = lab.syncline(&arguments.split_whitespace().collect::<Vec<_>>()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    lab.assert_clean();
    let records = lab.records();
    for trial in records.iter().filter_map(DeviceTrial::of) {
        assert_eq!(trial.phase.counted_operations(), JOBS * 4000);
        for share in [trial.cached_before(), trial.cached_after()] {
            assert!(share > 0.0 && share <= 0.5, "{share} of the file under a cap of half of it");
        }
        let share = trial.figure("page_cache_hit_share");
        assert!(share < 0.9, "half the file does not fit, and {share} was there");
    }
}
