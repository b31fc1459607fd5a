//! `syncline advise` on real runs: what follows is written, and loads in the real thing; a file of settings is compared.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod laboratory;

use disk::work_directory::WorkDirectory;
use laboratory::{Laboratory, text};
use postgresql::{Cluster, Installation, Session, Settings, Target};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The fragments that `report`'s tests hold against what is rendered: each has every setting that can be advised.
fn golden(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/advice").join(name);
    fs::read_to_string(path).unwrap()
}

/// Names and values of the settings in a fragment of `name = value` lines.
fn assignments(fragment: &str) -> Vec<(&str, &str)> {
    fragment.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" = ")).collect()
}

fn small_log_run(lab: &Laboratory, rounds: &str) -> PathBuf {
    let run = lab.path().join("run");
    let output = lab
        .syncline(&[
            "run",
            "wal-layout",
            "--vary",
            "filesystem=host",
            "--vary",
            "mode=buffered",
            "--rounds",
            rounds,
        ])
        .args([
            "--fix",
            "wal_size=4MiB",
            "--fix",
            "data_size=8MiB",
            "--fix",
            "groups=40",
            "--fix",
            "runtime=0s",
        ])
        .args(["--out", &run.display().to_string()])
        .output()
        .unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    run
}

#[test]
fn postgresql_starts_with_its_fragment() {
    let fragment = golden("postgresql.conf");
    let settings = assignments(&fragment);
    assert!(settings.len() >= 7, "{fragment}");
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

#[test]
fn sqlite_takes_its_pragmas() {
    let fragment = golden("sqlite.sql");
    let directory = tempfile::tempdir().unwrap();
    let database = rusqlite::Connection::open(directory.path().join("a.sqlite")).unwrap();
    database.execute_batch("PRAGMA synchronous = OFF;").unwrap();
    database.execute_batch(&fragment).unwrap();
    let synchronous: i64 = database.query_row("PRAGMA synchronous", [], |row| row.get(0)).unwrap();
    assert_eq!(synchronous, 2, "FULL");
}

/// There is no MySQL here: that its options are where they belong is all that is checked.
#[test]
fn the_fragment_for_mysql_has_its_group_and_options() {
    let fragment = golden("my.cnf");
    let settings = assignments(&fragment);
    assert_eq!(fragment.lines().find(|line| !line.starts_with('#')), Some("[mysqld]"));
    assert_eq!(settings, [("innodb_flush_method", "O_DIRECT"), ("innodb_use_fdatasync", "ON")]);
}

#[test]
fn a_run_is_advised_upon_and_a_file_compared() {
    let lab = Laboratory::new();
    let run = small_log_run(&lab, "2");
    let directory = run.display().to_string();
    let output = lab.syncline(&["advise", &directory]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let said = text(&output);
    for words in
        ["PostgreSQL 15–18", "wal_init_zero", "RocksDB", "recycle_log_file_num", "etcd", "not measured"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    for entry in fs::read_dir(run.join("advice")).into_iter().flatten() {
        let fragment = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(fragment.contains("measure again when one of these changes"), "{fragment}");
    }

    let file = lab.path().join("postgresql.conf");
    let compare = |content: &str| {
        fs::write(&file, content).unwrap();
        lab.syncline(&["advise", &directory, "--current", "postgresql.conf"]).output().unwrap()
    };
    let output = compare("fsync = off\nwal_recycle = on # as it is\nrandom_page_cost = 1.1\n");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let said = text(&output);
    assert!(said.contains("fsync = off (line 1): a power loss can destroy"), "{said}");
    assert!(said.contains("not measured  random_page_cost = 1.1: no study of this run"), "{said}");
    let same_run = lab.syncline(&["report", &directory]).output().unwrap();
    assert!(text(&same_run).contains("Advice: settings that follow"), "{}", text(&same_run));
    assert!(fs::read_to_string(run.join("report.html")).unwrap().contains("Which settings follow?"));
}

#[test]
fn what_cannot_be_read_is_said_with_its_line() {
    let lab = Laboratory::new();
    let run = small_log_run(&lab, "1");
    let directory = run.display().to_string();
    let refused = |name: &str, content: &[u8], words: &str| {
        fs::write(lab.path().join(name), content).unwrap();
        let output = lab.syncline(&["advise", &directory, "--current", name]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{said}");
        assert!(said.contains(words) && said.trim_end().lines().count() == 1, "{said}");
    };
    refused("a.conf", b"# c\ninclude 'b.conf'\n", "a.conf:2: include takes in another file");
    refused("a.conf", b"wal_recycle = 'on", "a.conf:1: the quote of wal_recycle does not end");
    refused("a.conf", b"\xff\xfe", "not UTF-8");
    refused("a.toml", b"", "its name tells no database");
    let absent = lab.syncline(&["advise", &directory, "--current", "none.conf"]).output().unwrap();
    assert!(text(&absent).contains("none.conf: cannot read the settings"), "{}", text(&absent));
    let output = lab.syncline(&["advise", "nowhere"]).output().unwrap();
    assert!(text(&output).contains("is no run directory"), "{}", text(&output));
}
