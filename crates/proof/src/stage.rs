//! A stage of a proof: one run with a study for each load, or for loads that the same trials measure.

use crate::CURRENT;
use crate::change::Change;
use crate::comparison::{Comparison, Subject};
use crate::design::Design;
use crate::load::Load;
use crate::server::{NamedServer, Server};
use crate::stage_kind::StageKind;
use model::figure::count;
use model::study::{Ask, AskKind, Profile, Study};
use std::collections::BTreeMap;

/// Servers that are alive together in a race, without the one that runs now. Each has its own copy of the cluster.
const CANDIDATES_TOGETHER_MAX: usize = 6;
/// The same with cycles of checkpoints: each server writes a little in the turns of every other one.
const CANDIDATES_WITH_CHECKPOINTS_MAX: usize = 2;
/// The arm with all changes.
const BUNDLE: &str = "bundle";
/// Analysed rounds of a study until its first look: fewer give no interval.
const ROUNDS: u32 = 6;

/// One run of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// What it is for.
    pub kind: StageKind,
    /// What it compares with what runs now, or takes apart. Empty for servers.
    pub changes: Vec<ChangeKey>,
    /// One for the loads that the same trials measure; in a race, one for those and each few candidates.
    pub studies: Vec<StageStudy>,
    /// The divisor of the proof's error in each of its comparisons.
    pub family: usize,
    /// The places of the studies that a first decision needs, one way to it after another.
    pub first_decisions: Vec<Vec<usize>>,
}

/// A change's setting and value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeKey {
    pub name: String,
    pub value: String,
}

/// One study of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageStudy {
    pub name: String,
    /// What the clients do; the levels of these loads are the same.
    pub loads: Vec<Load>,
    /// Its arms, the baseline first.
    pub arms: Vec<NamedServer>,
    pub comparisons: Vec<Comparison>,
    /// Whether no change acts under its loads: it only guards against a loss, so it has its rounds after the others.
    pub is_control: bool,
}

impl Stage {
    /// All changes against what runs now, under these loads.
    pub(crate) fn bundle(design: &Design, kind: StageKind, changes: &[&Change], loads: &[Load]) -> Self {
        let subject = if kind == StageKind::Mended { Subject::Mended } else { Subject::Bundle };
        let arms = vec![
            arm(CURRENT, design.current.clone()),
            arm(BUNDLE, design.current.with_all(changes.iter().copied())),
        ];
        let comparison = |load: &Load| Comparison {
            subject: subject.clone(),
            load: *load,
            base: CURRENT.to_owned(),
            other: BUNDLE.to_owned(),
        };
        // Nothing else acts under this load, so all changes together are this one.
        let of_only_change = |load: &Load| match shown(design, changes, &[*load])[..] {
            [only] if kind == StageKind::Bundle && changes.len() > 1 => {
                Some(Comparison { subject: Subject::Setting(only.name.clone()), ..comparison(load) })
            }
            _ => None,
        };
        let study = |loads: Vec<Load>| StageStudy {
            name: name(&loads),
            comparisons: loads
                .iter()
                .map(comparison)
                .chain(loads.iter().filter_map(of_only_change))
                .collect(),
            arms: arms.clone(),
            is_control: is_control(design, &loads),
            loads,
        };
        let studies = design.database.together(loads).into_iter().map(study).collect();
        Self::new(design, kind, changes, studies)
    }

    /// The bundle against itself without each of its changes, under the loads that can show the change. These loads
    /// show several changes: what a load shows of a single one, the bundle has shown.
    pub(crate) fn settings(design: &Design, changes: &[&Change], loads: &[Load]) -> Self {
        let without = |left_out: &Change| {
            let others = changes.iter().copied().filter(|change| change.name != left_out.name);
            design.current.with_all(others)
        };
        let name_of = |change: &Change| format!("without_{}", change.name);
        let study = |loads: Vec<Load>| {
            let bundle = design.current.with_all(changes.iter().copied());
            let shown = shown(design, changes, &loads);
            let mut arms = vec![arm(BUNDLE, bundle)];
            arms.extend(shown.iter().map(|change| arm(&name_of(change), without(change))));
            let comparison = |load: Load, change: &Change| Comparison {
                subject: Subject::Setting(change.name.clone()),
                load,
                base: name_of(change),
                other: BUNDLE.to_owned(),
            };
            let comparisons = compared(design, &loads, &shown, comparison);
            let is_control = is_control(design, &loads);
            StageStudy { name: name(&loads), loads, arms, comparisons, is_control }
        };
        let together = design.database.together(loads);
        let studies = together.into_iter().map(study).filter(|study| !study.comparisons.is_empty()).collect();
        Self::new(design, StageKind::Settings, changes, studies)
    }

