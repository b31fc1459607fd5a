//! Every check with rows that pass it, rows that do not, and rows that lack what it takes.

use super::all;
use crate::audit::audit as judge;
use crate::mapping::Mapping;
use crate::read::{csv, read};
use crate::report::Belief;
use verdict::{Audit, Status};

fn audit(table: &str, name: &str) -> Audit {
    let table = csv("page.csv", table.as_bytes(), &Mapping::default()).unwrap();
    all(&table).into_iter().map(|judgement| judgement.audit).find(|audit| audit.name == name).unwrap()
}

/// Checks an audit's outcome, and that its text contains these words.
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
    // Slots that stay empty are a finding only if it is known that nothing but the loop fills them.
    check("littles-law", &table("1000,10,16,8"), Status::Pass, "fits");
    let closed = "iops,latency_mean_us,in_flight,rate_iops\n1000,10,16,none\n";
    check("littles-law", closed, Status::Warn, "0.0100 in flight");
    let open = "iops,latency_mean_us,in_flight,rate_iops\n1000,1000000,16,1000\n";
    check("littles-law", open, Status::NotAssessable, "1 row of an open loop");
    // A mean lies above half of the median, whatever the distribution.
    let median = |micros: u32| format!("iops,latency_p50_us,in_flight\n1000000,{micros},32\n");
    check("littles-law", &median(60), Status::Pass, "fits");
    check("littles-law", &median(90), Status::Fail, "at least 45.0 µs");
}

/// 3.5k operations are anything from 3450 to 3550, and page authors cut as often as they round: 3584/s × 4 KiB = 14.0 MiB/s
/// was taken for "KB printed as KiB".
#[test]
fn rounding_is_no_finding() {
    let table = |rate: &str, bandwidth: &str| {
        format!("iops,bandwidth_mib_per_s,block_bytes\n{rate},{bandwidth},4KiB\n")
    };
    for (rate, bandwidth) in [("3.5k", "14.0"), ("3500", "14.0"), ("3.58k", "14"), ("1M", "4100")] {
        check("bandwidth", &table(rate, bandwidth), Status::Pass, "rate × block size");
    }
    check("bandwidth", &table("3584", "14.34"), Status::Warn, "KB were printed as KiB");
    let law = |rate: &str, micros: &str| format!("iops,latency_mean_us,in_flight\n{rate},{micros},32\n");
    check("littles-law", &law("3.5k", "9700"), Status::Pass, "fits");
    check("littles-law", &law("3547", "9712"), Status::Warn, "34.4 in flight");
    let order = |row: &str| format!("latency_min_us,latency_p50_us,latency_mean_us\n{row}\n");
    check("impossible-order", &order("11,10,20"), Status::Pass, "are consistent");
    check("impossible-order", &order("11.2,10.1,20"), Status::Fail, "minimum 11.2 µs is above p50 10.1 µs");
    let direct = |micros: &str| format!("mode,latency_min_us\ndirect,{micros}\n");
    check("not-direct", &direct("1"), Status::Pass, "1 row");
    check("not-direct", &direct("0.9"), Status::Fail, "minimum latency is 900 ns");
    let alike = "iops,latency_mean_ms,latency_min_ms,latency_max_ms\n1000,1,0,5\n2000,1,0,5\n";
    check("duplicated-latency", alike, Status::NotAssessable, "three figures");
}

/// Checks that only ask how much is stated passed, and of a page with 11 of 13 checks not applicable "6 of 6 rows can be
/// believed" was reported.
#[test]
fn what_no_check_of_figures_looked_at_is_not_checked() {
    let report = |text: &str| judge(&csv("page.csv", text.as_bytes(), &Mapping::default()).unwrap());
    let told = report("label,cost,cost_ci,n\na,1.652,0.241,30\nb,1.182,0.093,30\n");
    assert!(told.rows.iter().all(|row| row.belief == Belief::Unchecked), "{told:?}");
    assert_eq!((told.checks.applied, told.checks.of), (3, super::CHECKS.len()));
    assert_eq!(told.rows[0].checks, told.checks);
    assert!(told.audits.iter().all(|audit| !matches!(audit.status, Status::Warn | Status::Fail)));
    // Reported for the checked figure, and not for the other one.
    let law =
        report("iops,bandwidth_mib_per_s,latency_mean_us,in_flight,other,other_ci\n721000,,177,128,5,1\n");
    let belief = |name: &str| law.rows[0].numbers.iter().find(|found| found.name == name).unwrap().belief;
    assert_eq!((belief("iops"), belief("other")), (Belief::CanBeBelieved, Belief::Unchecked));
    assert_eq!(law.rows[0].belief, Belief::PartlyChecked, "a check ran and passed");
}

