//! A made-up study: built step by step, and planned.

use model::plan::{Blocks, Factor, Resource, Shortage, StudyPlan, Turns};
use model::study::{Ask, AskKind};
use model::trial::TrialRecord;
use model::{Configuration, Nanos, Value};
use std::collections::BTreeMap;
use std::ops::Range;

type Rate = Box<dyn Fn(&Configuration, u32) -> f64>;
type Edit = Box<dyn Fn(&mut TrialRecord)>;
type Excludes = Box<dyn Fn(&Configuration) -> bool>;

/// A made-up study: what it asks, what is true of it, and how much its trials scatter.
pub struct Synthetic {
    pub(crate) workload: &'static str,
    pub(crate) factors: Vec<Factor>,
    pub(crate) fixed: BTreeMap<String, Value>,
    pub(crate) excludes: Option<Excludes>,
    pub(crate) asks: Vec<Ask>,
    pub(crate) rounds: u32,
    pub(crate) looks: Vec<u32>,
    pub(crate) rate: Rate,
    pub(crate) scatter: f64,
    pub(crate) edits: Vec<Edit>,
    pub(crate) rounds_in_turns: Range<u32>,
    pub(crate) blocks: Option<Blocks>,
    pub(crate) spread_of_blocks: f64,
    pub(crate) turns_edits: Vec<Edit>,
}

/// A level that is a name.
pub fn name(text: &str) -> Value {
    Value::Name(text.to_owned())
}

/// An ask about these metrics, without more.
pub fn ask(kind: AskKind, factor: &str, on: &[&str]) -> Ask {
    Ask::new(kind, factor, on.iter().copied())
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
            excludes: None,
            asks: vec![ask(AskKind::Compare, "mode", &["commits_per_s"])],
            rounds: 10,
            looks: Vec::new(),
            rate: Box::new(|_, _| 1000.0),
            scatter: 0.02,
            edits: Vec::new(),
            rounds_in_turns: 0..0,
            turns_edits: Vec::new(),
            blocks: None,
            spread_of_blocks: 0.0,
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

    /// Leaves out the combinations of levels for which this holds.
    #[must_use]
    pub fn exclude(mut self, excludes: impl Fn(&Configuration) -> bool + 'static) -> Self {
        self.excludes = Some(Box::new(excludes));
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

    /// The trials of these rounds take turns; those of the others run one after another. The kernel's counters cover
    /// twice what the windows do.
    #[must_use]
    pub fn in_turns(mut self, rounds: Range<u32>) -> Self {
        self.rounds_in_turns = rounds;
        self
    }

    /// Every round is divided into this number of blocks, each faster or slower than the next: `spread` is the standard
    /// deviation of its rate's logarithm.
    #[must_use]
    pub fn in_blocks(mut self, count: u32, spread: f64) -> Self {
        let shortage = Shortage { short: Resource::Memory, needed: 12 << 30, available: 4 << 30 };
        self.blocks = Some(Blocks { count, shortage });
        self.spread_of_blocks = spread;
        self
    }

    /// Changes every record of a trial that took turns, its turns included.
    #[must_use]
    pub fn edit_turns(mut self, edit: impl Fn(&mut TrialRecord) + 'static) -> Self {
        self.turns_edits.push(Box::new(edit));
        self
    }

    /// The study as planned: every combination of levels that is not excluded.
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
        if let Some(excludes) = &self.excludes {
            configurations.retain(|configuration| !excludes(configuration));
        }
        let mut plan = StudyPlan {
            name: self.workload.to_owned(),
            question: "Does O_DIRECT make commits cheaper?".to_owned(),
            workload: self.workload.to_owned(),
            profile: "quick".to_owned(),
            factors: self.factors.clone(),
            configurations,
            baseline: Configuration(BTreeMap::from([("mode".to_owned(), name("buffered"))])),
            asks: self.asks.clone(),
            rounds: self.rounds,
            turns: if self.rounds_in_turns.is_empty() { Turns::Off } else { Turns::Auto },
            blocks: self.blocks,
            looks: self.looks.clone(),
            ..StudyPlan::default()
        };
        workload::older_plan::complete(&mut plan);
        plan
    }
}
