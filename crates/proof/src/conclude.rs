//! What a proof comes to.

use crate::change::{Change, Predicted};
use crate::claim::{Claim, Doubt, Judged, Outcome};
use crate::comparison::Subject;
use crate::design::{Asked, Design};
use crate::next::claim_about;
use crate::race;
use crate::stage::Stage;
use crate::stage_kind::StageKind;
use serde::Serialize;

/// The result of a proof.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    /// The question.
    pub design: Design,
    /// The stages, in order.
    pub stages: Vec<StageKind>,
    /// Whether the whole is at its end: no stage is missing.
    pub is_complete: bool,
    /// All changes together; `None` if servers were compared, or if a race picked nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle: Option<Claim>,
    /// The bundle without what is refuted, if it was proven again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mended: Option<Claim>,
    /// The settings of the bundle.
    pub settings: Vec<Standing>,
    /// The candidates of a race, as its last heat left them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Standing>,
    /// Named servers against the baseline.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub servers: Vec<Claim>,
    /// What it all comes to.
    pub ending: Ending,
}

/// One change, and what is known about it.
#[derive(Clone, Debug, Serialize)]
pub struct Standing {
    /// The setting.
    pub name: String,
    /// The value that is proposed.
    pub value: String,
    /// The value that it has now: of the user's server, of the user's file, or the default; `None` if none is known.
    pub now: Option<String>,
    /// What a run on the disk predicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub predicted: Option<Predicted>,
    /// What was proven.
    pub claim: Claim,
    /// Its line in the settings file.
    pub line: Line,
    /// Settings that the file has as comments, although this one was measured only among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measured_among: Vec<String>,
}

/// How the file has a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Line {
    /// As a setting: it is proven or harmless, and so is the bundle that it belongs to.
    Active,
    /// As a comment.
    Comment,
}

/// What a proof comes to: its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// Every change that was asked about is proven or harmless.
    Proven,
    /// A change is proven worse.
    Refuted,
    /// Neither.
    Undecided,
}

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
    let mended = has(StageKind::Mended).then(|| claim_about(&Subject::Mended, &judged));
    let mut settings: Vec<Standing> = changes
        .iter()
        .map(|change| {
            standing(design, change, of_setting(design, change, &changes, bundle.as_ref(), &judged))
        })
        .collect();
    // Without what is refuted the others are another bundle: it has to be proven itself.
    let is_any_refuted = settings.len() > 1 && settings.iter().any(|setting| is_refuted(&setting.claim));
    let whole = if is_any_refuted { mended.as_ref() } else { mended.as_ref().or(bundle.as_ref()) };
    draw_lines(&mut settings, whole);
    let candidates: Vec<Standing> = match &design.asked {
        Asked::Race(candidates) => candidates
            .iter()
            .map(|change| {
                let subject =
                    || Subject::Candidate { name: change.name.clone(), value: change.value.clone() };
                let claim = race::claim(change, &judged);
                standing(design, change, claim.unwrap_or_else(|| Claim::open(subject(), Doubt::NoTime)))
            })
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
        bundle,
        mended,
        settings,
        candidates,
        servers,
        ending,
    }
}

/// Which settings the file sets, if they hold together as `whole` was proven.
fn draw_lines(settings: &mut [Standing], whole: Option<&Claim>) {
    let Some(whole) = whole.filter(|whole| is_good(whole)) else { return };
    for setting in &mut *settings {
        if is_good(&setting.claim) {
            setting.line = Line::Active;
        }
    }
    let is_without_refuted = whole.subject == Subject::Mended;
    let is_left_out = |setting: &&Standing| {
        setting.line == Line::Comment && !(is_without_refuted && is_refuted(&setting.claim))
    };
    let left_out: Vec<String> =
        settings.iter().filter(is_left_out).map(|setting| setting.name.clone()).collect();
    for setting in settings.iter_mut().filter(|setting| setting.line == Line::Active) {
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
        return claim_about(&subject, judged);
    }
    let doubt = match bundle {
        Some(bundle) if !bundle.is_decided() => Doubt::BundleUndecided,
        Some(_) | None => Doubt::NoTime,
    };
    Claim::open(subject, doubt)
}

fn standing(design: &Design, change: &Change, claim: Claim) -> Standing {
    Standing {
        name: change.name.clone(),
        value: change.value.clone(),
        now: design.now(&change.name).map(str::to_owned),
        predicted: change.predicted.clone(),
        claim,
        line: Line::Comment,
        measured_among: Vec::new(),
    }
}

fn is_good(claim: &Claim) -> bool {
    matches!(claim.outcome, Outcome::Proven | Outcome::Harmless)
}

fn is_refuted(claim: &Claim) -> bool {
    claim.outcome == Outcome::Refuted
}

/// Refuted outweighs undecided, and that outweighs the rest.
fn ending<'a>(claims: impl Iterator<Item = &'a Claim> + Clone) -> Ending {
    let mut ending = Ending::Proven;
    for claim in claims {
        match claim.outcome {
            Outcome::Refuted => return Ending::Refuted,
            Outcome::Undecided { .. } => ending = Ending::Undecided,
            Outcome::Proven | Outcome::Harmless => {}
        }
    }
    ending
}
