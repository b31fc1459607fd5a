//! What a proof comes to.

use crate::change::Change;
use crate::claim::{Claim, Judged};
use crate::comparison::Subject;
use crate::design::{Asked, Design};
use crate::next::{claim_about, claim_about_rest, claim_about_setting};
use crate::outcome::{Doubt, ProofOutcome};
use crate::proof::{Ending, FileLine, JudgedSetting, Proof};
use crate::race;
use crate::score::Score;
use crate::stage::Stage;
use crate::stage_kind::StageKind;
use crate::unmeasured::Obstacle;

/// What the stages so far come to. `is_complete` says that no stage is missing: [`crate::next`] has none.
pub fn conclude(design: &Design, done: &[(Stage, Vec<Judged>)], is_complete: bool) -> Proof {
    let judged: Vec<Judged> = done.iter().flat_map(|(_, judged)| judged.iter().cloned()).collect();
    let has = |kind: StageKind| done.iter().any(|(stage, _)| stage.kind == kind);
    let changes: Vec<&Change> = match &design.asked {
        Asked::Changes(changes) => changes.iter().collect(),
        Asked::Race(candidates) => match done.iter().find(|(stage, _)| stage.kind == StageKind::Bundle) {
            Some((bundle, _)) => candidates.iter().filter(|change| bundle.has(change)).collect(),
            None => Vec::new(),
        },
        Asked::Servers(_) => Vec::new(),
    };
    let bundle = match &design.asked {
        Asked::Changes(_) if !has(StageKind::Bundle) => {
            let doubt = if design.all_loads().is_empty() { Doubt::NoLoad } else { Doubt::NoTime };
            Some(Claim::open(Subject::Bundle, doubt))
        }
        Asked::Changes(_) | Asked::Race(_) => {
            has(StageKind::Bundle).then(|| claim_about(&Subject::Bundle, &judged))
        }
        Asked::Servers(_) => None,
    };
    let mended = claim_about_rest(design, &changes, &judged);
    let mut settings: Vec<JudgedSetting> = changes
        .iter()
        .map(|change| {
            standing(design, change, of_setting(design, change, &changes, bundle.as_ref(), &judged))
        })
        .collect();
    // Without what is refuted the others are another bundle: it has to be proven itself.
    let is_any_refuted = settings.len() > 1 && settings.iter().any(|setting| is_refuted(&setting.claim));
    let whole = if is_any_refuted { mended.as_ref() } else { mended.as_ref().or(bundle.as_ref()) };
    draw_lines(&mut settings, whole);
    let dropped = |subject: fn(&Change) -> Subject| {
        let claim = move |change: &Change, obstacle: &Obstacle| {
            Claim::open(subject(change), Doubt::NotPossible(obstacle.clone()))
        };
        design.dropped().map(move |(change, obstacle)| standing(design, change, claim(change, obstacle)))
    };
    if let Asked::Changes(_) = &design.asked {
        settings.extend(dropped(|change| Subject::Setting(change.name.clone())));
    }
    let of_candidate: fn(&Change) -> Subject =
        |change| Subject::Candidate { name: change.name.clone(), value: change.value.clone() };
    let candidates: Vec<JudgedSetting> = match &design.asked {
        Asked::Race(candidates) => candidates
            .iter()
            .map(|change| {
                let claim = race::claim(change, &judged);
                let open = || Claim::open(of_candidate(change), Doubt::NoTime);
                standing(design, change, claim.unwrap_or_else(open))
            })
            .chain(dropped(of_candidate))
            .collect(),
        Asked::Changes(_) | Asked::Servers(_) => Vec::new(),
    };
    let servers: Vec<Claim> = match &design.asked {
        Asked::Servers(servers) => servers
            .iter()
            .map(|named| {
                let subject = Subject::Server(named.name.clone());
                if has(StageKind::Servers) {
                    claim_about(&subject, &judged)
                } else {
                    Claim::open(subject, Doubt::NoTime)
                }
            })
            .collect(),
        Asked::Changes(_) | Asked::Race(_) => Vec::new(),
    };
    let ending = match &design.asked {
        // A race that finds nothing leaves what runs now. That is its answer only if nothing is left open.
        Asked::Race(_) if bundle.is_none() => {
            ending(candidates.iter().map(|found| &found.claim).filter(|claim| !is_refuted(claim)))
        }
        Asked::Changes(_) | Asked::Race(_) | Asked::Servers(_) => {
            ending(bundle.iter().chain(settings.iter().map(|setting| &setting.claim)).chain(&servers))
        }
    };
    Proof {
        design: design.clone(),
        stages: done.iter().map(|(stage, _)| stage.kind).collect(),
        is_complete,
        next_command: None,
        bundle,
        mended,
        settings,
        candidates,
        servers,
        ending,
    }
}

