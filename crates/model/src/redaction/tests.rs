//! Sentences as records have them.

use super::*;
use crate::measured::Measured as Fact;
use crate::plan::Skipped;

fn run() -> Run {
    let plan = serde_json::json!({
        "format_version": 1, "program_version": "0.1.0", "created_at": "", "directory": "/home/alice/my disk", "seed": 7, "studies": [],
    });
    let host = serde_json::json!({
        "name": "db7.example.org", "distribution": "", "kernel": "6.1", "kernel_command_line": "root=UUID=0b9a9f6e quiet",
        "processor": "", "cpus": 1, "memory_bytes": 1, "virtualisation": "none", "governor": "performance", "clock_source": "tsc",
        "dirty_settings": ["vm.dirty_ratio=20"], "root": true,
    });
    Run {
        plan: serde_json::from_value(plan).unwrap(),
        host: serde_json::from_value(host).unwrap(),
        records: Vec::new(),
        remarks: Vec::new(),
    }
}

fn left(text: &str) -> String {
    Names::in_runs(&[&run()]).left_out_of(text)
}

#[test]
fn names_leave_a_sentence_and_nothing_else_does() {
    for (text, expected) in [
        ("/home/alice/my disk/syncline-1/data: no space left", "redacted: no space left"),
        ("cannot open /srv/pg/16/main/base.", "cannot open redacted."),
        ("cannot open '/srv/my files/x' for writing", "cannot open 'redacted' for writing"),
        ("~/data is not there", "redacted is not there"),
        (
            "rw,lowerdir=/var/lib/a:/var/lib/b,upperdir=/x/y",
            "rw,lowerdir=redacted:redacted,upperdir=redacted",
        ),
        (
            "rw,vers=4.2,addr=192.168.1.5,clientaddr=10.0.0.7,hard",
            "rw,vers=4.2,addr=redacted,clientaddr=redacted,hard",
        ),
        ("addr=fe80::1%eth0", "addr=redacted"),
        ("/dev/disk/by-id/nvme-Samsung_S4EVNX0N123456Z is gone", "redacted is gone"),
        ("/dev/mapper/vg-alice", "redacted"),
        ("/dev/shm/bench", "redacted"),
        ("the host is DB7, not db8", "the host is redacted, not db8"),
        ("db7.example.org answered", "redacted answered"),
        ("owned by alice.", "owned by redacted."),
        ("postgres://bob:secret@db:5432/app failed", "postgres:redacted failed"),
        (
            "/sys/block/vda/queue/scheduler and /dev/vda stay",
            "/sys/block/vda/queue/scheduler and /dev/vda stay",
        ),
        ("12 MiB/s, commits (/s), and/or 3 / 4", "12 MiB/s, commits (/s), and/or 3 / 4"),
        ("vm.dirty_ratio=20", "vm.dirty_ratio=20"),
        ("buffered", "buffered"),
        ("", ""),
    ] {
        assert_eq!(left(text), expected, "{text}");
    }
}

/// A machine may be called what a level is called: records that no longer parse would be worse.
#[test]
fn a_level_stays_whatever_the_host_is_called() {
    let mut run = run();
    "direct".clone_into(&mut run.host.name);
    let names = Names::in_runs(&[&run]);
    assert_eq!(names.left_out_of("direct"), "direct");
    "vm".clone_into(&mut run.host.name);
    let names = Names::in_runs(&[&run]);
    assert_eq!(names.left_out_of("vm.dirty_ratio=20 on vm"), "vm.dirty_ratio=20 on redacted");
}

#[test]
fn the_facts_that_are_names_go_whole() {
    let mut run = run();
    run.plan.server = Some(ServerIdentity::Named(NamedServer {
        version: "18.6".to_owned(),
        address: "pg.internal".to_owned(),
        database: "payroll".to_owned(),
        system_identifier: Fact::Value("7301".to_owned()),
        data_directory: Fact::Value("/srv/pg".to_owned()),
    }));
    run.plan.skipped.push(Skipped { study: "kv".to_owned(), why: "/srv/x is missing".to_owned() });
    run.remarks.push("/home/alice/run/trials.jsonl: a torn line".to_owned());
    let shown = redacted(&run).unwrap();
    let text = format!("{shown:?}");
    for name in ["db7", "0b9a9f6e", "alice", "pg.internal", "payroll", "7301", "/srv"] {
        assert!(!text.contains(name), "{name}: {text}");
    }
    assert!(matches!(&shown.plan.server, Some(ServerIdentity::Named(server)) if server.version == "18.6"));
    assert_eq!(shown.host.dirty_settings, run.host.dirty_settings);
    assert_eq!(redacted(&shown).unwrap(), shown, "what is redacted stays as it is");
}

/// A comparison of two machines read "both runs were made on redacted".
#[test]
fn what_differs_between_two_runs_still_differs_without_names() {
    let (one, mut other) = (run(), run());
    "web1".clone_into(&mut other.host.name);
    other.plan.directory = "/home/bob/disk".into();
    other.remarks.push("/home/alice/my disk on db7 and /home/bob/disk on web1".to_owned());
    let [a, b] = redacted_pair(&one, &other).unwrap();
    assert_ne!(a.host.name, b.host.name);
    assert_ne!(a.plan.directory, b.plan.directory);
    assert_eq!(a.host.kernel_command_line, b.host.kernel_command_line);
    assert_eq!(b.remarks, ["redacted on redacted and redacted on redacted"]);
    let [a, b] = redacted_pair(&one, &one).unwrap();
    assert_eq!(a, b);
}
