//! The map of ARCHITECTURE.md, enforced: which crate may depend on which, where unsafe code lives, what no file is
//! called.

mod other_meanings;

use other_meanings::OTHER_MEANINGS;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Crate → crates of Syncline on which it may depend. Arrows go down only; only the binary knows all of them.
const ALLOWED: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("stats", &[]),
    ("driver", &["model"]),
    ("workload", &["driver", "model", "stats"]),
    ("disk", &["driver", "model"]),
    ("forget", &["disk"]),
    ("trace", &["disk", "model"]),
    ("observe", &["disk", "model", "page", "stats", "trace", "workload"]),
    ("engine", &["driver", "model", "store"]),
    ("server", &["disk", "engine", "model", "postgresql"]),
    ("survive", &["disk", "forget", "model", "page", "server", "stats"]),
    ("buffer", &["disk", "driver", "model"]),
    ("dataset", &["disk", "driver", "model"]),
    ("store", &["disk", "driver", "model"]),
    (
        "trial",
        &["buffer", "dataset", "disk", "driver", "engine", "model", "postgresql", "server", "workload"],
    ),
    ("fio", &["model", "workload"]),
    ("page", &["model"]),
    ("fleet", &["model", "page", "stats", "verdict"]),
    ("peers", &["model"]),
    ("lab", &["model", "peers", "stats", "workload"]),
    ("laws", &["model", "page", "stats"]),
    ("verdict", &["laws", "model", "page", "stats"]),
    ("settings", &["model", "page"]),
    ("advice", &["model", "page", "settings", "stats", "verdict", "workload"]),
    ("proof", &["advice", "model", "page", "settings", "stats", "verdict", "workload"]),
    (
        "report",
        &["advice", "fleet", "model", "page", "preflight", "proof", "ratings", "stats", "tables", "verdict"],
    ),
    ("preflight", &["model", "page", "stats", "verdict"]),
    ("container", &["disk", "model"]),
    ("sizing", &["model", "page", "stats", "verdict"]),
    ("postgresql", &["disk", "model"]),
    ("ratings", &["model", "page", "verdict"]),
    ("tables", &["fio", "laws", "model", "stats", "verdict", "workload"]),
    (
        "hostile",
        &[
            "advice",
            "container",
            "dataset",
            "fio",
            "fleet",
            "lab",
            "model",
            "postgresql",
            "preflight",
            "proof",
            "ratings",
            "report",
            "settings",
            "sizing",
            "store",
            "tables",
            "trace",
            "verdict",
            "watch",
            "workload",
        ],
    ),
    ("skip", &[]),
    ("watch", &["disk", "lab", "model"]),
    ("synthetic", &["model", "workload"]),
    (
        "syncline",
        &[
            "advice",
            "container",
            "dataset",
            "disk",
            "engine",
            "fio",
            "fleet",
            "lab",
            "model",
            "observe",
            "page",
            "peers",
            "postgresql",
            "preflight",
            "proof",
            "ratings",
            "report",
            "server",
            "settings",
            "sizing",
            "survive",
            "tables",
            "trace",
            "trial",
            "verdict",
            "watch",
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

/// Crates that another program may use: it has a command line of its own, or none.
const WITHOUT_A_COMMAND_LINE: &[&str] =
    &["buffer", "dataset", "disk", "driver", "engine", "forget", "model", "stats", "store", "trace"];
/// Options of Syncline that an error could advise.
const OPTIONS: &[&str] =
    &["dir", "cpu", "out", "fix", "vary", "profile", "resume", "pg-bin", "dsn", "budget"];

#[test]
fn the_errors_of_a_library_name_no_option_of_the_command_line() {
    for name in WITHOUT_A_COMMAND_LINE {
        let mut files = Vec::new();
        sources(&crates_directory().join(name).join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
                let words = line.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-'));
                let option =
                    words.filter_map(|word| word.strip_prefix("--")).find(|word| OPTIONS.contains(word));
                assert_eq!(option, None, "{}: {line}: the binary gives this advice", file.display());
            }
        }
    }
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

/// rustfmt breaks lines of code, but no comments.
#[test]
fn comments_keep_to_120_columns() {
    const COLUMNS: usize = 120;
    let mut files = Vec::new();
    sources(&crates_directory(), &mut files);
    let mut longer = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in (1..).zip(text.lines()) {
            let comment =
                line.trim_start().strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!', ' ']));
            // A row of a table and an address have no place to break.
            let is_whole = |comment: &str| comment.starts_with('|') || comment.contains("http");
            if comment.is_some_and(|comment| !is_whole(comment)) && line.chars().count() > COLUMNS {
                longer.push(format!("{}:{number}", file.display()));
            }
        }
    }
    assert!(longer.is_empty(), "{longer:#?}");
}

/// What opens, makes or removes by a path, which may lead through a link by the time it is used.
const BY_PATH: &[&str] = &[
    "fs::write(",
    "fs::read(",
    "fs::read_to_string(",
    "fs::read_dir(",
    "fs::remove_",
    "fs::rename(",
    "fs::create_dir",
    "File::open(",
    "File::create(",
    "OpenOptions",
];
/// Writes where the user says: the page that `--html` names.
const NOT_OF_A_RUN: &str = "syncline/src/page_file.rs";

/// A run directory may belong to another user: code that has one opens its files only through it.
#[test]
fn files_of_a_run_are_reached_through_its_directory_only() {
    let mut files = Vec::new();
    for below in ["lab/src", "syncline/src"] {
        sources(&crates_directory().join(below), &mut files);
    }
    let mut looked_at = 0;
    for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
        let text = fs::read_to_string(file).unwrap();
        if !["RunFiles", "RunDirectory", "OpenDirectory"].iter().any(|name| text.contains(name)) {
            continue;
        }
        looked_at += 1;
        for line in text.lines().filter(|line| BY_PATH.iter().any(|call| line.contains(call))) {
            assert!(
                file.ends_with(NOT_OF_A_RUN),
                "{}: {line}\nuse lab::run_directory::RunFiles",
                file.display()
            );
        }
    }
    assert!(looked_at > 8, "{looked_at}");
}