/// Whether n is stated does not change the figure.
#[test]
fn a_hidden_n_makes_no_row_doubtful() {
    let text = b"iops,latency_mean_us,in_flight\n721000,177,128\n";
    let report = judge(&csv("page.csv", text, &Mapping::default()).unwrap());
    assert_eq!(report.audits.iter().find(|audit| audit.name == "n-hidden").unwrap().status, Status::Warn);
    assert_eq!(report.rows[0].belief, Belief::CanBeBelieved, "{report:?}");
    assert!(report.rows[0].reasons.iter().any(|reason| reason.starts_with("n-hidden")));
}

#[test]
fn every_role_that_a_check_needs_is_a_role() {
    for (name, needs) in super::check_help() {
        let words = needs.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let roles = words.filter(|word| word.contains('_') && !word.ends_with("_COLUMN")).collect::<Vec<_>>();
        assert!(name == "latency-comb" || !needs.is_empty());
        for role in roles {
            assert!(crate::role::Role::parse(role).is_ok(), "{name}: {role}");
        }
    }
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
        "not as powers of two",
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
    check("duplicated-latency", &same_run, Status::Pass, "their own");
    let own = table("1129000,113.5,171.71,3294,16,8\n721000,177.01,171.71,3294,16,8\n");
    check("duplicated-latency", &own, Status::Pass, "their own");
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
        ("10,50,200,1000,60,40", Status::Pass, "are consistent"),
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
    check("not-direct", &table("1000,0,630"), Status::NotAssessable, "that it is direct");
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
    // Without sizes the fastest read decides: no device answers in half a microsecond.
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
    check("too-short", &table("1000,30,1e6,80,100"), Status::Pass, "for every quantile");
    check("too-short", &table("1000,6.7,1e6,80,100"), Status::Warn, "measured for 6.70 s");
    check(
        "too-short",
        &table("1000,30,,80,100"),
        Status::Warn,
        "p99.99 of 30\u{2009}000 operations: it needs 100\u{2009}000",
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
    check("n-hidden", &table("1000,20,6"), Status::Pass, "given in 1 row");
    check("n-hidden", &table("1000,,1"), Status::Pass, "given in 1 row");
    check("n-hidden", &table("1000,20,"), Status::Warn, "a ± is given, but not n");
    check("n-hidden", &table("1000,,"), Status::Warn, "neither n nor a spread");
    check("n-hidden", &table("1000,,10"), Status::Warn, "n = 10, but no spread");
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

#[test]
fn a_sync_alone_does_not_compare_between_modes() {
    let header = "mode,sync_latency_p50_us,commit_latency_p50_us\n";
    let page = format!("{header}buffered,5996,8001\ndirect,1942,1967\n");
    check(
        "timers-differ",
        &page,
        Status::Warn,
        "3.09 × that of direct (line 3), write and sync together 4.07 ×",
    );
    let clean = format!("{header}buffered,2110,2215\ndirect,1942,2040\n");
    check("timers-differ", &clean, Status::Pass, "agree between");
    let alone = "mode,sync_latency_mean_us\nbuffered,5996\ndirect,1942\n";
    check("timers-differ", alone, Status::Warn, "no latency of write and sync together");
    // One mode's syncs compare with each other.
    check(
        "timers-differ",
        "mode,rw,sync_latency_mean_us\ndirect,write,5\ndirect,write,9\n",
        Status::NotAssessable,
        "No two rows",
    );
    let elsewhere = "mode,numjobs,sync_latency_mean_us\nbuffered,1,5996\ndirect,8,1942\n";
    check("timers-differ", elsewhere, Status::NotAssessable, "No two rows");
}

#[test]
fn a_ratio_that_never_bound() {
    let table = |row: &str| format!("reads_per_commit,iops,commits_per_s\n{row}\n");
    check("ratio-never-bound", &table("8,314818,474"), Status::Fail, "÷ 474/s are 664");
    check("ratio-never-bound", &table("8,3794,474"), Status::Pass, "equal the setting");
    check("ratio-never-bound", &table("8,4741,474"), Status::Warn, "are 10.0");
    check("ratio-never-bound", &table("8,5k,474"), Status::Pass, "equal the setting");
    check("ratio-never-bound", &table("8,3794,"), Status::NotAssessable, "rates of both");
}

#[test]
fn two_modes_flipped_together() {
    let header = "mode,log_mode,iops,commits_per_s\n";
    let one = "mode,iops,commits_per_s\nbuffered,1132970,123\ndirect,304969,494\n";
    check(
        "modes-flipped-together",
        one,
        Status::Warn,
        "reads of the data are buffered and the log's writes buffered",
    );
    let both = format!("{header}buffered,buffered,9000,123\ndirect,direct,3000,494\n");
    check("modes-flipped-together", &both, Status::Warn, "2 of 2 rows");
    let apart = format!("{header}buffered,direct,9000,123\ndirect,direct,3000,494\n");
    check("modes-flipped-together", &apart, Status::Pass, "without the log's");
    let same = format!("{header}direct,direct,9000,123\ndirect,direct,3000,494\n");
    check("modes-flipped-together", &same, Status::NotAssessable, "differ in their I/O modes");
    check(
        "modes-flipped-together",
        "mode,iops\nbuffered,5\ndirect,6\n",
        Status::NotAssessable,
        "No two rows",
    );
}

#[test]
fn a_means_interval_without_the_median() {
    let table = |row: &str| format!("ratio_mean,ratio_ci,ratio_median\n{row}\n");
    let name = "interval-excludes-median";
    check(
        name,
        &table("1.152,0.022,1.186"),
        Status::Warn,
        "ratio_mean is 1.15 ± 0.0220, but its median is 1.19",
    );
    check(name, &table("1.152,0.022,1.163"), Status::Pass, "contains the median");
    // As far as three digits show.
    check(name, &table("1.15,0.02,1.19"), Status::Pass, "contains the median");
    check(name, &table("1.152,,1.186"), Status::NotAssessable, "half width");
}

#[test]
fn memory_given_as_a_device() {
    let table = |row: &str| format!("said_of,block_bytes,latency_mean_us\n{row}\n");
    check(
        "memory-as-device",
        &table("disk,8KiB,1.21"),
        Status::Fail,
        "is 1.21 µs: a device needs 2.00 µs or more",
    );
    check("memory-as-device", &table("ssd,8KiB,81"), Status::Pass, "long enough for");
    check("memory-as-device", &table("memory,8KiB,1.21"), Status::NotAssessable, "to a device");
    check("memory-as-device", &table(",8KiB,1.21"), Status::NotAssessable, "to a device");
}

#[test]
fn unlike_durability_in_one_table() {
    let table = |rows: &str| format!("rw,iops,durability,sync\n{rows}");
    let page = table("write,305078,process,never\nwrite,19455,,o_sync\nwrite,1471724,none,never\n");
    check("unlike-durability", &page, Status::Warn, "2 of 3 rows have another class");
    check("unlike-durability", &page, Status::Warn, "(line 3): an acknowledged write survives a power loss");
    let clean = table("write,305078,process,never\nwrite,295813,,never\nwrite,290000,,later\n");
    check("unlike-durability", &clean, Status::Pass, "One durability class in 3 rows");
    let reads = table("read,305078,process,\nread,19455,power,\n");
    check("unlike-durability", &reads, Status::NotAssessable, "No two rows");
    // `appendfsync no` was read as an fsync after each write, and passed beside `always`.
    for (off, on) in [("appendfsync no", "appendfsync always"), ("fsync: off", "fsync")] {
        let page = format!("| name | ops/s |\n|---|---|\n| {off} | 305078 |\n| {on} | 19455 |\n");
        let report = judge(&read("page", page.as_bytes(), &Mapping::default()).unwrap());
        let unlike = report.audits.iter().find(|audit| audit.name == "unlike-durability").unwrap();
        assert_eq!(unlike.status, Status::Warn, "{unlike:?}");
    }
    let apart = table("write,305078,process,\nrandwrite,19455,power,\n");
    check("unlike-durability", &apart, Status::NotAssessable, "No two rows");
}

#[test]
fn a_sync_that_flushes_nothing() {
    let table = |row: &str| format!("iops,system,sync\n19455,{row}\n");
    check("sync-without-flush", &table("macos,o_sync"), Status::Warn, "o_sync on macOS does not empty");
    check("sync-without-flush", &table("macos,full_fsync"), Status::Pass, "flush the drive's cache");
    check("sync-without-flush", &table("linux,o_sync"), Status::Pass, "flush the drive's cache");
    check("sync-without-flush", &table("macos,never"), Status::NotAssessable, "how it syncs");
    check("sync-without-flush", &table(",o_sync"), Status::NotAssessable, "operating system");
}

#[test]
fn caches_dropped_once_for_three_passes() {
    let table = |row: &str| format!("rw,mode,passes,cache_drops,file_bytes,memory_bytes,iops\n{row},5\n");
    let name = "caches-dropped-once";
    check(name, &table("read,buffered,3,1,,"), Status::Warn, "3 passes, and the cache was dropped once");
    check(name, &table("read,buffered,3,3,,"), Status::Pass, "cold cache");
    check(name, &table("read,buffered,1,1,,"), Status::Pass, "cold cache");
    check(name, &table("read,direct,3,1,,"), Status::Pass, "cannot use a warm one");
    check(name, &table("read,buffered,3,1,64GiB,8GiB"), Status::Pass, "cannot use a warm one");
    check(name, &table("write,buffered,3,1,,"), Status::NotAssessable, "No row reads");
    check(name, &table("read,buffered,3,,,"), Status::NotAssessable, "how often the cache");
}

#[test]
fn syncs_faster_than_a_device_can() {
    let name = "sync-too-fast";
    check(
        name,
        "sync_latency_p50_us\n2.1\n",
        Status::Fail,
        "a sync takes 2.10 µs (p50): a drive needs 5.00 µs",
    );
    check(name, "sync_latency_p50_us\n18\n", Status::Pass, "long enough for");
    let table = |row: &str| format!("rw,sync,iops,in_flight,latency_mean_us\nwrite,{row}\n");
    check(name, &table("o_dsync,,,3.3"), Status::Fail, "a write by o_dsync takes 3.30 µs");
    check(name, &table("fdatasync,430522,1,"), Status::Fail, "leaves 2.32 µs for one");
    // A group commit syncs for all that wait.
    check(name, &table("fdatasync,430522,64,"), Status::Pass, "long enough for");
    check(name, &table("fdatasync,19455,1,"), Status::Pass, "long enough for");
    check(name, &table("later,430522,1,2.1"), Status::NotAssessable, "syncs each write");
}

#[test]
fn a_depth_that_its_engine_ignores() {
    let table = |rows: &str| format!("iops,ioengine,iodepth\n{rows}");
    check("depth-ignored", &table("1,psync,32\n"), Status::Warn, "the stated depth is 32");
    check("depth-ignored", &table("1,psync,1\n1,psync,32\n"), Status::Fail, "1 of 2 rows");
    check("depth-ignored", &table("1,psync,1\n1,io_uring,32\n"), Status::Pass, "the stated depth in 2 rows");
    check("depth-ignored", &table("1,,32\n"), Status::NotAssessable, "engine");
    // 32 were never in flight, and Little's law does not pretend so.
    let law = "iops,latency_mean_us,ioengine,iodepth,numjobs\n100000,310,psync,32,1\n";
    check("littles-law", law, Status::Fail, "31.0 in flight, and 1 are possible.");
}

#[test]
fn a_rate_derived_from_the_bandwidth() {
    let table = |rows: &str| format!("iops,bandwidth_mib_per_s,block_bytes\n{rows}");
    let derived = table("812801,3175.0,4KiB\n545537,2131.0,4KiB\n");
    check("derived-rate", &derived, Status::Pass, "separate measurements");
    let derived = table("813312,3177,4KiB\n545536,2131,4KiB\n");
    check("derived-rate", &derived, Status::Warn, "to the last digit of the rate");
    check(
        "derived-rate",
        &table("812871,3175,4KiB\n545431,2131,4KiB\n"),
        Status::Pass,
        "separate measurements",
    );
    let reversed = table("813k,3175.781,4KiB\n545k,2128.906,4KiB\n");
    check("derived-rate", &reversed, Status::Warn, "to the last digit of the bandwidth");
    check("derived-rate", &table("545000,2131,4KiB\n"), Status::NotAssessable, "much finer");
}
