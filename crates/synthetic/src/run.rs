//! The run of a made-up study, every trial recorded.

use crate::study::Synthetic;
use crate::{append, bare, device, trial, turns};
use model::BufferPages;
use model::plan::{Plan, StudyPlan};
use model::run::Run;
use model::trial::{TrialKey, TrialOutcome, TrialRecord};
use model::turns::Arm;

impl Synthetic {
    /// The run of this study alone, every trial recorded.
    pub fn run(&self) -> Run {
        let plan = self.plan();
        let mut records = Vec::new();
        for round in 0..plan.rounds {
            for index in 0..plan.trials_per_round() {
                let key = key(&plan, round, index);
                let mut record = self.record(&plan, key, index);
                self.edits.iter().for_each(|edit| edit(&mut record));
                if self.rounds_in_turns.contains(&round) {
                    turns::take(&mut record, &plan);
                    self.turns_edits.iter().for_each(|edit| edit(&mut record));
                }
                let description = plan.description(record.key.configuration);
                if let (Some(measurement), Some(description)) = (&mut record.measurement, description) {
                    workload::phases::complete(measurement, description);
                }
                records.push(record);
            }
        }
        let plan = Plan {
            program_version: "0.1.0".to_owned(),
            created_at: "2026-11-21T10:00:00Z".to_owned(),
            directory: "/srv/data".into(),
            seed: 1,
            studies: vec![plan],
            ..Plan::default()
        };
        Run { plan, host: trial::host(), records, remarks: Vec::new() }
    }

    fn record(&self, plan: &StudyPlan, key: TrialKey, position: usize) -> TrialRecord {
        let values = plan.configurations[key.configuration].clone();
        let seed = u64::from(key.round) * 1000 + position as u64;
        let of_block =
            self.spread_of_blocks * trial::normal(1 << 40 | u64::from(key.round) << 8 | u64::from(key.block));
        let rate = (self.rate)(&values, key.round) * (self.scatter * trial::normal(seed) + of_block).exp();
        let mut measurement = match self.workload {
            "append" => append::measurement(&values, rate),
            "device" => device::measurement(&values, rate),
            "kv" | "pool" | "scan" => bare::measurement(),
            _ => trial::measurement(&values, rate),
        };
        measurement.buffers = BufferPages::in_configuration(&values).ok().map(trial::buffers);
        TrialRecord {
            format_version: 1,
            position: position as u32,
            warmup: false,
            session: 0,
            seed,
            ensemble: Vec::new(),
            started_at: format!("2026-11-21T10:{:02}:{position:02}Z", key.round),
            wall_s: 2.5,
            prepare_s: 0.1,
            canary: None,
            pauses: Some(Vec::new()),
            outcome: TrialOutcome::Ok,
            measurement: Some(measurement),
            values,
            key,
        }
    }
}

/// The trial with this index in its round: every configuration, the A/A arm, and the baseline again in every further
/// block. The other arms change blocks from round to round.
fn key(plan: &StudyPlan, round: u32, index: usize) -> TrialKey {
    let configurations = plan.configurations.len();
    let duplicate = index == configurations;
    let configuration = if index < configurations { index } else { plan.duplicate };
    let block = if duplicate || configuration != plan.duplicate {
        turns::block(plan, round, Arm { configuration, duplicate })
    } else {
        u32::try_from(index.saturating_sub(configurations)).unwrap_or(0)
    };
    TrialKey { study: plan.name.clone(), round, configuration, duplicate, block }
}
