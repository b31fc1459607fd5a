//! Runs made up for tests: studies whose every figure is known, and the means to spoil one.

mod append;
mod bare;
mod device;
mod trial;

pub use trial::sidecar;

use model::plan::{Factor, Plan, StudyPlan};
use model::run::Run;
use model::study::{Ask, AskKind};
use model::trial::{Outcome, TrialKey, TrialRecord};
use model::{BufferPages, Configuration, Nanos, Value};
use std::collections::BTreeMap;

type Rate = Box<dyn Fn(&Configuration, u32) -> f64>;
type Edit = Box<dyn Fn(&mut TrialRecord)>;

/// A made-up study: what it asks, what is true of it, and how much its trials scatter.
pub struct Synthetic {
    workload: &'static str,
    factors: Vec<Factor>,
    fixed: BTreeMap<String, Value>,
    asks: Vec<Ask>,
    rounds: u32,
    looks: Vec<u32>,
    rate: Rate,
    scatter: f64,
    edits: Vec<Edit>,
}

/// A level that is a name.
pub fn name(text: &str) -> Value {
    Value::Name(text.to_owned())
}

/// An ask about these metrics, without more.
pub fn ask(kind: AskKind, factor: &str, on: &[&str]) -> Ask {
    let on = on.iter().map(|metric| (*metric).to_owned()).collect();
    Ask {
        kind,
        factor: factor.to_owned(),
        between: None,
        limit: None,
        each: None,
        mechanism: None,
        at: BTreeMap::new(),
        references: Vec::new(),
        on,
    }
}

impl Synthetic {
    /// mode × `group_size`, ten rounds, 1000 commits/s everywhere, 2 % of scatter.
    pub fn commit() -> Self {
        let counts = |levels: &[u64]| levels.iter().map(|level| Value::Count(*level)).collect();
        let fixed = [
            ("sync", name("fdatasync")),
            ("group_write", name("coalesced")),
            ("data_mode", name("same")),
            ("wal_mode", name("same")),
            ("cache", name("cold")),
            ("pacing", name("exact")),
            ("ioengine", name("uring")),
            ("committers", Value::Count(1)),
            ("read_depth", Value::Count(4)),
            ("reads_per_commit", Value::Count(4)),
            ("page_size", Value::Bytes(4096)),
            ("buffer_pages", name("small")),
            ("runtime", Value::Duration(Nanos::from_millis(2000))),
        ];
        Self {
            workload: "commit",
            factors: vec![
                Factor { name: "mode".to_owned(), levels: vec![name("buffered"), name("direct")] },
                Factor { name: "group_size".to_owned(), levels: counts(&[1, 4]) },
            ],
            fixed: fixed.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
            asks: vec![ask(AskKind::Compare, "mode", &["commits_per_s"])],
            rounds: 10,
            looks: Vec::new(),
            rate: Box::new(|_, _| 1000.0),
            scatter: 0.02,
            edits: Vec::new(),
        }
    }

    /// This number of rounds.
    #[must_use]
    pub fn rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    /// Looked at after these rounds, of which the first `rounds` have run.
    #[must_use]
    pub fn looks(mut self, looks: &[u32]) -> Self {
        self.looks = looks.to_vec();
        self
    }

    /// The true rate of commits or operations by configuration and round.
    #[must_use]
    pub fn rate(mut self, rate: impl Fn(&Configuration, u32) -> f64 + 'static) -> Self {
        self.rate = Box::new(rate);
        self
    }

    /// Standard deviation of the rate's logarithm over trials.
    #[must_use]
    pub fn scatter(mut self, scatter: f64) -> Self {
        self.scatter = scatter;
        self
    }

    /// Replaces the asks.
    #[must_use]
    pub fn asks(mut self, asks: Vec<Ask>) -> Self {
        self.asks = asks;
        self
    }

    /// Sets a parameter in every configuration.
    #[must_use]
    pub fn fix(mut self, parameter: &str, value: Value) -> Self {
        self.fixed.insert(parameter.to_owned(), value);
        self
    }

