//! Every check with rows that pass it, rows that do not, and rows that lack what it takes.

use super::all;
use crate::mapping::Mapping;
use crate::read::csv;
use verdict::{Audit, Status};

fn audit(table: &str, name: &str) -> Audit {
    let table = csv("page.csv", table.as_bytes(), &Mapping::default()).unwrap();
    all(&table).into_iter().map(|judgement| judgement.audit).find(|audit| audit.name == name).unwrap()
}

/// Checks an audit's outcome and that its words contain what matters.
fn check(name: &str, table: &str, status: Status, words: &str) {
    let audit = audit(table, name);
    let text = format!("{}\n{}\n{}", audit.summary, audit.evidence.join("\n"), audit.advice);
    assert_eq!(audit.status, status, "{name}: {text}");
    assert!(text.contains(words), "{name} does not say {words:?}: {text}");
    assert_eq!(audit.advice.is_empty(), matches!(status, Status::Pass | Status::NotAssessable), "{name}");
}

#[test]
fn littles_law() {
    let header = "iops,latency_mean_us,iodepth,numjobs\n";
    let table = |row: &str| format!("{header}{row}\n");
    check("littles-law", &table("721000,177,16,8"), Status::Pass, "fits");
    check(
        "littles-law",
        &table("771000,177,16,8"),
        Status::Warn,
        "136 in flight, and 128 are possible (8 jobs × 16)",
    );
    check("littles-law", &table("1129000,177,16,8"), Status::Fail, "200 in flight");
    check("littles-law", &table("1129000,177,,8"), Status::NotAssessable, "No row gives");
    check("littles-law", &table("1000000,177,32,1"), Status::Fail, "(1 job × 32)");
    // Slots that stay empty are a finding only where it is known that nothing but the loop fills them.
    check("littles-law", &table("1000,10,16,8"), Status::Pass, "fits");
    let closed = "iops,latency_mean_us,in_flight,rate_iops\n1000,10,16,none\n";
    check("littles-law", closed, Status::Warn, "0.0100 in flight");
    let open = "iops,latency_mean_us,in_flight,rate_iops\n1000,1000000,16,1000\n";
    check("littles-law", open, Status::NotAssessable, "1 row of an open loop");
    // A mean lies above half of the median, whatever the distribution.
    let median = |micros: u32| format!("iops,latency_p50_us,in_flight\n1000000,{micros},32\n");
    check("littles-law", &median(60), Status::Pass, "fits");
    check("littles-law", &median(75), Status::Fail, "at least 37.5 µs");
}

#[test]
fn quantised_intervals() {
    let table = |half_widths: &[f64]| {
        let rows: Vec<String> = half_widths.iter().map(|half| format!("1000,{half},3\n")).collect();
        format!("iops,iops_ci,n\n{}", rows.concat())
    };
    let page = |k: i32| (4.303 * 2f64.powi(k) / 3f64.sqrt()).trunc();
    let quantised = [page(10), page(14), page(12), page(15), page(13), page(10)];
    check(
        "quantised-intervals",
        &table(&quantised),
        Status::Fail,
        "2.484·2^k with k = 10, 12, 13, 14, 15: t/√n is 2.484 for n = 3",
    );
    check(
        "quantised-intervals",
        &table(&[1301.0, 4107.0, 2903.0, 7702.0, 3600.0]),
        Status::Pass,
        "no ladder",
    );
    check(
        "quantised-intervals",
        &table(&[2544.0, 2544.0, 5088.0, 10176.0]),
        Status::NotAssessable,
        "Fewer than four different",
    );
    // Small whole numbers are powers of two often enough.
    check("quantised-intervals", &table(&[1.0, 2.0, 4.0, 8.0]), Status::NotAssessable, "two digits");
    check("quantised-intervals", "iops\n5\n", Status::NotAssessable, "No interval");
}

