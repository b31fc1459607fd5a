//! The settings that an advice writes for PostgreSQL, loaded by a real server.

#![cfg(feature = "postgresql")]

use crate::advise::{assignments, golden};

use disk::work_directory::WorkDirectory;
use postgresql::{Cluster, Installation, Session, Settings, Target};
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A fragment without the marks of its candidates and of the defaults that are kept: what a user loads after a proof.
fn unmarked(fragment: &str) -> String {
    let is_setting = |line: &str| {
        let parts = line.split_once(" = ");
        parts.is_some_and(|(name, value)| !name.contains(' ') && !value.contains(' '))
    };
    let line = |line: &str| match line.strip_prefix("# ") {
        Some(marked) if is_setting(marked) => format!("{marked}\n"),
        Some(_) | None => format!("{line}\n"),
    };
    fragment.lines().map(line).collect()
}

#[test]
fn postgresql_starts_with_its_fragment() {
    let written = golden("postgresql.conf");
    assert_eq!(assignments(&written), [], "the disk predicts, and PostgreSQL has yet to show");
    let fragment = unmarked(&written);
    let settings = assignments(&fragment);
    assert!(settings.len() >= 4, "{fragment}");
    let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
    let parent = tempfile::tempdir().unwrap();
    fs::set_permissions(parent.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let work = WorkDirectory::create(parent.path()).unwrap();
    let cluster = Cluster::prepare(work.path(), &installation).unwrap();
    let file = cluster.data().join("postgresql.conf");
    let own = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{own}\n{fragment}")).unwrap();
    let server = cluster.start(&Settings::default(), Vec::new()).unwrap();
    let names = settings.iter().map(|(name, _)| *name).collect::<Vec<_>>().join("', '");
    let mut session = Session::open(&Target::Own(&server)).unwrap();
    for (name, value) in settings {
        let found =
            session.text("read a setting", &format!("SELECT setting FROM pg_settings WHERE name = '{name}'"));
        assert_eq!(found.unwrap(), value, "{name}");
    }
    let refused =
        format!("SELECT count(*) FROM pg_file_settings WHERE error IS NOT NULL AND name IN ('{names}')");
    assert_eq!(session.figure("count refused settings", &refused).unwrap(), 0);
}
