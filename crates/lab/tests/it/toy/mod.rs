//! A study that measures nothing, for the rules that only look at which trials have a record.

use model::plan::{Plan, StudyPlan};
use model::trial::{TrialKey, TrialOutcome, TrialRecord};
use model::{Configuration, Description, FORMAT_VERSION};

/// Two configurations and the A/A arm: three trials a round.
pub(crate) fn study(name: &str, warmup_rounds: u32, rounds: u32) -> StudyPlan {
    StudyPlan {
        name: name.to_owned(),
        workload: "toy".to_owned(),
        profile: "quick".to_owned(),
        configurations: vec![Configuration::default(); 2],
        descriptions: vec![Description::default(); 2],
        warmup_rounds,
        rounds,
        ..StudyPlan::default()
    }
}

pub(crate) fn plan(studies: Vec<StudyPlan>) -> Plan {
    Plan { program_version: "0".to_owned(), directory: "/data".into(), seed: 7, studies, ..Plan::default() }
}

/// A trial that took so long in all.
pub(crate) fn record(key: TrialKey, seconds: f64) -> TrialRecord {
    TrialRecord {
        format_version: FORMAT_VERSION,
        warmup: key.round == 0,
        key,
        position: 0,
        session: 1,
        values: Configuration::default(),
        seed: 1,
        ensemble: Vec::new(),
        started_at: String::new(),
        wall_s: 0.75 * seconds,
        prepare_s: 0.25 * seconds,
        canary: None,
        pauses: None,
        outcome: TrialOutcome::Unsupported("a toy measures nothing".to_owned()),
        measurement: None,
    }
}
