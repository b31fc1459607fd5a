//! A study that measures nothing, for the rules that only look at which trials have a record.

use model::plan::{Plan, StudyPlan};
use model::trial::{Outcome, TrialKey, TrialRecord};
use model::{Configuration, Description, FORMAT_VERSION};

/// Two configurations and the A/A arm: three trials a round.
pub(crate) fn study(name: &str, warmup_rounds: u32, rounds: u32) -> StudyPlan {
    StudyPlan {
        name: name.to_owned(),
        question: String::new(),
        workload: "toy".to_owned(),
        profile: "quick".to_owned(),
        factors: Vec::new(),
        configurations: vec![Configuration::default(); 2],
        descriptions: vec![Description::default(); 2],
        baseline: Configuration::default(),
        duplicate: 0,
        asks: Vec::new(),
        responses: Vec::new(),
        warmup_rounds,
        rounds,
        turns: model::plan::Turns::Off,
        blocks: None,
        alone: Vec::new(),
        looks: Vec::new(),
        fresh_placement: false,
        round_s_stated: None,
        excluded: Vec::new(),
    }
}

pub(crate) fn plan(studies: Vec<StudyPlan>) -> Plan {
    Plan {
        format_version: FORMAT_VERSION,
        program_version: "0".to_owned(),
        created_at: String::new(),
        directory: "/data".into(),
        server: None,
        database: None,
        rank: None,
        again: false,
        seed: 7,
        budget_s: None,
        studies,
        skipped: Vec::new(),
    }
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
        outcome: Outcome::Unsupported("a toy measures nothing".to_owned()),
        measurement: None,
    }
}
