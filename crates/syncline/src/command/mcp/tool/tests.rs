use super::*;
use crate::arguments::Arguments;
use crate::command::mcp::bounds::Bounds;
use crate::command::mcp::root::Root;
use crate::failure::Failure;
use clap::Parser as _;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

/// A directory with a study file that names programs, and a link that leads out of it.
fn place() -> (tempfile::TempDir, Place) {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("data")).unwrap();
    fs::create_dir(directory.path().join("run")).unwrap();
    symlink("/", directory.path().join("link")).unwrap();
    let root = Root::open(directory.path()).unwrap();
    let bounds = Bounds { time: Duration::from_mins(10), bytes: 1 << 30 };
    (directory, Place { root, bounds, observes_processes: false })
}

fn words(tool: &str, input: Value, place: &Place) -> Result<Vec<OsString>, Failure> {
    let Value::Object(input) = input else { panic!("{input}") };
    TOOLS.iter().find(|found| found.name == tool).unwrap().words(input, place)
}

/// What the command line refuses would be an error of the machine's program, and not of the client's input.
#[test]
fn every_tool_is_a_command_line() {
    let (_directory, place) = place();
    let run = "run";
    for (tool, input) in [
        ("check", json!({ "dir": "data", "rounds": 2, "seed": 1 })),
        ("run", json!({})),
        ("run", json!({ "database": "postgresql", "explain": true })),
        ("run", json!({ "studies": ["commit"], "fix": { "runtime": "1s" }, "vary": { "mode": ["direct"] } })),
        ("report", json!({ "run": run })),
        ("advise", json!({ "run": run, "database": "etcd" })),
        ("prove", json!({ "run": run, "settings": ["advised"], "budget": "2m" })),
        ("observe", json!({ "time": "10s", "spikes": "50ms", "run": run })),
        ("audit", json!({ "file": run, "column": ["x=rate"] })),
    ] {
        let words = words(tool, input, &place).unwrap();
        let line = std::iter::once(OsString::from("syncline")).chain(words.iter().cloned());
        assert!(Arguments::try_parse_from(line).is_ok(), "{words:?}");
    }
}

#[test]
fn observe_names_processes_only_if_the_server_permits_it() {
    let (_directory, mut place) = place();
    let others = [json!({ "pid": 1 }), json!({ "unit": "postgresql" }), json!({ "device": "vda" })];
    for input in others.clone() {
        let refused = words("observe", input, &place).unwrap_err().to_string();
        assert!(refused.contains("--observe-processes") && !refused.contains('\n'), "{refused}");
    }
    place.observes_processes = true;
    for input in others {
        let words = words("observe", input, &place).unwrap();
        let line = std::iter::once(OsString::from("syncline")).chain(words.iter().cloned());
        assert!(Arguments::try_parse_from(line).is_ok(), "{words:?}");
    }
    assert!(words("observe", json!({ "pid": 1, "dir": "data" }), &place).is_err());
    assert!(words("observe", json!({ "pid": 1, "unit": "etcd" }), &place).is_err());
}

/// A proof that somebody put into the directory would start the programs of its settings.
#[test]
fn a_proof_is_continued_if_it_names_nothing_but_storage_settings() {
    let (directory, place) = place();
    let seed = concat!(env!("CARGO_MANIFEST_DIR"), "/../hostile/seeds/design");
    let mut seeds: Vec<_> = fs::read_dir(seed).unwrap().map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    let proof = directory.path().join("proof");
    fs::create_dir(&proof).unwrap();
    let mut continued = 0;
    for seed in &seeds {
        let Ok(mut design) = serde_json::from_slice::<Value>(&fs::read(seed).unwrap()) else { continue };
        fs::write(proof.join("design.json"), design.to_string()).unwrap();
        let resumed = words("prove", json!({ "resume": "proof", "budget": "2m" }), &place);
        let Ok(words) = resumed else { continue };
        continued += 1;
        let line = std::iter::once(OsString::from("syncline")).chain(words.iter().cloned());
        assert!(Arguments::try_parse_from(line).is_ok(), "{words:?}");
        design["current"]["settings"]["archive_command"] = json!("touch /tmp/x");
        fs::write(proof.join("design.json"), design.to_string()).unwrap();
        assert!(self::words("prove", json!({ "resume": "proof" }), &place).is_err(), "{seed:?}");
        design["current"]["settings"] = json!({});
        let asked = design["asked"].clone();
        design["asked"] = json!({ "race": [{ "name": "archive_command", "value": "touch /tmp/x" }] });
        fs::write(proof.join("design.json"), design.to_string()).unwrap();
        assert!(self::words("prove", json!({ "resume": "proof" }), &place).is_err(), "{seed:?}");
        design["asked"] = asked;
        design["fixed"] = json!({ "programs": "/opt/bin" });
        fs::write(proof.join("design.json"), design.to_string()).unwrap();
        assert!(self::words("prove", json!({ "resume": "proof" }), &place).is_err(), "{seed:?}");
    }
    assert!(continued > 0);
    // SQLite's settings are in no list of settings that advice has.
    let race = fs::read(format!("{seed}/race.json")).unwrap();
    let mut design: Value = serde_json::from_slice(&race).unwrap();
    design["database"] = json!("sqlite");
    design["current"]["settings"] = json!({});
    design["fixed"] = json!({});
    design["asked"] = json!({ "race": [{ "name": "cache_size", "value": "-16000" }] });
    fs::write(proof.join("design.json"), design.to_string()).unwrap();
    let resumed = words("prove", json!({ "resume": "proof", "budget": "2m" }), &place);
    assert!(resumed.is_ok(), "{}", resumed.unwrap_err());
    assert!(words("prove", json!({ "resume": "proof", "seed": 1 }), &place).is_err());
    assert!(words("prove", json!({ "resume": "/etc" }), &place).is_err());
}

