//! What is known about one subject: under each load, and over all of them.

use crate::comparison::Subject;
use crate::load::Load;
use crate::outcome::{Doubt, ProofOutcome};
use crate::ratio::Ratio;
use crate::scope::Scope;
use crate::stage_kind::StageKind;
use model::figure::{count, round_figures};
use page::{capitalised, quantity, sentence};
use serde::Serialize;
use std::collections::BTreeMap;

/// What is known about one subject under one load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Judged {
    /// What it is about.
    pub subject: Subject,
    /// The stage that measured it.
    pub stage: StageKind,
    /// The study in that stage.
    pub study: String,
    /// What the clients did.
    pub load: Load,
    /// To what the figures are limited.
    pub scope: Scope,
    /// Full name of the metric.
    pub metric: String,
    /// The metric's means of both arms, base first.
    pub means: Option<(f64, f64)>,
    /// Other arm ÷ base, simultaneous over the proof.
    pub ratio: Option<Ratio>,
    /// The same at 95 % for this comparison alone: what a race picks by.
    pub alone: Option<Ratio>,
    pub outcome: ProofOutcome,
    /// Complete rounds behind it.
    pub rounds: usize,
    /// The ratio within which the study's baseline differs from itself (A/A), if it is known.
    pub floor: Option<f64>,
    /// Names of the audits that warn about it.
    pub warnings: Vec<String>,
    /// The compared settings as the server reported them before it was measured, in the form of SHOW.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub in_force: BTreeMap<String, String>,
    /// What became of the plans of the queries, if the load has queries whose plans matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plans: Option<Plans>,
}

impl Judged {
    /// What is known, as a sentence.
    pub(crate) fn text(&self) -> String {
        self.concluded(&self.outcome)
    }

    fn concluded(&self, outcome: &ProofOutcome) -> String {
        sentence(&format!("{}{}", self.measured(), outcome.conclusion()))
    }

    /// `transactions/s 1.20× (1.16–1.24, 99.4 %) with 1 client of insert: 9 800 against 8 160/s, 6 rounds`.
    fn measured(&self) -> String {
        let named = quantity::named(&self.metric);
        let load = self.load.text();
        let Some(ratio) = &self.ratio else { return format!("With {load}") };
        let means = self.means.map_or_else(String::new, |(base, other)| {
            let (other, base) = round_figures(other, base, named.unit);
            format!(": {other} against {base}")
        });
        let plans = self
            .plans
            .map_or_else(String::new, |plans| format!(", {} of {} plans changed", plans.changed, plans.of));
        let rounds = count(self.rounds, "round");
        format!("{} {} with {load}{means}, {rounds}{plans}", named.title, ratio.text())
    }
}

/// Plans of a fixed set of queries under two servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Plans {
    /// Queries whose plans differ.
    pub changed: usize,
    pub of: usize,
}

/// Whether the loads of a claim say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Agreement {
    /// There is one load, or none.
    OneLoad,
    /// All loads show that there is none.
    Equal,
    /// No load shows a difference, and some are undecided.
    Undecided,
    /// All loads show a difference in the same direction.
    SameDirection,
    /// Some loads show a difference, and others show none, or the opposite one, or are undecided.
    Mixed,
}

impl Agreement {
    fn of(by_load: &[Judged]) -> Self {
        let differs =
            |judged: &Judged| matches!(judged.outcome, ProofOutcome::Proven | ProofOutcome::Refuted);
        match by_load.split_first() {
            None | Some((_, [])) => Self::OneLoad,
            Some(_) if by_load.iter().all(|judged| judged.outcome == ProofOutcome::Harmless) => Self::Equal,
            Some(_) if !by_load.iter().any(differs) => Self::Undecided,
            Some((first, others)) if others.iter().all(|judged| judged.outcome == first.outcome) => {
                Self::SameDirection
            }
            Some(_) => Self::Mixed,
        }
    }
}

/// What is known about one subject over all loads that can show it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Claim {
    /// What it is about.
    pub subject: Subject,
    /// What follows from all loads together.
    pub outcome: ProofOutcome,
    /// Whether the loads say the same.
    pub agreement: Agreement,
    /// Place in `by_load` of the load that the outcome rests on most; `None` if nothing was measured.
    pub decisive: Option<usize>,
    pub by_load: Vec<Judged>,
}

impl Claim {
    /// The claim about a subject, from what is known under each of its loads.
    ///
    /// Worse under one load is refuted. Better under one load is proven if under every other a loss of more than 5 % is
    /// refuted. Harmless is harmless under all.
    pub(crate) fn over_loads(subject: Subject, by_load: Vec<Judged>) -> Self {
        let place = |wanted: fn(&Judged) -> bool, weight: fn(&Judged) -> f64| {
            let found = by_load.iter().enumerate().filter(|(_, judged)| wanted(judged));
            found.max_by(|(_, a), (_, b)| weight(a).total_cmp(&weight(b))).map(|(place, _)| place)
        };
        let size = |judged: &Judged| judged.ratio.map_or(0.0, |ratio| ratio.point.ln().abs());
        let width = |judged: &Judged| judged.ratio.map_or(f64::INFINITY, |ratio| ratio.smallest_effect());
        let refuted = place(|judged| judged.outcome == ProofOutcome::Refuted, size);
        let open = place(Judged::may_lose, width);
        let proven = place(|judged| judged.outcome == ProofOutcome::Proven, size);
        let not_equal = place(|judged| matches!(judged.outcome, ProofOutcome::Undecided { .. }), width);
        let decisive = refuted.or(open).or(proven).or(not_equal).or_else(|| place(|_| true, width));
        let outcome = decisive.and_then(|place| by_load.get(place)).map(|judged| judged.outcome.clone());
        let outcome =
            outcome.unwrap_or(ProofOutcome::Undecided { doubt: Doubt::NoLoad, smallest_effect: None });
        Self { subject, outcome, agreement: Agreement::of(&by_load), decisive, by_load }
    }