/// Which settings the file sets, if they hold together as `whole` was proven.
fn draw_lines(settings: &mut [JudgedSetting], whole: Option<&Claim>) {
    let Some(whole) = whole.filter(|whole| is_good(whole)) else { return };
    for setting in &mut *settings {
        if is_good(&setting.claim) {
            setting.line = FileLine::Active;
        }
    }
    let is_without_refuted = whole.subject == Subject::Mended;
    let is_left_out = |setting: &&JudgedSetting| {
        setting.line == FileLine::Comment && !(is_without_refuted && is_refuted(&setting.claim))
    };
    let left_out: Vec<String> =
        settings.iter().filter(is_left_out).map(|setting| setting.name.clone()).collect();
    for setting in settings.iter_mut().filter(|setting| setting.line == FileLine::Active) {
        setting.measured_among.clone_from(&left_out);
    }
}

/// The claim about one setting of the bundle. A bundle of one is that setting.
fn of_setting(
    design: &Design,
    change: &Change,
    changes: &[&Change],
    bundle: Option<&Claim>,
    judged: &[Judged],
) -> Claim {
    let subject = Subject::Setting(change.name.clone());
    if design.loads(&change.name).is_empty() {
        return Claim::open(subject, Doubt::NoLoad);
    }
    if let ([_], Some(bundle)) = (changes, bundle) {
        return Claim { subject, ..bundle.clone() };
    }
    if judged.iter().any(|judged| judged.subject == subject) {
        return claim_about_setting(design, &change.name, judged);
    }
    let doubt = match bundle {
        Some(bundle) if bundle.is_measured() && !bundle.is_decided() => Doubt::BundleUndecided,
        Some(_) | None => Doubt::NoTime,
    };
    Claim::open(subject, doubt)
}

fn standing(design: &Design, change: &Change, claim: Claim) -> JudgedSetting {
    JudgedSetting {
        name: change.name.clone(),
        value: change.value.clone(),
        now: design.now(&change.name).map(str::to_owned),
        score: change.predicted.as_ref().and_then(|predicted| Score::of(predicted, &claim)),
        predicted: change.predicted.clone(),
        claim,
        line: FileLine::Comment,
        measured_among: Vec::new(),
    }
}

fn is_good(claim: &Claim) -> bool {
    matches!(claim.outcome, ProofOutcome::Proven | ProofOutcome::Harmless)
}

fn is_refuted(claim: &Claim) -> bool {
    claim.outcome == ProofOutcome::Refuted
}

/// Refuted outweighs undecided, and that outweighs the rest.
fn ending<'a>(claims: impl Iterator<Item = &'a Claim> + Clone) -> Ending {
    let mut ending = Ending::Proven;
    for claim in claims {
        match claim.outcome {
            ProofOutcome::Refuted => return Ending::Refuted,
            ProofOutcome::Undecided { .. } => ending = Ending::Undecided,
            ProofOutcome::Proven | ProofOutcome::Harmless => {}
        }
    }
    ending
}