/// Tests that are programs of their own: they replace the allocator, mount, or measure the whole process; a crate with
/// one file of tests has no more to link.
const ALONE: &[&str] = &[
    "disk/tests/no_allocation.rs",
    "engine/tests/full_disk.rs",
    "model/tests/hostile_text.rs",
    "store/tests/killed_on_btrfs.rs",
    "store/tests/small_file_systems.rs",
    "workload/tests/flat_memory.rs",
];

#[test]
fn each_crate_links_its_tests_once() {
    let mut found = Vec::new();
    for name in manifests().into_keys() {
        let Ok(entries) = fs::read_dir(crates_directory().join(&name).join("tests")) else { continue };
        let files = entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some());
        found.extend(files.map(|path| format!("{name}/tests/{}", path.file_name().unwrap().display())));
    }
    found.sort();
    assert_eq!(
        found, ALONE,
        "a test goes to tests/it/, which is linked once, unless its process must be its own"
    );
}

#[test]
fn no_test_is_an_orphan() {
    for name in manifests().into_keys() {
        let directory = crates_directory().join(&name).join("tests/it");
        let Ok(main) = fs::read_to_string(directory.join("main.rs")) else { continue };
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            let is_module =
                path.extension().is_some_and(|extension| extension == "rs") || path.join("mod.rs").exists();
            if is_module && stem != "main" {
                assert!(main.contains(&format!("mod {stem};")), "{} is not in main.rs", path.display());
            }
        }
    }
}

/// Rust's own macros panic if an output cannot be written: `2>/dev/full` ended a run at its first remark.
#[test]
fn only_the_module_of_the_outputs_writes_to_them() {
    let mut files = Vec::new();
    // Only tests use `skip`.
    for name in manifests().into_keys().filter(|name| name != "skip") {
        sources(&crates_directory().join(name).join("src"), &mut files);
    }
    let macros = ["println", "print", "eprintln", "eprint", "dbg"].map(|name| format!("{name}!"));
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        // Tests are at the end of a file, or in separate files.
        let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
        let words = shipped.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '!'));
        let found: Vec<&str> = words.filter(|word| macros.iter().any(|name| name == word)).collect();
        let is_test = file.components().any(|part| part.as_os_str() == "tests") || file.ends_with("tests.rs");
        assert!(
            found.is_empty() || is_test,
            "{}: {found:?}: write by syncline/src/output.rs",
            file.display()
        );
    }
}

/// Nobody counts a message that a test prints by itself.
#[test]
fn a_test_that_is_skipped_is_recorded() {
    let mut files = Vec::new();
    for name in manifests().into_keys().filter(|name| name != "skip") {
        sources(&crates_directory().join(&name).join("src"), &mut files);
        let tests = crates_directory().join(name).join("tests");
        if tests.exists() {
            sources(&tests, &mut files);
        }
    }
    // In two parts, so that this file is not among those that have it.
    let message = concat!("println!(\"", "skipped");
    for file in files {
        let text: String = fs::read_to_string(&file).unwrap().split_whitespace().collect();
        assert!(!text.contains(message), "{}: call skip::because", file.display());
    }
}

