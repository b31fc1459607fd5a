//! Which stage comes next: a function of the design and of what the stages so far showed.

use crate::change::Change;
use crate::claim::{Claim, Judged};
use crate::comparison::Subject;
use crate::design::{Asked, Design};
use crate::load::Load;
use crate::outcome::ProofOutcome;
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
            let claim = claim_about(&Subject::Bundle, judged);
            let stage = Stage::settings(design, changes, &refuted_first(loads(design, changes), judged));
            (changes.len() > 1 && claim.is_decided() && !stage.studies.is_empty()).then_some(stage)
        }
        StageKind::Settings => {
            let kept = not_refuted(changes, judged);
            let is_mended = !kept.is_empty() && kept.len() < changes.len();
            let mended = || Stage::bundle(design, StageKind::Mended, &kept, &loads(design, &kept));
            is_mended.then(mended).filter(is_measured)
        }
        StageKind::Mended | StageKind::Servers => None,
    }
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
