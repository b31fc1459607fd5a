//! Settings by version: the list is that of the servers, a file's version is found, and nothing is advised or proven
//! that it lacks.

#![cfg(feature = "postgresql")]

use crate::advise::small_log_run;
use crate::laboratory::{Laboratory, prints, text};
use advice::settings;
use disk::work_directory::WorkDirectory;
use postgresql::{Cluster, Installation, Session, Settings, Target};
use serde_json::Value;
use settings::{Version, Versions};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

const USAGE: i32 = 2;

#[test]
fn the_list_of_settings_is_that_of_the_server() {
    let installation = Installation::cached_or_downloaded(|what| println!("{what}")).unwrap();
    let version: Version = installation.version().to_string().parse().unwrap();
    let parent = tempfile::tempdir().unwrap();
    fs::set_permissions(parent.path(), PermissionsExt::from_mode(0o755)).unwrap();
    let work = WorkDirectory::create(parent.path()).unwrap();
    let cluster = Cluster::prepare(work.path(), &installation).unwrap();
    let server = cluster.start(&Settings::default(), Vec::new()).unwrap();
    let mut session = Session::open(&Target::Own(&server)).unwrap();
    let mut names = |query: &str| -> BTreeSet<String> {
        let all = session.text("read the names", query).unwrap();
        all.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let (has, lacks): (Vec<_>, Vec<_>) =
        settings("postgresql").partition(|(_, versions)| versions.has(&version));
    let listed = |of: &[(&str, Versions)]| -> BTreeSet<String> {
        of.iter().map(|(name, _)| (*name).to_owned()).collect()
    };
    let shown = names("SELECT string_agg(lower(name), ',') FROM pg_settings");
    let (has, lacks) = (listed(&has), listed(&lacks));
    let missing: Vec<&String> = shown.difference(&has).collect();
    assert!(missing.is_empty(), "scripts/list-postgresql-settings adds them: {missing:?}");
    assert!(shown.len() > 300 && !lacks.is_empty());
    // Old names, and settings that pg_settings does not show, are taken too.
    let mut taken = |of: &BTreeSet<String>| {
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        names(&format!(
            "SELECT coalesce(string_agg(name, ','), '') FROM unnest(string_to_array('{}', ',')) AS name \
             WHERE current_setting(name, true) IS NOT NULL",
            of.join(",")
        ))
    };
    assert_eq!(taken(&has), has);
    assert_eq!(taken(&lacks), BTreeSet::new());
}

fn advise(lab: &Laboratory, run: &Path, more: &[&str]) -> Output {
    let output = lab.syncline(&["advise", &run.display().to_string()]).args(more).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    output
}

/// The file's version by name, what it lacks, and the settings that are not judged with their causes.
fn review(lab: &Laboratory, run: &Path, more: &[&str]) -> Value {
    let output = advise(lab, run, &[more, &["--format", "json"]].concat());
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    document["review"].clone()
}

#[test]
fn the_stock_file_of_debian_15_gets_no_advice_of_18() {
    let lab = Laboratory::new();
    let run = small_log_run(&lab, "1");
    let stock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../advice/src/tests/debian-15.conf");
    fs::create_dir(lab.path().join("conf.d")).unwrap();
    fs::copy(stock, lab.path().join("postgresql.conf")).unwrap();
    let found = review(&lab, &run, &["--current", "postgresql.conf"]);
    assert_eq!(found["release"]["of"], "15", "{found:#}");
    let unknown = found["unknown"].as_array().unwrap();
    assert!(unknown.iter().all(|unknown| unknown["meant"].is_null()), "{unknown:?}");
    for unadvised in found["unadvised"].as_array().unwrap() {
        let is_later = unadvised["because"]["cause"].get("not_in_version").is_some();
        assert_eq!(is_later, unadvised["setting"].as_str().unwrap().starts_with("io_"), "{unadvised:#}");
        assert!(!is_later || unadvised["because"]["needs"].is_null(), "{unadvised:#}");
    }
}

#[test]
fn the_version_of_a_file_is_found_or_named() {
    let lab = Laboratory::new();
    let run = small_log_run(&lab, "1");
    let write = |name: &str, content: &str| {
        let path = lab.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    };
    let release = |more: &[&str]| review(&lab, &run, more)["release"].clone();
    let of = |version: &str| serde_json::json!({ "of": version });
    write("a.conf", "work_mem = 4MB\n");
    assert_eq!(release(&["--current", "a.conf"]), "unknown");
    assert_eq!(release(&["--current", "a.conf", "--server-version", "17.6"]), of("17.6"));
    prints(
        &lab,
        &advise(&lab, &run, &["--current", "a.conf"]),
        "Which version of PostgreSQL 15–18 this file is of is not known: settings that not every version has are left out; name it with --server-version.",
    );
    write("data/postgresql.conf", "work_mem = 4MB\n");
    write("data/PG_VERSION", "16\n");
    assert_eq!(release(&["--current", "data/postgresql.conf"]), of("16"));
    // What is typed comes first, and what a data directory says before what its path suggests.
    assert_eq!(release(&["--current", "data/postgresql.conf", "--server-version", "18"]), of("18"));
    let data = lab.path().join("data");
    write("etc/postgresql/17/main/postgresql.conf", &format!("data_directory = '{}'\n", data.display()));
    assert_eq!(release(&["--current", "etc/postgresql/17/main/postgresql.conf"]), of("16"));
    write("etc/postgresql/17/main/postgresql.conf", "work_mem = 4MB\n");
    assert_eq!(release(&["--current", "etc/postgresql/17/main/postgresql.conf"]), of("17"));
    write("a.ini", "[Version]\n  rocksdb_version=9.0.1\n[DBOptions]\n  bytes_per_sync=0\n");
    assert_eq!(release(&["--current", "a.ini"]), of("9.0.1"));

    let output = lab.syncline(&["advise", "run", "--current", "a.conf", "--server-version", "new"]).output();
    assert_eq!(output.unwrap().status.code(), Some(USAGE));
}

/// Programs that print a version and do nothing.
fn programs(lab: &Laboratory, version: &str) {
    for name in ["initdb", "postgres"] {
        let path = lab.path().join("bin").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\necho 'postgres (PostgreSQL) {version}'\n")).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }
}

/// Each trial of a setting that the server lacks failed when the server did not start.
#[test]
fn a_proof_asks_no_server_for_a_setting_that_it_lacks() {
    let lab = Laboratory::open_to_all();
    programs(&lab, "15.18");
    let prove = |more: &[&str]| {
        let mut command = lab.syncline(&["prove", "--dir", "disk", "--out", "proof", "--pg-bin", "bin"]);
        command.args(more).output().unwrap()
    };
    fs::write(lab.path().join("new.conf"), "io_combine_limit = 64kB\n").unwrap();
    for (arguments, said) in [
        (
            &["--settings", "io_method"][..],
            "syncline: --settings io_method: PostgreSQL 18 and later, and the server is 15.18",
        ),
        (
            &["--settings-file", "new.conf"],
            "syncline: io_combine_limit: PostgreSQL 17 and later, and the server is 15.18",
        ),
        (
            &["--arm", "new=new.conf"],
            "syncline: io_combine_limit: PostgreSQL 17 and later, and the server is 15.18",
        ),
    ] {
        let output = prove(arguments);
        assert_eq!(output.status.code(), Some(USAGE), "{}", text(&output));
        prints(&lab, &output, said);
    }
}
