//! A stage of a proof: one run with a study for each load.

use crate::change::Change;
use crate::comparison::{Comparison, Subject};
use crate::design::Design;
use crate::load::Load;
use crate::server::{NamedServer, Server};
use crate::stage_kind::StageKind;
use crate::{CURRENT, METRIC, WORKLOAD};
use model::study::{Ask, AskKind, Profile, Study};
use std::collections::BTreeMap;

/// Servers that are alive together in a race, without the one that runs now. Each has its own copy of the cluster.
const CANDIDATES_TOGETHER_MAX: usize = 6;
/// The arm with all changes.
const BUNDLE: &str = "bundle";
/// Analysed rounds of a study until its first look: fewer give no interval.
const ROUNDS: u32 = 6;
/// Shown beside the metric that decides.
const RESPONSES: &[&str] = &["transaction_latency_p50_us", "transaction_latency_p99_us"];

/// One run of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What it is for.
    pub kind: StageKind,
    /// What it compares with what runs now, or takes apart. Empty for servers.
    pub changes: Vec<ChangeKey>,
    /// One for each load; in a race, one for each load and each few candidates.
    pub studies: Vec<StageStudy>,
    /// The divisor of the proof's error in each of its comparisons.
    pub family: usize,
}

/// A change's setting and value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeKey {
    /// The setting.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// One study of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageStudy {
    /// Its name.
    pub name: String,
    /// What the clients do.
    pub load: Load,
    /// Its arms, the baseline first.
    pub arms: Vec<NamedServer>,
    /// What is compared.
    pub comparisons: Vec<Comparison>,
}

impl Stage {
    /// All changes against what runs now, under these loads.
    pub(crate) fn bundle(design: &Design, kind: StageKind, changes: &[&Change], loads: &[Load]) -> Self {
        let subject = if kind == StageKind::Mended { Subject::Mended } else { Subject::Bundle };
        let arms = vec![
            arm(CURRENT, design.current.clone()),
            arm(BUNDLE, design.current.with_all(changes.iter().copied())),
        ];
        let comparison = Comparison { subject, base: CURRENT.to_owned(), other: BUNDLE.to_owned() };
        let study = |load: &Load| StageStudy {
            name: load.to_string(),
            load: *load,
            arms: arms.clone(),
            comparisons: vec![comparison.clone()],
        };
        Self::new(design, kind, changes, loads.iter().map(study).collect())
    }

    /// The bundle against itself without each of its changes, under the loads that can show the change.
    pub(crate) fn settings(design: &Design, changes: &[&Change], loads: &[Load]) -> Self {
        let without = |left_out: &Change| {
            let others = changes.iter().copied().filter(|change| change.name != left_out.name);
            design.current.with_all(others)
        };
        let name_of = |change: &Change| format!("without_{}", change.name);
        let study = |load: &Load| {
            let shown: Vec<&&Change> =
                changes.iter().filter(|change| design.loads(&change.name).contains(load)).collect();
            let bundle = design.current.with_all(changes.iter().copied());
            let mut arms = vec![arm(BUNDLE, bundle)];
            arms.extend(shown.iter().map(|change| arm(&name_of(change), without(change))));
            let comparison = |change: &&&Change| Comparison {
                subject: Subject::Setting(change.name.clone()),
                base: name_of(change),
                other: BUNDLE.to_owned(),
            };
            let comparisons: Vec<Comparison> = shown.iter().map(comparison).collect();
            StageStudy { name: load.to_string(), load: *load, arms, comparisons }
        };
        let studies = loads.iter().map(study).filter(|study| !study.comparisons.is_empty()).collect();
        Self::new(design, StageKind::Settings, changes, studies)
    }

    /// Each candidate alone against what runs now, under the loads that can show it.
    pub(crate) fn heat(design: &Design, number: u32, candidates: &[&Change], loads: &[Load]) -> Self {
        let mut studies = Vec::new();
        for load in loads {
            let shown: Vec<&&Change> =
                candidates.iter().filter(|change| design.loads(&change.name).contains(load)).collect();
            for (part, shown) in shown.chunks(CANDIDATES_TOGETHER_MAX).enumerate() {
                let name = if part == 0 { load.to_string() } else { format!("{load}-part-{}", part + 1) };
                studies.push(race(design, name, *load, shown));
            }
        }
        Self::new(design, StageKind::Heat(number), candidates, studies)
    }

