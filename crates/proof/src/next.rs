//! Which stage comes next: a function of the design and of what the stages so far showed.

use crate::change::Change;
use crate::claim::{Claim, Judged};
use crate::comparison::Subject;
use crate::design::{Asked, Design};
use crate::load::Load;
use crate::outcome::{Doubt, ProofOutcome};
use crate::race;
use crate::stage::Stage;
use crate::stage_kind::{HEATS, StageKind};

/// The stage after these; `None` if the proof is at its end. `done` holds the stages so far in order, with what each
/// showed.
pub fn next(design: &Design, done: &[(Stage, Vec<Judged>)]) -> Option<Stage> {
    let judged: Vec<Judged> = done.iter().flat_map(|(_, judged)| judged.iter().cloned()).collect();
    let last = done.last().map(|(stage, _)| stage);
    match &design.asked {
        Asked::Servers(servers) => {
            last.is_none().then(|| Stage::servers(design, servers)).filter(is_measured)
        }
        Asked::Changes(changes) => {
            let all: Vec<&Change> = changes.iter().collect();
            after(design, last, &all, &judged, || {
                Some(Stage::bundle(design, StageKind::Bundle, &all, &design.all_loads())).filter(is_measured)
            })
        }
        Asked::Race(candidates) => {
            let picked = race::picked(candidates, &judged);
            after(design, last, &picked, &judged, || heat_or_bundle(design, last, candidates, &judged))
        }
    }
}

/// The stages that a proof may have, in order: which of them it has depends on what each shows.
pub fn stages(design: &Design) -> Vec<StageKind> {
    let heats = || (1..=HEATS).map(StageKind::Heat);
    let of_bundle: &[StageKind] = match design.changes() {
        [] | [_] => &[StageKind::Bundle],
        [_, ..] => &[StageKind::Bundle, StageKind::Settings, StageKind::Mended],
    };
    match &design.asked {
        Asked::Servers(_) => vec![StageKind::Servers],
        Asked::Changes(_) => of_bundle.to_vec(),
        Asked::Race(_) => heats().chain(of_bundle.iter().copied()).collect(),
    }
}

/// The stages that may come after this one: what a budget has to keep time for. `judged` is what the stages before it
/// showed.
pub fn following(design: &Design, stage: &Stage, judged: &[Judged]) -> Vec<Stage> {
    let changes: Vec<&Change> = design.changes().iter().filter(|change| stage.has(change)).collect();
    let mut several = loads(design, &changes);
    several.retain(|load| design.acting(&changes, *load).count() > 1);
    let mended = || Stage::bundle(design, StageKind::Mended, &changes, &several);
    let is_refuted = || judged.iter().any(|judged| judged.outcome == ProofOutcome::Refuted);
    let following = match stage.kind {
        StageKind::Bundle => vec![Stage::settings(design, &changes, &several), mended()],
        StageKind::Settings if is_refuted() => vec![mended()],
        StageKind::Settings | StageKind::Heat(_) | StageKind::Mended | StageKind::Servers => Vec::new(),
    };
    following.into_iter().filter(is_measured).collect()
}

/// Whether a load shows anything of it.
fn is_measured(stage: &Stage) -> bool {
    !stage.studies.is_empty()
}

/// What comes after the bundle; before it, what `begin` says.
fn after(
    design: &Design,
    last: Option<&Stage>,
    changes: &[&Change],
    judged: &[Judged],
    begin: impl Fn() -> Option<Stage>,
) -> Option<Stage> {
    let Some(last) = last else { return begin() };
    match last.kind {
        StageKind::Heat(_) => begin(),
        StageKind::Bundle => {
            let stage =
                Stage::settings(design, changes, &refuted_first(apart(design, changes, judged), judged));
            Some(stage).filter(is_measured).or_else(|| mend(design, changes, judged))
        }
        StageKind::Settings => mend(design, changes, judged),
        StageKind::Mended | StageKind::Servers => None,
    }
}

/// The loads under which the bundle is taken apart: it is decided there, and several of its changes act.
fn apart(design: &Design, changes: &[&Change], judged: &[Judged]) -> Vec<Load> {
    let mut loads = loads(design, changes);
    loads.retain(|load| design.acting(changes, *load).count() > 1 && is_bundle_decided(*load, judged));
    loads
}

fn is_bundle_decided(load: Load, judged: &[Judged]) -> bool {
    let mut of_bundle =
        judged.iter().filter(|judged| judged.subject == Subject::Bundle && judged.load == load);
    of_bundle.any(|judged| !matches!(judged.outcome, ProofOutcome::Undecided { .. }))
}

/// The stage that proves the rest of the bundle, if a change is refuted and the bundle has not shown all of the rest.
fn mend(design: &Design, changes: &[&Change], judged: &[Judged]) -> Option<Stage> {
    let rest = Rest::of(design, changes, judged)?;
    Some(Stage::bundle(design, StageKind::Mended, &rest.kept, &rest.touched)).filter(is_measured)
}