    /// Each candidate alone against what runs now, under the loads that can show it.
    pub(crate) fn heat(design: &Design, number: u32, candidates: &[&Change], loads: &[Load]) -> Self {
        let mut studies = Vec::new();
        for loads in design.database.together(loads) {
            let shown = shown(design, candidates, &loads);
            let has_checkpoints = loads.iter().any(|load| load.has_checkpoints);
            let most =
                if has_checkpoints { CANDIDATES_WITH_CHECKPOINTS_MAX } else { CANDIDATES_TOGETHER_MAX };
            for (part, shown) in shown.chunks(most).enumerate() {
                let name = name(&loads);
                let name = if part == 0 { name } else { format!("{name}-part-{}", part + 1) };
                studies.push(race(design, name, &loads, shown));
            }
        }
        Self::new(design, StageKind::Heat(number), candidates, studies)
    }

    /// Named servers against the baseline.
    pub(crate) fn servers(design: &Design, servers: &[NamedServer]) -> Self {
        let mut arms = vec![arm(CURRENT, design.current.clone())];
        arms.extend(servers.iter().cloned());
        let comparison = |load: Load, named: &NamedServer| Comparison {
            subject: Subject::Server(named.name.clone()),
            load,
            base: CURRENT.to_owned(),
            other: named.name.clone(),
        };
        let study = |loads: Vec<Load>| StageStudy {
            name: name(&loads),
            comparisons: loads
                .iter()
                .flat_map(|load| servers.iter().map(|named| comparison(*load, named)))
                .collect(),
            arms: arms.clone(),
            is_control: is_control(design, &loads),
            loads,
        };
        let together = design.database.together(&design.all_loads());
        Self::new(design, StageKind::Servers, &[], together.into_iter().map(study).collect())
    }

    fn new(design: &Design, kind: StageKind, changes: &[&Change], studies: Vec<StageStudy>) -> Self {
        let key = |change: &&Change| ChangeKey { name: change.name.clone(), value: change.value.clone() };
        let first_decisions = first_decisions(design, kind, changes, &studies);
        let changes = changes.iter().map(key).collect();
        Self { kind, changes, studies, family: design.family(kind), first_decisions }
    }

    /// Whether a later stage rests on how this comparison ends: the bundle is taken apart only if it is decided.
    pub(crate) fn takes_apart(&self, comparison: &Comparison) -> bool {
        self.kind == StageKind::Bundle && self.changes.len() > 1 && comparison.subject == Subject::Bundle
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

/// The studies that show one change of a bundle; one study of its settings; all studies of another stage.
fn first_decisions(
    design: &Design,
    kind: StageKind,
    changes: &[&Change],
    studies: &[StageStudy],
) -> Vec<Vec<usize>> {
    let all = (0..studies.len()).collect();
    let of_change = |change: &&Change| -> Vec<usize> {
        let loads = design.loads(&change.name);
        let shows = |study: &StageStudy| study.loads.iter().any(|load| loads.contains(load));
        (0..studies.len()).filter(|place| shows(&studies[*place])).collect()
    };
    let ways: Vec<Vec<usize>> = match kind {
        StageKind::Bundle => changes.iter().map(of_change).filter(|places| !places.is_empty()).collect(),
        StageKind::Settings => (0..studies.len()).map(|place| vec![place]).collect(),
        StageKind::Heat(_) | StageKind::Mended | StageKind::Servers => Vec::new(),
    };
    if ways.is_empty() { vec![all] } else { ways }
}

fn race(design: &Design, name: String, loads: &[Load], candidates: &[&Change]) -> StageStudy {
    let name_of = |change: &Change| format!("{} = {}", change.name, change.value);
    let mut arms = vec![arm(CURRENT, design.current.clone())];
    arms.extend(candidates.iter().map(|change| arm(&name_of(change), design.current.with(change))));
    let comparison = |load: Load, change: &Change| Comparison {
        subject: Subject::Candidate { name: change.name.clone(), value: change.value.clone() },
        load,
        base: CURRENT.to_owned(),
        other: name_of(change),
    };
    let comparisons = compared(design, loads, candidates, comparison);
    StageStudy { name, loads: loads.to_vec(), arms, comparisons, is_control: is_control(design, loads) }
}

fn is_control(design: &Design, loads: &[Load]) -> bool {
    loads.iter().all(|load| design.is_control(*load))
}

/// The changes whose effect one of these loads can show.
fn shown<'a>(design: &Design, changes: &[&'a Change], loads: &[Load]) -> Vec<&'a Change> {
    let is_shown = |change: &&Change| loads.iter().any(|load| design.loads(&change.name).contains(load));
    changes.iter().copied().filter(is_shown).collect()
}