#[test]
fn duplicated_latency() {
    let header = "iops,latency_mean_us,latency_sd_us,latency_max_us,iodepth,numjobs\n";
    let table = |rows: &str| format!("{header}{rows}");
    let twice = table("1129000,177.01,171.71,3294,16,8\n721000,177.01,171.71,3294,16,8\n");
    check("duplicated-latency", &twice, Status::Fail, "line 2: shares");
    check("duplicated-latency", &twice, Status::Fail, "it may be this row's (128 in flight");
    let same_run = table("721000,177.01,171.71,3294,16,8\n721000,177.01,171.71,3294,16,8\n");
    check("duplicated-latency", &same_run, Status::Pass, "of their own");
    let own = table("1129000,113.5,171.71,3294,16,8\n721000,177.01,171.71,3294,16,8\n");
    check("duplicated-latency", &own, Status::Pass, "of their own");
    check(
        "duplicated-latency",
        "iops,latency_mean_us\n1,177\n2,177\n",
        Status::NotAssessable,
        "three figures",
    );
}

#[test]
fn impossible_order() {
    let header =
        "latency_min_us,latency_p50_us,latency_p99_us,latency_max_us,latency_mean_us,latency_sd_us\n";
    for (row, status, words) in [
        ("10,50,200,1000,60,40", Status::Pass, "stand together"),
        ("10,250,200,1000,240,40", Status::Fail, "p50 250 µs is above p99 200 µs"),
        ("60,50,200,1000,60,40", Status::Fail, "minimum 60.0 µs is above p50 50.0 µs"),
        ("10,50,2000,1000,60,40", Status::Fail, "p99 2.00 ms is above maximum 1.00 ms"),
        ("10,50,200,1000,20,40", Status::Fail, "a mean of 20.0 µs is below the"),
        ("10,50,200,1000,400,40", Status::Fail, "a mean of 400 µs is above the"),
        ("10,50,200,1000,60,400", Status::Fail, "a deviation of 400 µs is above"),
        ("10,,,,,", Status::NotAssessable, "could contradict"),
    ] {
        check("impossible-order", &format!("{header}{row}\n"), status, words);
    }
}

#[test]
fn bandwidth() {
    let table = |row: &str| format!("iops,bandwidth_mib_per_s,block_bytes\n{row}\n");
    check("bandwidth", &table("545000,2129,4KiB"), Status::Pass, "rate × block size");
    check("bandwidth", &table("545000,2232,4KiB"), Status::Warn, "MB were printed as MiB");
    check("bandwidth", &table("545000,1000,4KiB"), Status::Fail, "= 2.08 GiB/s, and");
    check("bandwidth", &table("545000,1000,"), Status::NotAssessable, "together");
}

#[test]
fn not_direct() {
    let table = |row: &str| format!("iops,direct,latency_min_ns\n{row}\n");
    check("not-direct", &table("1000,1,17000"), Status::Pass, "1 row");
    check("not-direct", &table("1000,1,630"), Status::Fail, "minimum latency is 630 ns");
    check("not-direct", &table("1000,0,630"), Status::NotAssessable, "said to be direct");
    check("not-direct", "mode,latency_p50_us\ndirect,1.2\n", Status::Fail, "p50 latency is 1.20 µs");
}

#[test]
fn buffered_writes_without_fsync() {
    let table = |row: &str| format!("iops,rw,mode,synced\n1000,{row}\n");
    let name = "buffered-writes-without-fsync";
    check(name, &table("randwrite,buffered,0"), Status::Warn, "measured into memory");
    check(name, &table("randrw,dontcache,0"), Status::Warn, "dontcache writes");
    check(name, &table("randwrite,buffered,1"), Status::Pass, "synced");
    check(name, &table("randwrite,direct,0"), Status::Pass, "direct");
    check(name, &table("randwrite,buffered,"), Status::NotAssessable, "whether it syncs");
    check(name, &table("randread,buffered,0"), Status::NotAssessable, "No row writes");
}

