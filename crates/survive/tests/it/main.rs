//! Real databases on a disk that forgets.

mod planted;

use disk::filesystem::FileSystemKind;
use server::{Programs, Promise, Server};
use std::path::Path;
use survive::{Base, Crash, End, Limits, Standing, Subject, SubjectReport};

/// A folder that every user reaches.
fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("made");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(place.path(), open).expect("ours");
    place
}

/// The programs of a server, or the reason why the test is skipped.
fn programs(server: &dyn Server, place: &Path) -> Option<Programs> {
    match server.reachable(server::unpacked().as_deref(), place) {
        Ok(programs) => Some(programs),
        Err(why) if why.is_absence() => {
            skip::because(why);
            None
        }
        Err(why) => panic!("{why}"),
    }
}

/// Crashes a promise a few times; `None` if this machine cannot.
fn crashed(server: &dyn Server, promise: &Promise, crashes: u64) -> Option<SubjectReport> {
    crashed_after(false, server, promise, crashes)
}

/// The same, whether the table is created before the rows of each crash or is there.
fn crashed_after(
    creates: bool,
    server: &dyn Server,
    promise: &Promise,
    crashes: u64,
) -> Option<SubjectReport> {
    let place = place();
    let programs = programs(server, place.path())?;
    let subject = Subject {
        server,
        programs: &programs,
        promise,
        folder: place.path(),
        file_system: FileSystemKind::Ext4,
        creates,
        limits: Limits::default(),
    };
    let base: Base = match subject.base() {
        Ok(base) => base,
        Err(why) if why.is_absence() => {
            skip::because(why);
            return None;
        }
        Err(why) => panic!("{why}"),
    };
    let crash = |(end, seed): (End, u64)| -> Crash {
        subject.crash(&base, end, seed).unwrap_or_else(|why| panic!("seed {seed}: {why}"))
    };
    // The seeds 0 and 1 keep only what was flushed.
    let ends = [End::PowerLoss, End::Kill];
    let crashes = (0..crashes).flat_map(|seed| ends.map(|end| (end, seed))).map(crash).collect();
    let report = SubjectReport::new(server.name(), server.title(), promise, crashes);
    let first = report.crashes.iter().filter(|crash| crash.end == End::PowerLoss).take(2);
    assert!(
        first.into_iter().all(|crash| crash.kept.as_deref() == Some("only what was flushed")),
        "{report:#?}"
    );
    assert!(report.crashes.iter().all(|crash| crash.acknowledged_commits > 0), "{report:#?}");
    Some(report)
}

fn named(name: &str) -> &'static dyn Server {
    server::named(name).expect("listed")
}

#[test]
fn valkey_keeps_what_it_flushes_and_loses_what_it_never_does() {
    let server = named("valkey");
    let promises = server.promises();
    let Some(kept) = crashed(server, &promises[0], 3) else { return };
    assert_eq!(kept.standing(), Standing::NotBroken, "{kept:#?}");
    assert_eq!((kept.kill.kept, kept.power_loss.kept), (3, 3));
    assert!(kept.power_loss.acknowledged_commits > 0, "{kept:#?}");

    // Without a log, and without a snapshot within the second: everything is lost.
    let nothing = promises.iter().find(|promise| promise.name() == "appendonly = no").expect("listed");
    let Some(lost) = crashed(server, nothing, 2) else { return };
    assert_eq!(lost.standing(), Standing::NothingPromised);
    for tally in [&lost.kill, &lost.power_loss] {
        assert!(tally.lost_commits == tally.acknowledged_commits && tally.lost_commits > 0, "{lost:#?}");
    }
}

#[test]
fn postgresql_keeps_its_commits_through_power_failures_in_recovery() {
    let server = named("postgresql");
    let Some(kept) = crashed(server, &server.promises()[0], 3) else { return };
    assert_eq!(kept.standing(), Standing::NotBroken, "{kept:#?}");
    let again: u32 = kept.crashes.iter().map(|crash| crash.crashes_in_recovery).sum();
    assert!(again > 0 && kept.power_loss.acknowledged_commits > 0, "{kept:#?}");
}