    /// A claim about which nothing was measured.
    pub(crate) fn open(subject: Subject, doubt: Doubt) -> Self {
        let outcome = ProofOutcome::Undecided { doubt, smallest_effect: None };
        Self { subject, outcome, agreement: Agreement::OneLoad, decisive: None, by_load: Vec::new() }
    }

    /// What the outcome rests on most.
    pub fn decisive(&self) -> Option<&Judged> {
        self.by_load.get(self.decisive?)
    }

    /// The ratio that stands for the whole claim; `None` if nothing was measured, and unless all loads show equality:
    /// each then has its own.
    pub fn ratio(&self) -> Option<Ratio> {
        match self.agreement {
            Agreement::OneLoad | Agreement::Equal => self.decisive()?.ratio,
            Agreement::Undecided | Agreement::SameDirection | Agreement::Mixed => None,
        }
    }

    /// What it rests on, in sentences: the decisive load, each load if there is no ratio for all of them, or why
    /// nothing is decided.
    pub fn text(&self) -> String {
        if let Some(disagreement) = self.disagreement() {
            let effects = self.effects().map(|(word, text)| format!(" {}: {text}", capitalised(word)));
            return disagreement.to_owned() + &effects.collect::<String>();
        }
        match (self.decisive(), &self.outcome) {
            (Some(judged), outcome) => judged.concluded(outcome),
            (None, ProofOutcome::Undecided { doubt, .. }) => sentence(&capitalised(&doubt.text())),
            (None, ProofOutcome::Proven | ProofOutcome::Harmless | ProofOutcome::Refuted) => String::new(),
        }
    }

    /// Why it has no ratio for all of its loads, as a sentence; `None` if it has one, or if it has no loads.
    pub(crate) const fn disagreement(&self) -> Option<&'static str> {
        match self.agreement {
            Agreement::OneLoad | Agreement::Equal => None,
            Agreement::Undecided => Some("No load shows a difference, and not all of them show equality."),
            Agreement::SameDirection => Some("Each load has its own ratio."),
            Agreement::Mixed => Some("The loads differ, so there is no ratio for all of them."),
        }
    }

    /// The effect under each load: a word, and the sentence behind it.
    pub(crate) fn effects(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.by_load.iter().map(|judged| (judged.outcome.effect(), judged.text()))
    }

    /// To what it is limited beside its loads, a sentence for the loads that were measured alike.
    pub fn scopes(&self) -> Vec<String> {
        let mut alike: Vec<(String, Vec<String>)> = Vec::new();
        for found in &self.by_load {
            let Some(circumstances) = &found.scope.circumstances else { continue };
            let words = circumstances.words();
            match alike.iter_mut().find(|(known, _)| *known == words) {
                Some((_, loads)) => loads.push(found.load.to_string()),
                None => alike.push((words, vec![found.load.to_string()])),
            }
        }
        alike.into_iter().map(|(words, loads)| format!("Scope of {}: {words}.", loads.join(", "))).collect()
    }

    /// Whether a load has figures of it, or shows why there are none.
    pub(crate) fn is_measured(&self) -> bool {
        let is_missing = |judged: &Judged| {
            let doubt = matches!(
                judged.outcome,
                ProofOutcome::Undecided { doubt: Doubt::NoTime | Doubt::BundleUndecided, .. }
            );
            judged.ratio.is_none() && doubt
        };
        self.by_load.iter().any(|judged| !is_missing(judged))
    }

    /// Whether the outcome is one of the three that end a proof.
    pub fn is_decided(&self) -> bool {
        !matches!(self.outcome, ProofOutcome::Undecided { .. })
    }
}

impl Judged {
    /// Whether a loss of more than 5 % is still possible, or nothing at all is known.
    fn may_lose(&self) -> bool {
        match &self.outcome {
            ProofOutcome::Undecided { doubt: Doubt::Scatter { .. }, .. } => {
                !self.ratio.is_some_and(|ratio| ratio.loses_little())
            }
            ProofOutcome::Undecided { .. } => true,
            ProofOutcome::Proven | ProofOutcome::Harmless | ProofOutcome::Refuted => false,
        }
    }

    /// What is known under a load that measured nothing.
    pub(crate) fn unmeasured(subject: Subject, stage: StageKind, load: Load, doubt: Doubt) -> Self {
        Self {
            subject,
            stage,
            study: String::new(),
            load,
            scope: Scope::new(load, None),
            metric: load.work.metric().to_owned(),
            means: None,
            ratio: None,
            alone: None,
            outcome: Self::undecided(None, doubt),
            rounds: 0,
            floor: None,
            warnings: Vec::new(),
            in_force: BTreeMap::new(),
            plans: None,
        }
    }

    /// An undecided outcome with this interval.
    pub(crate) fn undecided(ratio: Option<Ratio>, doubt: Doubt) -> ProofOutcome {
        ProofOutcome::Undecided { doubt, smallest_effect: ratio.map(|ratio| ratio.smallest_effect()) }
    }
}
