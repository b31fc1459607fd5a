//! The map of ARCHITECTURE.md, enforced: which crate may depend on which, where unsafe code lives, what no file is
//! called.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Crate → crates of ours that it may depend on. Arrows go down only; only the binary knows all of them.
const ALLOWED: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("stats", &[]),
    ("driver", &["model"]),
    ("workload", &["driver", "model", "stats"]),
    ("disk", &["driver", "model"]),
    ("engine", &["driver", "model"]),
    ("buffer", &["disk", "driver", "model"]),
    ("object", &["disk", "driver", "model"]),
    ("fio", &["model"]),
    ("lab", &["model", "stats"]),
    ("verdict", &["model", "stats"]),
    ("report", &["model", "published", "stats", "verdict"]),
    ("postgresql", &["disk", "model"]),
    ("published", &["fio", "model", "stats", "verdict"]),
    (
        "syncline",
        &[
            "buffer",
            "disk",
            "driver",
            "engine",
            "fio",
            "lab",
            "model",
            "object",
            "postgresql",
            "published",
            "report",
            "stats",
            "verdict",
            "workload",
        ],
    ),
];

fn crates_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

fn manifests() -> BTreeMap<String, toml::Table> {
    let entries = fs::read_dir(crates_directory()).unwrap();
    entries
        .map(|entry| {
            let entry = entry.unwrap();
            let text = fs::read_to_string(entry.path().join("Cargo.toml")).unwrap();
            (entry.file_name().into_string().unwrap(), text.parse().unwrap())
        })
        .collect()
}

fn ours_among(dependencies: Option<&toml::Value>, crates: &BTreeSet<&str>) -> BTreeSet<String> {
    let table = dependencies.and_then(toml::Value::as_table);
    table
        .into_iter()
        .flat_map(toml::Table::keys)
        .filter(|name| crates.contains(name.as_str()))
        .cloned()
        .collect()
}

#[test]
fn dependencies_go_down_only() {
    let manifests = manifests();
    let allowed: BTreeMap<&str, BTreeSet<&str>> =
        ALLOWED.iter().map(|(name, below)| (*name, below.iter().copied().collect())).collect();
    let listed: BTreeSet<&str> = allowed.keys().copied().collect();
    let found: BTreeSet<&str> = manifests.keys().map(String::as_str).collect();
    assert_eq!(found, listed, "a crate is missing from the list, or the other way round");
    for (name, manifest) in &manifests {
        for dependency in ours_among(manifest.get("dependencies"), &listed) {
            assert!(
                allowed[name.as_str()].contains(dependency.as_str()),
                "{name} must not depend on {dependency}: see ARCHITECTURE.md for the one-way flow"
            );
        }
    }
}

#[test]
fn the_map_in_the_architecture_page_is_this_one() {
    let page = fs::read_to_string(crates_directory().join("../ARCHITECTURE.md")).unwrap();
    for (name, below) in ALLOWED {
        let line = page.lines().find(|line| line.starts_with(&format!("| `{name}` |")));
        let line = line.unwrap_or_else(|| panic!("ARCHITECTURE.md has no row for {name}"));
        let last = line.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let mut told: Vec<&str> =
            last.split(',').map(str::trim).filter(|word| !word.is_empty() && *word != "—").collect();
        told.sort_unstable();
        let expected: Vec<&str> = if *name == "syncline" { vec!["all"] } else { below.to_vec() };
        assert_eq!(told, expected, "dependencies of {name} in ARCHITECTURE.md");
    }
}

/// Files outside `disk` that may allow unsafe code, each for one call of a library.
const UNSAFE: &[&str] = &["engine/src/adapter/lmdb.rs"];

#[test]
fn only_disk_and_one_adapter_may_be_unsafe() {
    for (name, manifest) in manifests() {
        let inherits = manifest["lints"].get("workspace").and_then(toml::Value::as_bool) == Some(true);
        assert_eq!(inherits, name != "disk", "{name}: every crate but disk inherits the workspace's lints");
    }
    let root: toml::Table =
        fs::read_to_string(crates_directory().join("../Cargo.toml")).unwrap().parse().unwrap();
    let lints = &root["workspace"]["lints"];
    // In two parts, so that this file is not among those that name it.
    let lint = concat!("unsafe", "_code");
    assert_eq!(lints["rust"][lint].as_str(), Some("deny"));
    assert_eq!(lints["clippy"]["undocumented_unsafe_blocks"].as_str(), Some("deny"));

    let mut files = Vec::new();
    sources(&crates_directory(), &mut files);
    let found: Vec<String> = files
        .iter()
        .filter(|file| fs::read_to_string(file).unwrap().contains(lint))
        .map(|file| file.strip_prefix(crates_directory()).unwrap().to_string_lossy().into_owned())
        .filter(|file| !file.starts_with("disk/"))
        .collect();
    assert_eq!(found, UNSAFE, "only these may allow unsafe code: move it to disk");
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn files_are_named_by_what_they_are_about() {
    let mut files = Vec::new();
    sources(&crates_directory(), &mut files);
    for file in files {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        for empty in ["util", "utils", "common", "helper", "helpers", "misc", "manager"] {
            assert_ne!(stem, empty, "{}: name the idea that the file holds", file.display());
        }
    }
}