    /// Named servers against the baseline.
    pub(crate) fn servers(design: &Design, servers: &[NamedServer]) -> Self {
        let mut arms = vec![arm(CURRENT, design.current.clone())];
        arms.extend(servers.iter().cloned());
        let comparison = |named: &NamedServer| Comparison {
            subject: Subject::Server(named.name.clone()),
            base: CURRENT.to_owned(),
            other: named.name.clone(),
        };
        let comparisons: Vec<Comparison> = servers.iter().map(comparison).collect();
        let study = |load: Load| StageStudy {
            name: load.to_string(),
            load,
            arms: arms.clone(),
            comparisons: comparisons.clone(),
        };
        Self::new(design, StageKind::Servers, &[], design.all_loads().into_iter().map(study).collect())
    }

    fn new(design: &Design, kind: StageKind, changes: &[&Change], studies: Vec<StageStudy>) -> Self {
        let key = |change: &&Change| ChangeKey { name: change.name.clone(), value: change.value.clone() };
        Self { kind, changes: changes.iter().map(key).collect(), studies, family: design.family(kind) }
    }

    /// Whether it has this change.
    pub(crate) fn has(&self, change: &Change) -> bool {
        self.changes.iter().any(|key| key.name == change.name && key.value == change.value)
    }

    /// The studies as the lab plans them.
    pub fn studies(&self, design: &Design) -> Vec<Study> {
        self.studies.iter().map(|study| study.planned(self.kind, design)).collect()
    }
}

fn race(design: &Design, name: String, load: Load, candidates: &[&&Change]) -> StageStudy {
    let name_of = |change: &Change| format!("{} = {}", change.name, change.value);
    let mut arms = vec![arm(CURRENT, design.current.clone())];
    arms.extend(candidates.iter().map(|change| arm(&name_of(change), design.current.with(change))));
    let comparison = |change: &&&Change| Comparison {
        subject: Subject::Candidate { name: change.name.clone(), value: change.value.clone() },
        base: CURRENT.to_owned(),
        other: name_of(change),
    };
    let comparisons = candidates.iter().map(comparison).collect();
    StageStudy { name, load, arms, comparisons }
}

fn arm(name: &str, server: Server) -> NamedServer {
    NamedServer { name: name.to_owned(), server }
}

impl StageStudy {
    fn planned(&self, kind: StageKind, design: &Design) -> Study {
        let owned = |pairs: &[(&str, String)]| -> BTreeMap<String, String> {
            pairs.iter().map(|(name, level)| ((*name).to_owned(), level.clone())).collect()
        };
        let arm = |named: &NamedServer| {
            let mut levels = named.server.levels();
            levels.insert("name".to_owned(), named.name.clone());
            levels
        };
        let Load { script, clients, has_fresh_segments } = self.load;
        let segments = if has_fresh_segments { "fresh" } else { "prefilled" };
        let mut fixed = owned(&[
            ("script", script.to_string()),
            ("clients", clients.to_string()),
            ("scale", self.load.scale().to_string()),
            ("wal_segments", segments.to_owned()),
            ("runtime", format!("{}ms", (design.runtime_s * 1e3).round())),
        ]);
        fixed.extend(design.fixed.clone());
        let baseline = self.arms.first().map(|named| named.name.clone()).unwrap_or_default();
        Study {
            name: self.name.clone(),
            question: question(kind, self.load),
            workload: WORKLOAD.to_owned(),
            baseline: owned(&[("arm", baseline)]),
            arms: self.arms.iter().map(arm).collect(),
            fixed,
            asks: vec![Ask {
                kind: AskKind::Compare,
                factor: model::study::ARM_FACTOR.to_owned(),
                between: None,
                limit: None,
                each: None,
                mechanism: None,
                at: BTreeMap::new(),
                references: Vec::new(),
                on: vec![METRIC.to_owned()],
            }],
            responses: RESPONSES.iter().map(|name| (*name).to_owned()).collect(),
            profiles: BTreeMap::from([(
                "quick".to_owned(),
                Profile { rounds: Some(ROUNDS), warmup_rounds: Some(0), ..Profile::default() },
            )]),
            ..Study::default()
        }
    }
}

/// What the study asks, for its own report.
fn question(kind: StageKind, load: Load) -> String {
    let Load { script, clients, has_fresh_segments } = load;
    let fresh = if has_fresh_segments { " into fresh segments" } else { "" };
    let plural = if clients == 1 { "" } else { "s" };
    let what = match kind {
        StageKind::Heat(_) => "Which candidates are worse than what runs now",
        StageKind::Bundle => "Do all changes together help or harm",
        StageKind::Settings => "What does each change do among the others",
        StageKind::Mended => "Does the rest of the bundle help or harm",
        StageKind::Servers => "Which server is faster",
    };
    format!("{what}, with {clients} client{plural} of {script}{fresh}?")
}
