//! What docs/records.md says about the records holds for real ones: the schema, and the examples in other languages.

use crate::laboratory;

use jsonschema::Validator;
use laboratory::{Laboratory, WITHOUT_WAITING, root, text};
use model::mechanism::Measured;
use model::plan::{Blocks, Plan, Resource, Shortage, Skipped, Turns};
use model::rank::Rank;
use model::shared::SharedTrial;
use model::spikes::SpikesOfRecording;
use model::traced::{
    Segment, SegmentTime, Stage, TimeSpent, TracedFamily, TracedKey, TracedNeighbour, TracedOutcome,
    TracedPhase, TracedTrial,
};
use model::trial::{TrialOutcome, TrialRecord};
use model::turns::TurnsTaken;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// A schema, with every property that it does not describe forbidden.
fn strict(name: &str) -> Validator {
    let path = root().join(format!("docs/schema/{name}.schema.json"));
    let mut schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    forbid_unknown(&mut schema);
    jsonschema::draft202012::meta::validate(&schema).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

fn assert_valid(validator: &Validator, value: &Value) {
    let errors: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert_eq!(errors, Vec::<String>::new(), "{value:#}");
}

fn forbid_unknown(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let describes = fields.get("type") == Some(&json!("object")) && fields.contains_key("properties");
            if describes && !fields.contains_key("additionalProperties") {
                fields.insert("additionalProperties".to_owned(), json!(false));
            }
            fields.values_mut().for_each(forbid_unknown);
        }
        Value::Array(items) => items.iter_mut().for_each(forbid_unknown),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn plan(lab: &Laboratory) -> Value {
    serde_json::from_str(&fs::read_to_string(lab.run_directory().join("plan.json")).unwrap()).unwrap()
}

fn lines(lab: &Laboratory) -> Vec<Value> {
    let text = fs::read_to_string(lab.run_directory().join("trials.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn records_are_what_the_schema_describes() {
    let (trial, plans) = (strict("trial"), strict("plan"));
    let studies = [
        laboratory::STUDY,
        "question = \"q\"\nworkload = \"device\"\n[factors]\nmode = [\"buffered\", \"direct\"]\n[fixed]\nsize = \"8MiB\"\nruntime = \"50ms\"\n[profile.quick]\nrounds = 1\n",
        "question = \"q\"\nworkload = \"append\"\nbaseline = { arm = \"fdatasync\" }\n[[arm]]\nname = \"fdatasync\"\ndurability = \"fdatasync\"\n[[arm]]\nname = \"user_buffer_64k\"\nbuffer_size = \"64KiB\"\n[fixed]\nentries = 50\n[profile.quick]\nrounds = 1\n",
        "question = \"q\"\nworkload = \"kv\"\n[factors]\nengine = [\"store\", \"fjall\"]\n[fixed]\nkeys = 50\ncache_size = \"8MiB\"\nphase_runtime = \"5ms\"\n[profile.quick]\nrounds = 1\n",
        "question = \"q\"\nworkload = \"object\"\n[factors]\nclients = [1, 2]\n[fixed]\nobjects = 100\nobject_size = \"4KiB\"\nruntime = \"50ms\"\n[profile.quick]\nrounds = 1\n",
    ];
    for study in studies {
        let lab = Laboratory::new();
        fs::write(lab.path().join("study.toml"), study).unwrap();
        let arguments = ["run", "study.toml", "--dir", "disk", "--out", "run", "--rounds", "1"];
        let output = lab.syncline(&arguments).args(WITHOUT_WAITING).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
        assert_valid(&plans, &plan(&lab));
        let lines = lines(&lab);
        assert!(!lines.is_empty());
        for line in &lines {
            assert_valid(&trial, line);
        }
    }
}

#[test]
fn a_line_about_a_traced_trial_is_what_the_schema_describes() {
    let segments: Vec<SegmentTime> = Stage::ALL
        .into_iter()
        .map(|stage| SegmentTime { segment: Segment { stage, journal: true }, duration_ns: 7 })
        .collect();
    let spent = TimeSpent { operations: 3, duration_ns: 84, foreign_requests: 1, segments: segments.clone() };
    let family = TracedFamily {
        family: "commit_latency".to_owned(),
        unmatched: 1,
        unstamped: 0,
        all: spent.clone(),
        slowest: spent,
        slowest_operation: segments,
        neighbours: vec![TracedNeighbour { program: "dd".to_owned(), ran_ns: 7, requests: 1 }],
    };
    let phase = TracedPhase {
        name: "measure".to_owned(),
        traced_s: 2.0,
        events: 1000,
        lost_records: 0,
        events_beyond_limit: 0,
        missing_tracepoints: vec!["jbd2/jbd2_end_commit: no".to_owned()],
        families: vec![family],
    };
    let outcomes = [
        TracedOutcome::Traced(vec![phase]),
        TracedOutcome::Failed("the disk is full".to_owned()),
        TracedOutcome::Unsupported("run as root".to_owned()),
    ];
    for outcome in outcomes {
        let line = TracedTrial {
            format_version: model::FORMAT_VERSION,
            key: TracedKey { study: "commit".to_owned(), configuration: 0, repetition: 2 },
            started_at: "2026-11-21T10:00:00Z".to_owned(),
            outcome,
        };
        assert_valid(&strict("traced"), &serde_json::to_value(line).unwrap());
    }
}

/// What a plan has only under a budget, on shared storage, or if a machine lacks something.
#[test]
fn a_plan_with_a_budget_is_what_the_schema_describes() {
    let lab = Laboratory::new();
    let arguments = ["run", "tiny.toml", "--dir", "disk", "--out", "run", "--budget", "1s", "--rounds", "6"];
    let output = lab.syncline(&arguments).output().unwrap();
    // If no round after the warm-up fits into the second nothing is analysed, and the run says so.
    assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{}", text(&output));
    let mut plan = plan(&lab);
    assert_eq!(plan["budget_s"], json!(1.0));
    assert!(plan["studies"][0]["looks"].is_array(), "{plan:#}");
    let mut read: Plan = serde_json::from_value(plan.clone()).unwrap();
    let (study, why) = ("memory".to_owned(), "it needs control groups".to_owned());
    read.skipped.push(Skipped { study, why });
    read.rank = Some(Rank { is_shared: true, ..Rank::new(0, Some(4)) });
    plan = serde_json::to_value(&read).unwrap();
    assert_eq!(plan["skipped"][0]["study"], "memory");
    let validator = strict("plan");
    assert_valid(&validator, &plan);
    for (place, wrong) in
        [("/budget_s", json!("1s")), ("/format_version", json!(2)), ("/studies/0/looks", json!([0]))]
    {
        let mut spoiled = plan.clone();
        *spoiled.pointer_mut(place).unwrap() = wrong;
        assert!(!validator.is_valid(&spoiled), "{place}");
    }
}

/// What the ranks of a shared run measured together, with all that a line may have.
#[test]
fn shared_trials_are_what_the_schema_describes() {
    let validator = strict("shared");
    let line = fs::read_to_string(root().join("crates/hostile/seeds/shared/two-ranks.json")).unwrap();
    let trial: SharedTrial = serde_json::from_str(&line).unwrap();
    let written = serde_json::to_value(&trial).unwrap();
    assert_valid(&validator, &written);
    for (place, wrong) in
        [("/ranks", json!(0)), ("/format_version", json!(2)), ("/by_rank/0/rank", json!(-1))]
    {
        let mut spoiled = written.clone();
        *spoiled.pointer_mut(place).unwrap() = wrong;
        assert!(!validator.is_valid(&spoiled), "{place}");
    }
}

#[test]
fn the_spikes_of_a_recording_are_what_the_schema_describes() {
    let validator = strict("spikes");
    for seed in ["two", "none"] {
        let path = root().join(format!("crates/hostile/seeds/spikes/{seed}.json"));
        let spikes: SpikesOfRecording = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        assert_valid(&validator, &serde_json::to_value(&spikes).unwrap());
    }
}

/// Every way in which a plan lets its trials take turns, and records with and without turns.
#[test]
fn turns_are_what_the_schemas_describe() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1", "--interleave", "off"]).output().unwrap();
    let (plan, line) = (plan(&lab), lines(&lab).remove(0));
    let (plans, trials) = (strict("plan"), strict("trial"));
    let mut read: Plan = serde_json::from_value(plan).unwrap();
    let short = [Resource::Room, Resource::Memory, Resource::LockedMemory, Resource::OpenFiles];
    let short = short.map(|short| Shortage { short, needed: 2, available: 1 });
    let turns = [Turns::Off, Turns::Auto, Turns::Every(0.025)];
    for turns in turns.into_iter().chain(short.map(Turns::DoNotFit)) {
        read.studies[0].turns = turns;
        assert_valid(&plans, &serde_json::to_value(&read).unwrap());
    }
    read.studies[0].turns = Turns::Auto;
    for shortage in short {
        read.studies[0].blocks = Some(Blocks { count: 2, shortage });
        assert_valid(&plans, &serde_json::to_value(&read).unwrap());
    }
    let mut record: TrialRecord = serde_json::from_value(line).unwrap();
    record.ensemble = vec![record.key.arm()];
    record.key.block = 1;
    for left_bytes_max in [None, Some(Measured::Value(4096)), Some(Measured::unsupported("no cachestat"))] {
        let turns = TurnsTaken {
            slices: 26,
            slice_s: 0.025,
            turns_s: 0.8,
            drained_s: 0.05,
            operations: 1000,
            left_bytes_max,
            idle_bytes: None,
        };
        record.measurement.as_mut().unwrap().phases[0].turns = Some(turns);
        assert_valid(&trials, &serde_json::to_value(&record).unwrap());
    }
}

/// What the schema requires is what Syncline requires.
#[test]
fn a_plan_that_lacks_something_is_refused_by_both() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1"]).output().unwrap();
    let (plan, validator) = (plan(&lab), strict("plan"));
    for place in ["", "/studies/0", "/studies/0/factors/0", "/studies/0/asks/0"] {
        for name in plan.pointer(place).unwrap().as_object().unwrap().keys() {
            let mut without = plan.clone();
            without.pointer_mut(place).unwrap().as_object_mut().unwrap().remove(name);
            let read = serde_json::from_value::<Plan>(without.clone()).is_ok();
            assert_eq!(validator.is_valid(&without), read, "{place} without {name}");
        }
    }
}

/// What the schema requires is what Syncline requires, as far as a line's own properties go.
#[test]
fn a_line_that_lacks_something_is_refused_by_both() {
    let lab = Laboratory::new();
    lab.run(&["--rounds", "1"]).output().unwrap();
    let line = lines(&lab).remove(0);
    let validator = strict("trial");
    for name in line.as_object().unwrap().keys() {
        let mut without = line.clone();
        without.as_object_mut().unwrap().remove(name);
        let read = serde_json::from_value::<TrialRecord>(without.clone());
        // A successful trial without a measurement can be read, and counts as failed.
        let sound =
            read.is_ok_and(|record| record.outcome != TrialOutcome::Ok || record.measurement.is_some());
        assert_eq!(validator.is_valid(&without), sound, "without {name}");
    }
}

/// The python of `scripts/install-data-frames`; `None`, with the reason printed, if it has not run.
fn python() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    let python = cache.join("syncline/data-frames/venv/bin/python");
    if !python.exists() {
        skip::because("no duckdb and pandas (make tools)");
        return None;
    }
    Some(python)
}