    /// Replaces the levels of a factor, or adds the factor.
    #[must_use]
    pub fn vary(mut self, factor: &str, levels: Vec<Value>) -> Self {
        match self.factors.iter_mut().find(|known| known.name == factor) {
            Some(known) => known.levels = levels,
            None => self.factors.push(Factor { name: factor.to_owned(), levels }),
        }
        self
    }

    /// As a version planned it that did not have the parameter yet.
    #[must_use]
    pub fn without(mut self, parameter: &str) -> Self {
        self.fixed.remove(parameter);
        self
    }

    /// Changes every record after it was made.
    #[must_use]
    pub fn edit(mut self, edit: impl Fn(&mut TrialRecord) + 'static) -> Self {
        self.edits.push(Box::new(edit));
        self
    }

    /// The study as planned: every combination of levels.
    pub fn plan(&self) -> StudyPlan {
        let mut configurations = vec![Configuration(self.fixed.clone())];
        for factor in &self.factors {
            configurations = configurations
                .iter()
                .flat_map(|configuration| {
                    factor.levels.iter().map(|level| {
                        let mut configuration = configuration.clone();
                        configuration.0.insert(factor.name.clone(), level.clone());
                        configuration
                    })
                })
                .collect();
        }
        let mut plan = StudyPlan {
            name: self.workload.to_owned(),
            question: "Does O_DIRECT make commits cheaper?".to_owned(),
            workload: self.workload.to_owned(),
            profile: "quick".to_owned(),
            factors: self.factors.clone(),
            configurations,
            descriptions: Vec::new(),
            baseline: Configuration(BTreeMap::from([("mode".to_owned(), name("buffered"))])),
            duplicate: 0,
            asks: self.asks.clone(),
            responses: Vec::new(),
            warmup_rounds: 0,
            rounds: self.rounds,
            looks: self.looks.clone(),
            fresh_placement: false,
            excluded: Vec::new(),
        };
        workload::describe::complete(&mut plan);
        plan
    }

    /// The run of this study alone, every trial recorded.
    pub fn run(&self) -> Run {
        let plan = self.plan();
        let mut records = Vec::new();
        for round in 0..plan.rounds {
            for index in 0..plan.trials_per_round() {
                let duplicate = index == plan.configurations.len();
                let configuration = if duplicate { plan.duplicate } else { index };
                let key = TrialKey { study: plan.name.clone(), round, configuration, duplicate };
                let mut record = self.record(&plan, key, index);
                self.edits.iter().for_each(|edit| edit(&mut record));
                records.push(record);
            }
        }
        let plan = Plan {
            format_version: 1,
            program_version: "0.1.0".to_owned(),
            created_at: "2026-11-21T10:00:00Z".to_owned(),
            directory: "/srv/data".into(),
            server: None,
            seed: 1,
            budget_s: None,
            studies: vec![plan],
            skipped: Vec::new(),
        };
        Run { plan, host: trial::host(), records, remarks: Vec::new() }
    }

    fn record(&self, plan: &StudyPlan, key: TrialKey, position: usize) -> TrialRecord {
        let values = plan.configurations[key.configuration].clone();
        let seed = u64::from(key.round) * 1000 + position as u64;
        let rate = (self.rate)(&values, key.round) * (self.scatter * trial::normal(seed)).exp();
        let mut measurement = match self.workload {
            "append" => append::measurement(&values, rate),
            "device" => device::measurement(&values, rate),
            "kv" | "pool" | "scan" => bare::measurement(),
            _ => trial::measurement(&values, rate),
        };
        measurement.buffers = BufferPages::of(&values).ok().map(trial::buffers);
        TrialRecord {
            format_version: 1,
            position: position as u32,
            warmup: false,
            session: 0,
            seed,
            started_at: format!("2026-11-21T10:{:02}:{position:02}Z", key.round),
            wall_s: 2.5,
            prepare_s: 0.1,
            canary: None,
            pauses: Some(Vec::new()),
            outcome: Outcome::Ok,
            measurement: Some(measurement),
            values,
            key,
        }
    }
}
