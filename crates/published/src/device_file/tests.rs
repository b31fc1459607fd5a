//! Files as their tools write them, and what is found in them.

use super::*;
use synthetic::{Synthetic, name};

fn audited(text: &str) -> Report {
    read("file", text.as_bytes()).unwrap().unwrap().audit()
}

fn error(text: &str) -> String {
    read("file", text.as_bytes()).unwrap().unwrap_err().to_string()
}

#[track_caller]
fn status(report: &Report, check: &str) -> Status {
    report.audits.iter().find(|audit| audit.name == check).unwrap().status
}

/// What `iotune` writes for a good disk; quantities have suffixes, and keys that are not checked are passed over.
const SEASTAR: &str = "disks:\n  - mountpoint: /var/lib/scylla # data\n    read_iops: 95000\n    read_bandwidth: 545M\n    \
    write_iops: 85000\n    write_bandwidth: 510M\n    write_saturation_length: 64k\n    duplex: true\n";

const COST: &str = "8:16 ctrl=user model=linear rbps=2706339840 rseqiops=89698 rrandiops=80036 wbps=1063126016 \
    wseqiops=85560 wrandiops=70734\n8:16 enable=1 ctrl=user rpct=95.00 rlat=75000 wpct=95.00 wlat=150000 min=50.00 \
    max=150.00\n";

#[test]
fn a_sound_file_has_nothing_found() {
    let report = audited(SEASTAR);
    assert_eq!(report.rows.len(), 1);
    assert_eq!((report.rows[0].label.as_str(), report.rows[0].place.as_str()), ("/var/lib/scylla", "line 2"));
    assert_eq!(report.rows[0].belief, Belief::CanBeBelieved);
    assert_eq!(report.checks, Applied { applied: 3, of: 7 });
    let report = audited(COST);
    assert_eq!((report.rows.len(), report.rows[0].label.as_str()), (1, "8:16"));
    assert!(report.rows[0].reasons.is_empty(), "{:?}", report.rows[0].reasons);
    assert_eq!(report.checks, Applied { applied: 5, of: 7 });
}

/// A cloud's image shipped such a file: the scheduler would have let everything through.
#[test]
fn one_number_as_requests_and_as_bytes_is_a_cap() {
    let report = audited(
        "disks:\n- mountpoint: /data\n  read_iops: 262144\n  read_bandwidth: 262144\n  write_iops: 200\n  \
         write_bandwidth: 300M\n",
    );
    assert_eq!(status(&report, "bytes-per-request"), Status::Fail);
    assert_eq!(status(&report, "power-of-two"), Status::Warn);
    assert_eq!(report.rows[0].belief, Belief::CannotBeBelieved);
    assert!(report.rows[0].reasons[0].contains("are one number"), "{:?}", report.rows[0].reasons);
    let writes = report.rows[0].numbers.iter().find(|number| number.name == "write_iops").unwrap();
    assert_eq!(writes.belief, Belief::CanBeBelieved, "the writes' own figures agree");
}

#[test]
fn writes_above_the_reads_are_a_burst() {
    let text = SEASTAR.replace("write_iops: 85000", "write_iops: 120000");
    assert_eq!(status(&audited(&text), "writes-above-reads"), Status::Warn);
    // Two measurements of one disk differ by a few percent.
    let text = SEASTAR.replace("write_iops: 85000", "write_iops: 96000");
    assert_eq!(status(&audited(&text), "writes-above-reads"), Status::Pass);
}

#[test]
fn requests_need_their_bytes() {
    for (bandwidth, expected) in [("545M", Status::Pass), ("300M", Status::Warn), ("40M", Status::Fail)] {
        let text = SEASTAR.replace("read_bandwidth: 545M", &format!("read_bandwidth: {bandwidth}"));
        assert_eq!(status(&audited(&text), "bytes-per-request"), expected, "{bandwidth}");
    }
}