/// What is left of a bundle without its refuted changes.
struct Rest<'a> {
    kept: Vec<&'a Change>,
    /// The loads under which a refuted change acts as well as one that is kept.
    touched: Vec<Load>,
    /// The loads under which no refuted change acts: the rest is there what the bundle is.
    untouched: Vec<Load>,
}

impl<'a> Rest<'a> {
    /// `None` if nothing is refuted, if everything is, or if no load shows the rest.
    fn of(design: &Design, changes: &[&'a Change], judged: &[Judged]) -> Option<Self> {
        let kept = not_refuted(changes, judged);
        let refuted: Vec<&Change> = changes.iter().filter(|change| !kept.contains(change)).copied().collect();
        let is_touched = |load: &Load| design.acting(&refuted, *load).next().is_some();
        let (touched, untouched): (Vec<Load>, Vec<Load>) =
            loads(design, &kept).into_iter().partition(is_touched);
        let is_shown = !touched.is_empty() || !untouched.is_empty();
        (is_shown && !refuted.is_empty()).then_some(Self { kept, touched, untouched })
    }
}

/// What is known about the rest of a bundle; `None` if there is no rest, or if its stage is missing.
pub(crate) fn claim_about_rest(design: &Design, changes: &[&Change], judged: &[Judged]) -> Option<Claim> {
    let rest = Rest::of(design, changes, judged)?;
    let is_measured =
        |load: &Load| judged.iter().any(|judged| judged.subject == Subject::Mended && judged.load == *load);
    let of_bundle =
        |judged: &&Judged| judged.subject == Subject::Bundle && rest.untouched.contains(&judged.load);
    rest.touched.iter().all(is_measured).then(|| {
        let shown = judged.iter().filter(of_bundle).cloned();
        let shown = shown.map(|judged| Judged { subject: Subject::Mended, ..judged });
        let measured = judged.iter().filter(|judged| judged.subject == Subject::Mended).cloned();
        Claim::over_loads(Subject::Mended, measured.chain(shown).collect())
    })
}

/// What the stages so far say about one setting of a bundle. A load under which it was not measured keeps it undecided.
pub(crate) fn claim_about_setting(design: &Design, name: &str, judged: &[Judged]) -> Claim {
    let subject = Subject::Setting(name.to_owned());
    let mut of: Vec<Judged> = judged.iter().filter(|judged| judged.subject == subject).cloned().collect();
    for load in design.loads(name) {
        if !of.iter().any(|judged| judged.load == load) {
            let doubt = if is_bundle_decided(load, judged) { Doubt::NoTime } else { Doubt::BundleUndecided };
            of.push(Judged::unmeasured(subject.clone(), StageKind::Settings, load, doubt));
        }
    }
    Claim::over_loads(subject, of)
}

fn heat_or_bundle(
    design: &Design,
    last: Option<&Stage>,
    candidates: &[Change],
    judged: &[Judged],
) -> Option<Stage> {
    let heats = match last.map(|stage| stage.kind) {
        Some(StageKind::Heat(number)) => number,
        Some(StageKind::Bundle | StageKind::Settings | StageKind::Mended | StageKind::Servers) | None => 0,
    };
    let survivors = race::survivors(candidates, judged);
    if heats < HEATS && !survivors.is_empty() {
        return Some(Stage::heat(design, heats + 1, &survivors, &loads(design, &survivors)));
    }
    let picked = race::picked(candidates, judged);
    (!picked.is_empty()).then(|| Stage::bundle(design, StageKind::Bundle, &picked, &loads(design, &picked)))
}

/// The changes that no comparison of the settings refuted.
pub(crate) fn not_refuted<'a>(changes: &[&'a Change], judged: &[Judged]) -> Vec<&'a Change> {
    let is_refuted = |change: &&&Change| {
        claim_about(&Subject::Setting(change.name.clone()), judged).outcome == ProofOutcome::Refuted
    };
    changes.iter().filter(|change| !is_refuted(change)).copied().collect()
}

/// What the stages so far say about a subject.
pub(crate) fn claim_about(subject: &Subject, judged: &[Judged]) -> Claim {
    let of = judged.iter().filter(|judged| judged.subject == *subject).cloned().collect();
    Claim::over_loads(subject.clone(), of)
}

/// The loads in an order in which the time is best spent: those under which the bundle is worse have a change that is
/// to blame.
fn refuted_first(mut loads: Vec<Load>, judged: &[Judged]) -> Vec<Load> {
    let is_refuted = |load: &Load| {
        judged.iter().any(|judged| {
            judged.subject == Subject::Bundle
                && judged.load == *load
                && judged.outcome == ProofOutcome::Refuted
        })
    };
    // Stable: otherwise they stay in the order of the changes.
    loads.sort_by_key(|load| !is_refuted(load));
    loads
}

fn loads(design: &Design, changes: &[&Change]) -> Vec<Load> {
    design.loads_of(changes.iter().map(|change| change.name.as_str()))
}