#[test]
fn what_leads_out_of_the_directory_is_refused() {
    let (_directory, place) = place();
    for (tool, input) in [
        ("check", json!({ "dir": "/etc" })),
        ("check", json!({ "dir": "../" })),
        ("check", json!({ "dir": "link" })),
        ("run", json!({ "dir": "link/tmp" })),
        ("run", json!({ "studies": ["/etc/study.toml"] })),
        ("run", json!({ "studies": ["commit"], "fix": { "target": "/etc" } })),
        ("run", json!({ "studies": ["object-mix"], "fix": { "endpoints": "http://elsewhere" } })),
        ("run", json!({ "studies": ["commit"], "vary": { "programs": ["/bin"] } })),
        ("run", json!({ "studies": ["commit"], "fix": { "settings": "fsync = off" } })),
        ("run", json!({ "resume": "/etc" })),
        ("report", json!({ "run": "link/etc" })),
        ("advise", json!({ "run": "/etc" })),
        ("prove", json!({ "run": "link" })),
        ("prove", json!({ "dir": "/etc" })),
        ("observe", json!({ "dir": "/" })),
        ("observe", json!({ "run": "/etc" })),
        ("audit", json!({ "file": "/etc/passwd" })),
    ] {
        let refused = words(tool, input.clone(), &place).unwrap_err().to_string();
        assert!(!refused.contains('\n'), "{tool} {input}: {refused}");
    }
}

/// A study file of the client's own would start the programs that it names.
#[test]
fn a_study_file_that_names_programs_is_refused() {
    let (directory, place) = place();
    let study = |fixed: &str| {
        let text = format!(
            "question = \"?\"\nworkload = \"transactions\"\nbaseline = {{ clients = \"1\" }}\n[factors]\nclients = \
             [\"1\", \"2\"]\n[fixed]\n{fixed}\n[[ask]]\ncompare = \"clients\"\non = [\"transactions_per_s\"]\n\
             [profile.quick]\nrounds = 2\n"
        );
        fs::write(directory.path().join("my.toml"), text).unwrap();
        words("run", json!({ "studies": ["my.toml"] }), &place)
    };
    study("").unwrap();
    for fixed in ["programs = \"/bin\"", "settings = \"archive_command = x\""] {
        assert!(study(fixed).is_err(), "{fixed}");
    }
}

/// A client's word is not an option: `--pg-bin` would run its program.
#[test]
fn a_value_is_never_an_option() {
    let (_directory, place) = place();
    let words = words("run", json!({ "studies": ["--pg-bin=/bin"], "profile": "--dsn=x" }), &place).unwrap();
    let end = words.iter().position(|word| word == "--").unwrap();
    assert_eq!(words[end + 1..], [OsString::from("--pg-bin=/bin")]);
    assert!(words[..end].contains(&OsString::from("--profile=--dsn=x")));
}

#[test]
fn input_that_is_wrong_is_one_line() {
    let (_directory, place) = place();
    for (tool, input) in [
        ("check", json!({ "rounds": "many" })),
        ("check", json!({ "directory": "data" })),
        ("run", json!({ "budget": "soon" })),
        ("run", json!({ "budget": "2h" })),
        ("run", json!({ "resume": "run", "profile": "quick" })),
        ("observe", json!({ "time": "1h" })),
        ("report", json!({})),
    ] {
        let refused = words(tool, input.clone(), &place).unwrap_err();
        assert!(matches!(refused, Failure::Usage(_)), "{tool} {input}: {refused}");
        assert!(!refused.to_string().contains('\n'), "{refused}");
    }
}

#[test]
fn a_schema_names_every_field() {
    for tool in TOOLS {
        let schema = (tool.schema)();
        let fields = schema["properties"].as_object().unwrap();
        assert!(fields.values().all(|field| field["description"].is_string()), "{}: {fields:?}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
    }
}