#[test]
fn a_line_of_the_kernel_is_checked_too() {
    assert_eq!(
        status(&audited(&COST.replace("rseqiops=89698", "rseqiops=50000")), "random-above-sequential"),
        Status::Warn
    );
    assert_eq!(status(&audited(&COST.replace("max=150.00", "max=20.00")), "latency-target"), Status::Fail);
    assert_eq!(status(&audited(&COST.replace("rlat=75000", "rlat=0")), "latency-target"), Status::Fail);
    let commands = "echo \"8:0 ctrl=user model=linear rbps=1000 rseqiops=5 rrandiops=5 wbps=1000 wseqiops=5 wrandiops=5\" > x\n";
    assert_eq!(status(&audited(commands), "bytes-per-request"), Status::Fail);
}

#[test]
fn capacities_of_osds() {
    let dump = "osd.0  basic  osd_mclock_max_capacity_iops_hdd  4520.113\nosd.1  basic  osd_mclock_max_capacity_iops_ssd  \
                21500.000000\nmon  advanced  auth_allow_insecure  false\n";
    let report = audited(dump);
    let labels: Vec<&str> = report.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["osd.0", "osd.1"]);
    assert_eq!(status(&report, "osd-capacity"), Status::Fail);
    assert_eq!(status(&report, "osd-default"), Status::Warn);
    assert_eq!(report.rows[1].belief, Belief::Doubtful);
    let conf = "[osd.7]\nosd mclock max capacity iops ssd = 40000 ; measured\n[global]\nfsid = x\n";
    let report = audited(conf);
    assert_eq!((report.rows[0].label.as_str(), report.rows[0].belief), ("osd.7", Belief::CanBeBelieved));
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    for (text, expected) in [
        ("disks:\n - mountpoint: /\n   read_iops: many\n", "line 3: read_iops: expected a number"),
        (
            "disks:\n - mountpoint: /\n   read_iops: 5\n",
            "line 2: lacks read_bandwidth, which Seastar requires",
        ),
        ("disks:\n - mountpoint: /\n   reed_iops: 5\n", "line 3: Seastar has no key \"reed_iops\" here"),
        ("8:0 ctrl=user model=linear rbpz=5\n", "line 1: the kernel has no key \"rbpz\" here"),
        ("8:0 ctrl=manual\n", "line 1: ctrl=manual: expected auto or user"),
        ("8:0 ctrl=user\nsda rbps=1\n", "line 2: expected a device number such as 8:16"),
        (
            "[osd]\nosd_mclock_max_capacity_iops_ssd = fast\n",
            "line 2: osd_mclock_max_capacity_iops_ssd: expected",
        ),
    ] {
        assert!(error(text).contains(expected), "{text}: {}", error(text));
    }
}

#[test]
fn other_files_are_none() {
    for text in
        ["", "iops,latency\n5,3\n", "{\"fio version\": \"fio-3.33\"}", "[global]\nfsid = x\n", "8:0 rbps=5\n"]
    {
        assert!(read("file", text.as_bytes()).is_none(), "{text}");
    }
    assert!(read("file", b"\xff\xfe").is_none());
}

fn found(study: &Synthetic, ability: Ability) -> Result<Capacity, NoCapacity> {
    let run = study.run();
    capacity(&run, &verdict::analyse(&run, &|_| None), ability)
}

#[test]
fn a_run_has_the_figures_that_it_measured() {
    let reads = Synthetic::device().vary("iodepth", vec![model::Value::Count(1), model::Value::Count(16)]);
    let fastest = found(&reads, Ability::RandomReads).unwrap();
    assert_eq!((fastest.metric, fastest.fastest_of), ("iops", 2));
    assert!(fastest.estimate.interval.is_some() && fastest.trials > 0);
    for missing in [Ability::RandomWrites, Ability::ReadBandwidth, Ability::SequentialReads] {
        assert_eq!(found(&reads, missing).unwrap_err(), NoCapacity::NotMeasured);
    }
    let buffered = Synthetic::device().vary("mode", vec![name("buffered")]);
    assert_eq!(found(&buffered, Ability::RandomReads).unwrap_err(), NoCapacity::NotMeasured);
    let few = Synthetic::device().rounds(3);
    assert!(matches!(found(&few, Ability::RandomReads), Err(NoCapacity::NoInterval(_))));
    let in_memory = Synthetic::device().edit(|record| {
        record.measurement.as_mut().unwrap().placement.in_memory = Some("tmpfs".to_owned());
    });
    assert_eq!(found(&in_memory, Ability::RandomReads).unwrap_err(), NoCapacity::InMemory);
}