/// The first block of that language on the page, about this run.
fn example(language: &str) -> String {
    let page = fs::read_to_string(root().join("docs/records.md")).unwrap();
    let (_, rest) = page.split_once(&format!("```{language}\n")).unwrap();
    rest.split_once("```").unwrap().0.replace("RUN/", "run/")
}

#[test]
fn the_examples_count_and_average_as_the_records_do() {
    let Some(python) = python() else { return };
    let lab = Laboratory::new();
    let output = lab.run(&["--rounds", "2"]).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", text(&output));
    let counted: Vec<f64> = lab
        .records()
        .iter()
        .filter(|record| !record.warmup && !record.key.duplicate && record.values.is("mode", "direct"))
        .filter_map(|record| record.figure("commits_per_s"))
        .collect();
    let mean = counted.iter().sum::<f64>() / counted.len() as f64;
    let duckdb = format!(
        "import duckdb\nfor row in duckdb.sql({}).fetchall(): print(*row)",
        serde_json::to_string(&example("sql")).unwrap()
    );
    for program in [duckdb, example("python")] {
        let output = Command::new(&python).args(["-c", &program]).current_dir(lab.path()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output));
        let said = String::from_utf8(output.stdout).unwrap();
        let row = said.lines().find(|line| line.starts_with("direct")).unwrap_or_else(|| panic!("{said}"));
        let [_, n, average] = row.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{said}") };
        assert_eq!(n.parse::<usize>().unwrap(), counted.len(), "{said}");
        assert!((average.parse::<f64>().unwrap() / mean - 1.0).abs() < 1e-4, "{said}: {mean}");
    }
}