/// Crates, and one module, that know no workload's parameters: what a configuration is they read from its description.
const READ_DESCRIPTIONS: &[&str] =
    &["lab/src", "laws/src", "verdict/src", "report/src", "tables/src", "fio/src/export"];
/// Crates that know what a workload's levels mean to a database. They name parameters only by the handles of their
/// declarations.
const USE_HANDLES: &[&str] = &["advice/src", "proof/src"];

/// Constants that stand for names of parameters.
const NAMED: &[(&str, &str)] = &[
    ("BUFFER_PAGES", model::buffer::BUFFER_PAGES),
    ("IO_CAP", model::every_trial::IO_CAP),
    ("MEMORY_CAP", model::every_trial::MEMORY_CAP),
];

/// The lines that a source file has outside its tests and comments.
fn shipped_lines(text: &str) -> impl Iterator<Item = &str> {
    let shipped = text.split("#[cfg(test)]").next().unwrap_or_default();
    shipped.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// Parameters that a source file names by a literal.
fn quoted_parameters(text: &str) -> BTreeSet<&'static str> {
    let names = workload::SCHEMAS.iter().flat_map(|schema| schema.all()).map(|parameter| parameter.name);
    let quoted: BTreeSet<&str> =
        shipped_lines(text).flat_map(|line| line.split('"').skip(1).step_by(2)).collect();
    names.filter(|name| quoted.contains(name)).collect()
}

/// The same, and those that it names by a constant or a handle.
fn named_parameters(text: &str) -> BTreeSet<&'static str> {
    let names = || workload::SCHEMAS.iter().flat_map(|schema| schema.all()).map(|parameter| parameter.name);
    let words = |line| str::split(line, |c: char| !(c.is_alphanumeric() || c == '_'));
    let is_named = |constant: &str| shipped_lines(text).flat_map(words).any(|word| word == constant);
    let constants = NAMED.iter().filter(|(constant, _)| is_named(constant)).map(|(_, name)| *name);
    let after = |of| text.split(of).skip(1).filter_map(|rest| words(rest).next());
    let handles: BTreeSet<&str> = ["EVERY_TRIAL.", "PARAMETERS."].into_iter().flat_map(after).collect();
    let handled = names().filter(|name| handles.contains(name));
    quoted_parameters(text).into_iter().chain(constants).chain(handled).collect()
}

#[test]
fn a_planted_name_of_a_parameter_is_found() {
    let planted =
        "fn depth(values: &Configuration) -> u64 {\n    values.count(\"iodepth\").unwrap_or(1)\n}\n";
    assert_eq!(named_parameters(planted), BTreeSet::from(["iodepth"]));
    assert_eq!(named_parameters("values.get(MEMORY_CAP)"), BTreeSet::from(["memory_cap"]));
    let handle = "EVERY_TRIAL.filesystem.at(FileSystem::Host)";
    assert_eq!(named_parameters(handle), BTreeSet::from(["filesystem"]));
    assert_eq!(quoted_parameters(handle), BTreeSet::new());
    let innocent = "// \"iodepth\"\nlet depth = description.depth;\n#[cfg(test)]\nmod tests { \"iodepth\" }";
    assert_eq!(named_parameters(innocent), BTreeSet::new());
}

/// The verdict had 240 names of parameters, and another version of a workload could have given each another meaning.
#[test]
fn only_a_workload_knows_its_parameters() {
    let mut found: BTreeSet<(String, &str)> = BTreeSet::new();
    let mut look = |below: &str, named: fn(&str) -> BTreeSet<&'static str>| {
        let mut files = Vec::new();
        sources(&crates_directory().join(below), &mut files);
        for file in files {
            let shown = file.strip_prefix(crates_directory()).unwrap().to_string_lossy().into_owned();
            // Tests make configurations up.
            if !shown.contains("/tests") {
                let text = fs::read_to_string(&file).unwrap();
                found.extend(named(&text).into_iter().map(|name| (shown.clone(), name)));
            }
        }
    };
    for below in READ_DESCRIPTIONS {
        look(below, named_parameters);
    }
    for below in USE_HANDLES {
        look(below, quoted_parameters);
    }
    let excused: BTreeSet<(String, &str)> = OTHER_MEANINGS
        .iter()
        .flat_map(|(file, names)| names.iter().map(move |name| ((*file).to_owned(), *name)))
        .collect();
    let known: Vec<_> = found.difference(&excused).collect();
    assert!(
        known.is_empty(),
        "{known:?}: only a workload knows its parameters: read model::Description, or use their handles"
    );
    let idle: Vec<_> = excused.difference(&found).collect();
    assert!(idle.is_empty(), "{idle:?}: excused, and nothing needs it");
}