#[test]
fn working_set() {
    let table = |row: &str| format!("iops,rw,mode,file_bytes,memory_bytes,memory_cap_bytes\n1000,{row}\n");
    check(
        "working-set",
        &table("randread,buffered,2GiB,32GiB,"),
        Status::Warn,
        "reads of 2.00 GiB with 32.0 GiB",
    );
    check("working-set", &table("randread,buffered,2GiB,32GiB,512MiB"), Status::Pass, "larger");
    check("working-set", &table("randread,direct,2GiB,32GiB,"), Status::Pass, "directly");
    check("working-set", &table("randread,buffered,2GiB,,"), Status::NotAssessable, "memory");
    // Without sizes the fastest read tells: no device answers in half a microsecond.
    let fastest = |row: &str| format!("iops,rw,mode,latency_min_ns\n1000,{row}\n");
    check(
        "working-set",
        &fastest("randread,buffered,532"),
        Status::Warn,
        "the fastest took 532 ns, a copy from memory: at least a part",
    );
    check("working-set", &fastest("randread,buffered,55000"), Status::NotAssessable, "memory");
    check("working-set", &fastest("randread,direct,532"), Status::Pass, "directly");
    check("working-set", &table("randwrite,buffered,2GiB,32GiB,"), Status::NotAssessable, "No row reads");
}

#[test]
fn same_knobs() {
    let table = |rows: &str| format!("iops,rw,mode,numjobs,memory_cap_bytes,knob\n{rows}");
    let grid =
        table("1,read,direct,8,,\n1,read,buffered,8,,\n1,read,buffered,8,1GiB,\n1,write,direct,12,,\n");
    check("same-knobs", &grid, Status::Pass, "3 rows can be compared");
    let page = table("1,read,direct,12,,\n1,read,buffered,12,,\n1,read,buffered,8,1GiB,\n");
    check(
        "same-knobs",
        &page,
        Status::Warn,
        "memory_cap_bytes (1GiB against none) and numjobs (8 against 12)",
    );
    check("same-knobs", "iops\n1\n2\n", Status::NotAssessable, "No two rows");
}

#[test]
fn too_short() {
    let table = |row: &str| format!("iops,runtime_s,operations,latency_p99_us,latency_p99_99_us\n{row}\n");
    check("too-short", &table("1000,30,1e6,80,100"), Status::Pass, "enough for every quantile");
    check("too-short", &table("1000,6.7,1e6,80,100"), Status::Warn, "measured for 6.70 s");
    check(
        "too-short",
        &table("1000,30,,80,100"),
        Status::Warn,
        "p99.99 of 30\u{2009}000 operations: it takes 100\u{2009}000",
    );
    check("too-short", &table("1000,,,80,100"), Status::NotAssessable, "runtime");
}

#[test]
fn too_few_repeats_and_n_hidden() {
    let table = |row: &str| format!("iops,iops_ci,n\n{row}\n");
    check("too-few-repeats", &table("1000,20,6"), Status::Pass, "6 runs or more");
    check("too-few-repeats", &table("1000,20,3"), Status::Warn, "n = 3");
    check("too-few-repeats", &table("1000,20,1"), Status::Warn, "one run");
    check("too-few-repeats", &table("1000,20,"), Status::NotAssessable, "how often");
    check("n-hidden", &table("1000,20,6"), Status::Pass, "told in 1 row");
    check("n-hidden", &table("1000,,1"), Status::Pass, "told in 1 row");
    check("n-hidden", &table("1000,20,"), Status::Warn, "a ± is given, and n is not");
    check("n-hidden", &table("1000,,"), Status::Warn, "neither n nor a spread");
    check("n-hidden", &table("1000,,10"), Status::Warn, "n = 10, and no spread");
    check("n-hidden", &table(",,10"), Status::NotAssessable, "No row holds a figure");
}

#[test]
fn latency_comb() {
    let mut table = csv("page.csv", b"iops\n1000\n", &Mapping::default()).unwrap();
    let mut judge = |bins: Vec<(f64, u64)>| {
        table.rows[0].bins = bins;
        super::latency_comb::check(&table).audit
    };
    assert_eq!(judge(Vec::new()).status, Status::NotAssessable);
    let smooth = (0..400).map(|step| 1e4 * 1.01f64.powi(step)).map(|value| (value, 1000));
    assert_eq!(judge(smooth.collect()).status, Status::Pass);
    let ticks = judge((1..6).map(|tick| (f64::from(tick) * 4e6, 1000)).collect());
    assert_eq!(ticks.status, Status::Warn);
    assert!(ticks.evidence[0].contains("3 teeth 4.00 ms apart"), "{ticks:?}");
}