#[test]
fn etcd_keeps_what_it_acknowledges() {
    let server = named("etcd");
    let Some(kept) = crashed(server, &server.promises()[0], 2) else { return };
    assert_eq!(kept.standing(), Standing::NotBroken, "{kept:#?}");
}

#[test]
fn nats_keeps_messages_that_it_syncs_and_loses_by_default_what_it_acknowledged() {
    let server = named("nats");
    let promises = server.promises();
    let Some(kept) = crashed(server, &promises[0], 2) else { return };
    assert_eq!(kept.standing(), Standing::NotBroken, "{kept:#?}");
    let default = promises.iter().find(|promise| promise.is_default).expect("it has a default");
    let Some(lost) = crashed(server, default, 2) else { return };
    assert_eq!((lost.kill.kept, lost.power_loss.kept), (2, 0), "{lost:#?}");
    assert_eq!(lost.power_loss.table_is_gone, 0, "the stream was on the disk: {lost:#?}");
}

#[test]
fn clickhouse_keeps_inserts_that_it_syncs_and_loses_by_default_what_it_acknowledged() {
    let server = named("clickhouse");
    let promises = server.promises();
    let Some(kept) = crashed(server, &promises[0], 2) else { return };
    assert_eq!(kept.standing(), Standing::NotBroken, "{kept:#?}");
    let default = promises.iter().find(|promise| promise.is_default).expect("it has a default");
    let Some(lost) = crashed(server, default, 2) else { return };
    assert_eq!((lost.kill.kept, lost.power_loss.kept), (2, 0), "{lost:#?}");
}

/// ClickHouse #111577: no setting syncs the log by which an insert is known again.
#[test]
fn clickhouse_takes_a_repeated_insert_twice_after_a_power_loss() {
    let server = named("clickhouse");
    let deduplicating = server.promises().into_iter().find(|promise| promise.deduplicates).expect("listed");
    let Some(doubled) = crashed(server, &deduplicating, 2) else { return };
    assert_eq!(doubled.standing(), Standing::Broken, "{doubled:#?}");
    assert_eq!((doubled.kill.kept, doubled.power_loss.kept), (2, 0), "{doubled:#?}");
    assert_eq!(doubled.power_loss.lost_commits, 0, "{doubled:#?}");
}

#[test]
fn a_stream_that_was_just_created_is_gone_and_a_table_is_not() {
    let nats = named("nats");
    let default = nats.promises().into_iter().find(|promise| promise.is_default).expect("it has a default");
    if let Some(lost) = crashed_after(true, nats, &default, 2) {
        assert_eq!((lost.kill.kept, lost.power_loss.table_is_gone), (2, 2), "{lost:#?}");
        let all = (lost.power_loss.acknowledged_commits, lost.power_loss.does_not_start);
        assert_eq!((lost.power_loss.lost_commits, 0), all, "{lost:#?}");
        // It starts, and recently acknowledged messages may be lost: that is what is stated.
        assert_eq!(lost.standing(), Standing::NotBroken, "{lost:#?}");
    }
    let postgresql = named("postgresql");
    if let Some(kept) = crashed_after(true, postgresql, &postgresql.promises()[0], 2) {
        assert_eq!((kept.kill.kept, kept.power_loss.kept), (2, 2), "{kept:#?}");
    }
}

#[test]
fn mariadb_keeps_commits_at_one_and_loses_them_at_two_with_the_power() {
    let server = named("mariadb");
    let promises = server.promises();
    let Some(kept) = crashed(server, &promises[0], 2) else { return };
    assert_eq!(kept.standing(), Standing::NotBroken, "{kept:#?}");
    let at_two = promises.iter().find(|promise| promise.name().ends_with("= 2")).expect("listed");
    let Some(process) = crashed(server, at_two, 2) else { return };
    assert_eq!(process.standing(), Standing::NotBroken, "it promises nothing for a power loss: {process:#?}");
    assert!(process.power_loss.lost_commits > 0 && process.kill.lost_commits == 0, "{process:#?}");
}
