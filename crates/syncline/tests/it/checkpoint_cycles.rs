//! Whole cycles of checkpoints on real PostgreSQL servers.

#![cfg(feature = "postgresql")]

use crate::laboratory::is_line;
use crate::laboratory::servers::{assert_empty, reachable};
use crate::transactions::{figure, of, phase, records, study};
use model::mechanism::Measured;
use model::trial::TrialRecord;

/// So small that a cycle takes a few hundred transactions.
const FIXED: &str = "script = \"simple_update\"\ncheckpoints = \"cycle\"\nclients = 2";

/// Bytes that the server logged while its trial was measured.
fn logged(record: &TrialRecord) -> f64 {
    figure(record, "wal_bytes_per_transaction") * phase(record).counted_operations() as f64
}

#[test]
fn servers_that_take_turns_write_their_own_checkpoints_in_turns_of_their_own() {
    let disk = reachable();
    // A checkpoint begins after one segment of 1 MiB and after three.
    let levels = [("max_wal_size = 256MB", "4MB", 1.0), ("max_wal_size = 512MB", "8MB", 3.0)];
    let factor = format!("settings = [{:?}, {:?}]", levels[0].0, levels[1].0);
    let records = records(disk.path(), &study(&factor, FIXED));
    for (level, shown, segments) in levels {
        let record = of(&records, "settings", level);
        let turns = phase(record).turns.as_ref().expect("servers take turns");
        // How much of both is for the audit: a busy machine writes late.
        let is_known = |bytes: &Option<Measured<u64>>| bytes.as_ref().unwrap().value().is_some();
        assert!(is_known(&turns.left_bytes_max) && is_known(&turns.idle_bytes), "{turns:?}");
        let measurement = record.measurement.as_ref().unwrap();
        assert_eq!(measurement.server.as_ref().unwrap().settings["max_wal_size"], shown, "made small");
        assert!(
            measurement.notes.iter().any(|note| is_line(
                note,
                "max_wal_size and min_wal_size are divided by 64, so that cycles of checkpoints are short"
            )),
            "{:?}",
            measurement.notes
        );
        // A server logs in its own turns only, and each checkpoint waits for that much of the log.
        let checkpoints = figure(record, "checkpoints");
        assert!(checkpoints >= 1.0, "{level}: a whole cycle");
        let cycle = segments * f64::from(1 << 20);
        assert!(
            logged(record) >= (checkpoints - 1.0) * cycle,
            "{level}: {checkpoints} for {} bytes",
            logged(record)
        );
        assert!(figure(record, "full_page_images_per_transaction") > 0.0, "{level}");
    }
    assert_empty(disk.path());
}

/// What a server leaves in the page cache is written out between turns, so who writes it out can be asked only of
/// trials alone.
#[test]
fn a_trial_alone_ends_with_a_cycle_too() {
    let disk = reachable();
    let fixed = format!("{FIXED}\ncycle_scale = 256");
    let records =
        records(disk.path(), &study("settings = [\"none\", \"checkpoint_flush_after = 0\"]", &fixed));
    for record in &records {
        let phase = phase(record);
        assert!(phase.turns.is_none() && phase.duration_s >= 0.2, "{phase:?}");
        assert!(figure(record, "checkpoints") >= 1.0, "{:?}", record.values);
        assert!(figure(record, "full_page_images_per_transaction") > 0.0, "{:?}", record.values);
    }
    assert_empty(disk.path());
}
