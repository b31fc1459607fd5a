//! Files for schedulers as their tools write them.

use crate::{Applied, Belief, Mapping, Report, audit, read};
use laws::Status;

fn audited(text: &str) -> Report {
    audit(&read("file", text.as_bytes(), &Mapping::default()).unwrap())
}

fn error(text: &str) -> String {
    read("file", text.as_bytes(), &Mapping::default()).unwrap_err().to_string()
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
    insta::assert_snapshot!(report.rows[0].reasons[0], @"bytes-per-request: read_iops = 262144 and read_bandwidth = 262144 are one number, in requests and in bytes: a cap, not a disk");
    let writes = report.rows[0].numbers.iter().find(|number| number.name == "write_iops").unwrap();
    assert_eq!(writes.belief, Belief::CanBeBelieved, "the writes' own figures agree");
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

/// The kernel's own `iocost_coef_gen.py` prints a model without `ctrl=`, and people write sentences above it.
#[test]
fn a_model_below_a_sentence() {
    const MODEL: &str =
        "rbps=173471131 rseqiops=3566 rrandiops=3566 wbps=173333269 wseqiops=3566 wrandiops=3559\n";
    for text in [
        format!("8:16 {MODEL}"),
        format!("We measured this at\n10:30 on a disk, with a tool:\n\n8:16 {MODEL}"),
        format!("Text, with a comma\n\n8:16 ctrl=user model=linear {MODEL}"),
    ] {
        let report = audited(&text);
        assert_eq!((report.rows.len(), report.rows[0].label.as_str()), (1, "8:16"), "{text}");
        assert_eq!(report.rows[0].numbers.len(), 6, "{text}");
    }
}

#[test]
fn capacities_of_osds() {
    let dump = "osd.0  basic  osd_mclock_max_capacity_iops_hdd  4520.113\nosd.1  basic  osd_mclock_max_capacity_iops_ssd  \
                21500.000000\nmon  advanced  auth_allow_insecure  false\n";
    let report = audited(dump);
    let labels: Vec<&str> = report.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["osd.0", "osd.1"]);
    assert_eq!(status(&report, "osd-capacity"), Status::Fail);
    assert_eq!(status(&report, "default-figures"), Status::Warn);
    assert_eq!(report.rows[1].belief, Belief::Doubtful);
    let conf = "[osd.7]\nosd mclock max capacity iops ssd = 40000 ; measured\n[global]\nfsid = x\n";
    let report = audited(conf);
    assert_eq!((report.rows[0].label.as_str(), report.rows[0].belief), ("osd.7", Belief::CanBeBelieved));
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    let said = [
        "disks:\n - mountpoint: /\n   read_iops: many\n",
        "disks:\n - mountpoint: /\n   read_iops: 5\n",
        "disks:\n - mountpoint: /\n   reed_iops: 5\n",
        "8:0 ctrl=user model=linear rbpz=5\n",
        "8:0 ctrl=manual\n",
        "8:0 ctrl=user\nsda rbps=1\n",
        "[osd]\nosd_mclock_max_capacity_iops_ssd = fast\n",
    ]
    .map(error);
    insta::assert_snapshot!(said.join("\n"), @r#"
    file line 3: read_iops: expected a number such as 95000 or 545M
    file line 2: lacks read_bandwidth, which Seastar requires
    file line 3: Seastar has no key "reed_iops" here
    file line 1: the kernel has no key "rbpz" here
    file line 1: ctrl=manual: expected auto or user
    file line 2: expected a device number such as 8:16, then key=value
    file line 2: osd_mclock_max_capacity_iops_ssd: expected operations a second, such as 21500
    "#);
}

#[test]
fn other_files_have_no_disks() {
    for text in
        ["", "iops,latency\n5,3\n", "{\"fio version\": \"fio-3.33\"}", "[global]\nfsid = x\n", "8:0 rbps=5\n"]
    {
        let read = read("file", text.as_bytes(), &Mapping::default());
        assert!(read.is_err() || read.unwrap().disks.is_empty(), "{text}");
    }
}

/// The commands of two OSDs were one disk named "ceph", and of two capacities only the first was judged.
#[test]
fn each_osd_is_a_disk_of_its_own() {
    let name = "osd_mclock_max_capacity_iops_ssd";
    let commands = format!("$ ceph config set osd.0 {name} 30000\n$ ceph config set osd.1 {name} 21500\n");
    let masks = format!("osd  host:a  basic  {name}  30000\nosd  host:b  basic  {name}  21500\n");
    let twice = format!("[osd.0]\n{name} = 30000\n[osd.1]\n{name} = 40000\n[osd.0]\n{name} = 21500\n");
    for (text, labels, doubtful) in [
        (commands, vec!["osd.0", "osd.1"], 1),
        (masks, vec!["osd host:a", "osd host:b"], 1),
        (twice, vec!["osd.0", "osd.1", "osd.0"], 2),
    ] {
        let report = audited(&text);
        assert_eq!(report.rows.iter().map(|row| row.label.as_str()).collect::<Vec<_>>(), labels, "{text}");
        for (index, row) in report.rows.iter().enumerate() {
            let expected = if index == doubtful { Belief::Doubtful } else { Belief::CanBeBelieved };
            assert_eq!(row.belief, expected, "{text}, row {index}");
        }
    }
}

/// The kernel's own presets for an SSD have more writes than reads, and were called a burst.
#[test]
fn presets_of_the_kernel_are_not_measured() {
    let preset = "8:0 ctrl=auto model=linear rbps=488636629 rseqiops=8932 rrandiops=8518 wbps=427891549 wseqiops=28755 \
                  wrandiops=21940\n";
    let report = audited(preset);
    assert_eq!(status(&report, "default-figures"), Status::Warn);
    for check in ["bytes-per-request", "power-of-two", "writes-above-reads", "random-above-sequential"] {
        assert_eq!(status(&report, check), Status::NotApplicable, "{check}");
    }
    let chosen = audited(&preset.replace("ctrl=auto", "ctrl=user"));
    assert_eq!(status(&chosen, "writes-above-reads"), Status::Warn);
}

/// A page with a table and a fence of io_properties.yaml was audited as that fence alone, and one that quotes fio's
/// JSON as that JSON alone.
#[test]
fn files_in_a_page_are_judged_beside_its_tables() {
    let json = include_str!("../../../../fio/tests/fixtures/fio-3.33.json");
    let page = format!(
        "# Disks\n\n| test | IOPS |\n|---|---|\n| a | 5000 |\n\n```yaml\n{SEASTAR}```\n\n```json\n{json}\n```\n"
    );
    let report = audited(&page);
    let place = |label: &str| report.rows.iter().find(|row| row.label == label).unwrap().place.clone();
    assert_eq!((place("a"), place("/var/lib/scylla")), ("line 5".to_owned(), "line 9".to_owned()));
    assert!(report.rows.iter().any(|row| row.place.starts_with("line 19, job 1")), "{}", report.rows.len());
    assert!(report.audits.iter().any(|audit| audit.name == "littles-law"));
    assert_eq!(status(&report, "writes-above-reads"), Status::Pass);
    let spoilt = audited(&page.replace("read_iops: 95000", "read_iops: many"));
    assert!(spoilt.rows.iter().any(|row| row.label == "a"));
    insta::assert_snapshot!(spoilt.remarks.join("\n"), @"
    What line 8 begins is left out: read_iops: expected a number such as 95000 or 545M.
    fio's JSON of line 19: 3 rows.
    job 1: fio counts 6136 short operations, which moved fewer bytes than requested.
    ");
}

/// Tens of thousands of disks took minutes: each was looked for among the readings of all.
#[test]
fn many_disks_are_judged_in_seconds() {
    let line = |index: usize| format!("8:{index} ctrl=user rbps=900000000 rrandiops=80000 rseqiops=90000\n");
    assert_eq!(audited(&(0..20_000).map(line).collect::<String>()).rows.len(), 20_000);
    let mountpoints = format!("disks:\n- mountpoints:\n{}", "  - /a\n".repeat(500_000));
    insta::assert_snapshot!(error(&mountpoints), @"file line 2: lacks read_iops, which Seastar requires");
}
