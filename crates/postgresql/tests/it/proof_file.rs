//! PostgreSQL starts with the settings that a proof is written as: the file that the report's tests hold against what
//! is rendered.

use disk::work_directory::WorkDirectory;
use postgresql::{Cluster, Installation, Session, Settings};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// The names and values that a file sets.
fn lines(conf: &str) -> Vec<(&str, &str)> {
    let lines = conf.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| line.split_once(" = ").unwrap())
        .map(|(name, value)| (name, value.trim_matches('\'')))
        .collect()
}

#[test]
fn postgresql_has_every_setting_of_a_proof_after_its_file() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/proven/postgresql.conf");
    let conf = fs::read_to_string(golden).unwrap();
    let parent = tempfile::tempdir().unwrap();
    fs::set_permissions(parent.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let file = parent.path().join("proven.conf");
    fs::write(&file, &conf).unwrap();
    let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
    let work = WorkDirectory::create(parent.path()).unwrap();
    let cluster = Cluster::prepare(work.path(), &installation).unwrap();
    let own = fs::OpenOptions::new().append(true).open(cluster.data().join("postgresql.conf"));
    writeln!(own.unwrap(), "include '{}'", file.display()).unwrap();
    let server = cluster.start(&Settings::default(), Vec::new()).unwrap();
    let mut session = Session::observe(&server).unwrap();
    let set = lines(&conf);
    assert!(set.len() >= 8, "{conf}");
    for (name, value) in set {
        let of_file = "SELECT coalesce(max(setting), 'missing') FROM pg_file_settings WHERE error IS NULL AND sourcefile LIKE \
                       '%/proven.conf' AND name = ";
        let read = session.text("read the file's line", &format!("{of_file}'{name}'")).unwrap();
        assert_eq!(read, value, "{name}");
        // What keeps Syncline's servers to themselves outweighs every file.
        let source = format!("SELECT source FROM pg_settings WHERE name = '{name}'");
        if session.text("read where a value is from", &source).unwrap() != "command line" {
            let found = session.in_force(name).unwrap().unwrap();
            assert!(found.agrees_with(value), "{name} = {value}: {}", found.shown);
        }
    }
}