/// A comparison for each load and each change whose effect it can show.
fn compared(
    design: &Design,
    loads: &[Load],
    changes: &[&Change],
    comparison: impl Fn(Load, &Change) -> Comparison,
) -> Vec<Comparison> {
    let of_load = |load: &Load| {
        shown(design, changes, &[*load])
            .into_iter()
            .map(|change| comparison(*load, change))
            .collect::<Vec<_>>()
    };
    loads.iter().flat_map(of_load).collect()
}

/// `insert-8`, or `fill_and_read_warm-2`: loads of the same trials differ in the work only.
fn name(loads: &[Load]) -> String {
    let Some((last, others)) = loads.split_last() else { return String::new() };
    let others = others.iter().map(|load| format!("{}_and_", load.work.name()));
    others.chain([last.to_string()]).collect()
}

fn works(loads: &[Load]) -> Vec<&'static str> {
    loads.iter().map(|load| load.work.name()).collect()
}

fn arm(name: &str, server: Server) -> NamedServer {
    NamedServer { name: name.to_owned(), server }
}

impl StageStudy {
    /// Whether the comparison of a bundle is at the same time that of the only change that acts under its load.
    pub(crate) fn is_repeated(&self, comparison: &Comparison) -> bool {
        let is_only = |other: &Comparison| {
            matches!(other.subject, Subject::Setting(_)) && other.load == comparison.load
        };
        comparison.subject == Subject::Bundle && self.comparisons.iter().any(is_only)
    }

    fn planned(&self, kind: StageKind, design: &Design) -> Study {
        let arm = |named: &NamedServer| {
            // What cannot be an arm is refused before a design is made.
            let mut levels = (design.database.levels)(&named.server).unwrap_or_default();
            levels.insert("name".to_owned(), named.name.clone());
            levels
        };
        let fixed = self.loads.first().and_then(|load| (design.database.fixed)(*load, design.conditions()));
        let mut fixed = fixed.unwrap_or_default();
        fixed.extend(design.fixed.clone());
        let mut metrics: Vec<String> = Vec::new();
        let mut responses: Vec<String> = Vec::new();
        for load in &self.loads {
            metrics.push(load.work.metric().to_owned());
            responses.extend(load.work.responses().map(str::to_owned));
        }
        let baseline = self.arms.first().map(|named| named.name.clone()).unwrap_or_default();
        Study {
            name: self.name.clone(),
            question: question(kind, &self.loads),
            workload: design.database.workload.to_owned(),
            baseline: BTreeMap::from([(model::study::ARM_FACTOR.to_owned(), baseline)]),
            arms: self.arms.iter().map(arm).collect(),
            fixed,
            asks: vec![Ask::new(AskKind::Compare, model::study::ARM_FACTOR, metrics)],
            responses,
            profiles: BTreeMap::from([(
                "quick".to_owned(),
                Profile { rounds: Some(ROUNDS), warmup_rounds: Some(0), ..Profile::default() },
            )]),
            ..Study::default()
        }
    }
}

/// What the study asks, for its own report.
fn question(kind: StageKind, loads: &[Load]) -> String {
    let clients = count(loads.first().map_or(0, |load| load.clients) as usize, "client");
    let fresh = if loads.iter().any(|load| load.has_fresh_segments) { " into fresh segments" } else { "" };
    let cycles =
        if loads.iter().any(|load| load.has_checkpoints) { " and whole cycles of checkpoints" } else { "" };
    let what = match kind {
        StageKind::Heat(_) => "Which candidates are worse than what runs now",
        StageKind::Bundle => "Do all changes together help or harm",
        StageKind::Settings => "What does each change do among the others",
        StageKind::Mended => "Does the rest of the bundle help or harm",
        StageKind::Servers => "Which server is faster",
    };
    format!("{what}, with {clients} of {}{fresh}{cycles}?", works(loads).join(" and "))
}
