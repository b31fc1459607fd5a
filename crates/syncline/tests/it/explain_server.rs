//! Where the time of a commit of PostgreSQL went: from the client, through the server, to the device and back.

#![cfg(feature = "postgresql")]

use crate::explain::{is_possible, lines, phases, succeeds};
use crate::laboratory::servers::reachable;
use crate::laboratory::{Laboratory, WITHOUT_WAITING};
use crate::transactions::study;
use model::traced::Stage;
use std::fs;

#[test]
fn a_clients_wait_is_laid_to_what_its_server_did() {
    if !is_possible() {
        return;
    }
    let (lab, disk) = (Laboratory::new(), reachable());
    let settings = "settings = [\"none\", \"wal_sync_method = open_datasync\"]";
    fs::write(
        lab.path().join("study.toml"),
        study(settings, "script = \"insert\"\nclients = 1\npinned = true"),
    )
    .unwrap();
    let mut command = lab.syncline(&["run", "study.toml", "--out", "run", "--explain", "--dir"]);
    command.arg(disk.path()).args(WITHOUT_WAITING);
    succeeds(command);
    let traced = lines(&lab);
    assert_eq!(traced.len(), 6, "three of each of two configurations");
    for trial in &traced {
        let families = phases(trial).iter().flat_map(|phase| &phase.families);
        let commits = families.filter(|family| family.family == "transaction_latency");
        for commits in commits.inspect(|of| assert!(of.all.operations > 0, "{of:?}")) {
            let all = &commits.all;
            let spent = |is_meant: fn(Stage) -> bool| -> u64 {
                let meant = all.segments.iter().filter(|time| is_meant(time.segment.stage));
                meant.map(|time| time.duration_ns).sum()
            };
            assert_eq!(spent(|_| true), all.duration_ns);
            assert!(spent(|stage| stage == Stage::OtherProgram) > 0, "the server ran: {all:?}");
            assert!(spent(|stage| stage == Stage::FileSystem) > 0, "it wrote and synced: {all:?}");
            assert!(spent(Stage::is_device) > 0, "the device worked: {all:?}");
        }
    }
    lab.assert_clean();
}
