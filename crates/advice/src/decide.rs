//! Holds what was measured against the value in use, and decides: change, candidate, keep, or the command that would
//! decide.
//!
//! A DBA has to choose some value, so a comparison whose interval contains the boundary between two values is not
//! silence: the value in use stays, with the most that could be lost by it. An estimate of the value itself refutes
//! what its interval excludes; if it includes the value in use together with several others, it decides nothing. A new
//! value has to be proven better in one comparison and not proven worse, nor possibly more than 5 % worse, in any other
//! one.

use crate::candidate::{Candidate, Role};
use crate::cause::Cause;
use crate::decision::{Decision, Recommendation, Regret};
use crate::effect::{Effect, Standing};
use crate::measured_on::MeasuredOn;
use crate::no_advice::{Needs, NoAdvice, Why};
use crate::place::{Place, place};
use crate::rule::Database;
use crate::setting::{Facts, Now, Setting, ValueKind};
use crate::value::{is_same, number};
use crate::weighed::{Choose, Weighed};
use settings::{Release, Versions};
use verdict::Estimate;

impl Setting {
    /// The decision for a database of this name (as `--for` calls it) that has the default, whatever its version.
    pub fn new(facts: Facts, database: &str, weighed: Result<Weighed, NoAdvice>) -> Self {
        let Facts { name, kind, default, takes_effect, since, manual, requires, risks, .. } = facts;
        let of_rule = Versions { since, until: None };
        let listed = Database::named(database).and_then(|database| database.versions(name));
        let unmeasured = NoAdvice::undecided(Cause::NothingMeasured);
        let setting = Self {
            name: name.to_owned(),
            kind,
            default,
            takes_effect,
            versions: listed.unwrap_or(of_rule),
            manual,
            requires,
            risks,
            acts_on: facts.acts_on,
            in_use: Now::Default(default),
            candidates: Vec::new(),
            decision: Decision::Undecided(unmeasured),
            overridden_by: facts.overridden_by,
            is_provable: facts.is_provable,
            worth_trying: facts.worth_trying,
            weighed,
            proven: None,
        };
        setting.unset(database, &Release::Any)
    }

    /// The same measurement for a database whose settings file does not set it: what the measured machine has, or the
    /// default.
    #[must_use]
    pub(crate) fn unset(&self, database: &str, release: &Release) -> Self {
        let found = self.weighed.as_ref().ok().and_then(|weighed| weighed.in_use.clone());
        self.with(database, release, found.map_or(Now::Default(self.default.of(release)), Now::Set))
    }

    /// The same measurement for a database of this release that has this value.
    #[must_use]
    pub(crate) fn with(&self, database: &str, release: &Release, in_use: Now) -> Self {
        if let Some(none) = self.lacking(database, release) {
            return Self { in_use, ..self.inapplicable(none) };
        }
        let default = self.default.of(release).newest();
        let held = Held { default, ..Held::new(self, database, &in_use) };
        let (candidates, decision) = match &self.weighed {
            Ok(weighed) => (held.candidates(Some(weighed)), held.decision(weighed)),
            Err(none) => (held.candidates(None), open(none.clone())),
        };
        Self { in_use, candidates, decision, ..self.clone() }.settled(database)
    }

    /// The same for a database that lacks it or ignores it.
    #[must_use]
    pub(crate) fn inapplicable(&self, none: NoAdvice) -> Self {
        Self { candidates: Vec::new(), decision: open(none), ..self.clone() }
    }
}

/// A setting and the value that it has.
pub(crate) struct Held<'a> {
    setting: &'a Setting,
    database: &'a str,
    now: &'a Now,
    in_use: Option<&'a str>,
    default: Option<&'static str>,
}

impl<'a> Held<'a> {
    pub(crate) fn new(setting: &'a Setting, database: &'a str, now: &'a Now) -> Self {
        Self { setting, database, now, in_use: now.value(), default: setting.default.newest() }
    }

    pub(crate) fn is_same(&self, one: &str, other: &str) -> bool {
        is_same(self.setting.kind, one, other) == Ok(true)
    }

    pub(crate) fn is_in_use(&self, value: &str) -> bool {
        self.in_use.is_some_and(|in_use| self.is_same(in_use, value))
    }

    /// The value in use as a number, if it is one.
    fn number(&self) -> Option<f64> {
        number(self.setting.kind, self.in_use?)
    }

    /// Every value that could be had, each once.
    fn candidates(&self, weighed: Option<&Weighed>) -> Vec<Candidate> {
        match self.setting.kind {
            ValueKind::Relative | ValueKind::Fitness => return Vec::new(),
            ValueKind::Flag
            | ValueKind::Integer
            | ValueKind::Real
            | ValueKind::Microseconds
            | ValueKind::Name => {}
        }
        // What is withdrawn has no ratios.
        let predicted = weighed.filter(|weighed| weighed.withdrawn.is_none());
        let effects = predicted.map_or_else(Vec::new, |weighed| self.over_in_use(weighed));
        let favoured = weighed.and_then(|weighed| self.favoured(weighed));
        let measured = effects.iter().map(|effect| effect.value.as_str());
        let untried: &[String] = match weighed.map(|weighed| &weighed.choose) {
            Some(Choose::Untried(values)) => values,
            Some(Choose::Estimated { nearest, .. } | Choose::AtMost { nearest, .. }) => {
                std::slice::from_ref(nearest)
            }
            Some(Choose::Compared | Choose::Guaranteed(_) | Choose::Favoured(_) | Choose::Said { .. })
            | None => &[],
        };
        // If no settings were read, nobody knows the value in use: it is taken to be the default.
        let role = match self.now {
            Now::Set(_) => Role::InUse,
            Now::Default(_) => Role::Default,
        };
        let named = self.in_use.map(|value| (value, role)).into_iter();
        let named = named
            .chain(self.default.map(|value| (value, Role::Default)))
            .chain(measured.map(|value| (value, Role::Measured)))
            .chain(untried.iter().chain(&favoured).map(|value| (value.as_str(), Role::WorthTrying)))
            .chain(self.setting.worth_trying.iter().map(|value| (*value, Role::WorthTrying)));
        let mut candidates: Vec<Candidate> = Vec::new();
        for (value, role) in named {
            if !candidates.iter().any(|known| self.is_same(&known.value, value)) {
                let of_value = effects.iter().filter(|effect| self.is_same(&effect.value, value));
                let effects = of_value.cloned().collect();
                candidates.push(Candidate { value: value.to_owned(), role, effects });
            }
        }
        candidates
    }

    /// What was measured of other values against the one in use.
    fn over_in_use(&self, weighed: &Weighed) -> Vec<Effect> {
        let either = weighed.effects.iter().flat_map(|effect| [effect.clone(), effect.reversed()]);
        either.filter(|effect| self.is_in_use(&effect.over) && !self.is_in_use(&effect.value)).collect()
    }

    fn decision(&self, weighed: &Weighed) -> Decision {
        let keep = || Decision::Keep(Box::new(self.kept(weighed, &[])));
        if weighed.stronger.iter().any(|value| self.is_in_use(value)) {
            return keep();
        }
        match &weighed.choose {
            Choose::Compared => self.unless_withdrawn(weighed, self.among_compared(weighed)),
            Choose::Estimated { estimate, nearest, among } => {
                match self
                    .number()
                    .zip(estimate.interval)
                    .map(|(number, interval)| place(number, interval, among))
                {
                    Some(Place::Alone) => keep(),
                    Some(Place::AmongOthers(others)) => self.too_wide(weighed, estimate, others),
                    Some(Place::Outside) | None if self.is_in_use(nearest) => keep(),
                    Some(Place::Outside) | None => {
                        self.another(decided(weighed, nearest.clone(), Vec::new()))
                    }
                }
            }
            Choose::AtMost { estimate, nearest } => {
                let bounds = estimate.interval.zip(self.number());
                let is = |wanted: fn(f64, (f64, f64)) -> bool| {
                    bounds.is_some_and(|(interval, number)| wanted(number, interval))
                };
                // As for every comparison, 5 % more is the same.
                if self.is_in_use(nearest) || is(|number, (low, _)| number <= low * stats::EQUIVALENCE_MARGIN)
                {
                    return keep();
                }
                if is(|number, (_, high)| number <= high) {
                    return self.too_wide(weighed, estimate, vec![nearest.clone()]);
                }
                self.another(decided(weighed, nearest.clone(), Vec::new()))
            }
            Choose::Guaranteed(value) | Choose::Favoured(value) if self.is_in_use(value) => keep(),
            Choose::Guaranteed(value) => {
                if weighed.alternatives.iter().any(|other| self.is_in_use(&other.value)) {
                    let cause = Cause::GuaranteesLess { safe: value };
                    return Decision::DoesNotApply(NoAdvice::because(Why::DoesNotApply, cause));
                }
                self.needs_proof(self.not_compared())
            }
            Choose::Said { words, estimate } => {
                let found = Recommendation {
                    estimate: estimate.clone(),
                    loadable: false,
                    ..decided(weighed, words.clone(), weighed.effects.clone())
                };
                match self.setting.kind {
                    ValueKind::Fitness => Decision::Judged(Box::new(found)),
                    ValueKind::Relative
                    | ValueKind::Flag
                    | ValueKind::Integer
                    | ValueKind::Real
                    | ValueKind::Microseconds
                    | ValueKind::Name => self.another(found),
                }
            }
            Choose::Favoured(_) | Choose::Untried(_) => self.untried(weighed),
        }
    }

    fn among_compared(&self, weighed: &Weighed) -> Decision {
        let effects = self.over_in_use(weighed);
        if effects.is_empty() {
            return self.needs_proof(self.not_compared());
        }
        let mut values: Vec<&str> = Vec::new();
        for effect in &effects {
            if !values.iter().any(|known| self.is_same(known, &effect.value)) {
                values.push(&effect.value);
            }
        }
        let of = |value: &str| -> Vec<Effect> {
            effects.iter().filter(|effect| self.is_same(&effect.value, value)).cloned().collect()
        };
        let least = |value: &&str| of(value).iter().map(Effect::gain).fold(f64::INFINITY, f64::min);
        let better = values.iter().filter(|value| is_proven_better(&of(value)));
        match better.max_by(|a, b| least(a).total_cmp(&least(b))) {
            Some(value) => self.another(decided(weighed, (*value).to_owned(), of(value))),
            None => Decision::Keep(Box::new(self.kept(weighed, &effects))),
        }
    }

    /// The decision, if the rule may predict it: otherwise a better value is one to try.
    fn unless_withdrawn(&self, weighed: &Weighed, decision: Decision) -> Decision {
        match (&decision, weighed.withdrawn) {
            (Decision::Candidate(_), Some(_)) => self.untried(weighed),
            (_, _) => decision,
        }
    }

    /// The value that is better on the disk, if the rule predicts no gain of it.
    fn favoured(&self, weighed: &Weighed) -> Option<String> {
        if let Choose::Favoured(value) = weighed.choose {
            return Some(value.to_owned());
        }
        if weighed.withdrawn.is_none() || weighed.choose != Choose::Compared {
            return None;
        }
        let Decision::Candidate(found) = self.among_compared(weighed) else { return None };
        Some(found.value)
    }

    fn untried(&self, weighed: &Weighed) -> Decision {
        let named = match &weighed.choose {
            Choose::Untried(values) => values.clone(),
            Choose::Compared
            | Choose::Estimated { .. }
            | Choose::AtMost { .. }
            | Choose::Guaranteed(_)
            | Choose::Favoured(_)
            | Choose::Said { .. } => self.favoured(weighed).into_iter().collect(),
        };
        let others = self.setting.worth_trying.iter().map(|value| (*value).to_owned());
        let value = named.into_iter().chain(others).find(|value| !self.is_in_use(value));
        let Some(value) = value else { return self.needs_proof(self.not_compared()) };
        let (statement, withdrawn) = (weighed.statement.clone(), weighed.withdrawn);
        self.needs_proof(Cause::Untried { statement, value, withdrawn })
    }

    /// Another value than the one in use: a change if the database itself showed that it is better.
    fn another(&self, found: Recommendation) -> Decision {
        match found.measured_on {
            MeasuredOn::Database => Decision::ChangeTo(Box::new(found)),
            MeasuredOn::Disk => {
                let needs = self.setting.is_provable.then(|| Needs::proof_of_advice(self.database));
                Decision::Candidate(Box::new(Recommendation { needs, ..found }))
            }
        }
    }

    /// The value in use, with the most that it could lose.
    pub(crate) fn kept(&self, weighed: &Weighed, effects: &[Effect]) -> Recommendation {
        let most = |effect: &&Effect| effect.share_lost_at_most().unwrap_or(0.0);
        let largest = effects.iter().max_by(|a, b| most(a).total_cmp(&most(b)));
        let is_proven_small = effects.iter().all(|effect| match effect.standing() {
            Standing::Worse | Standing::Equal => true,
            Standing::Better | Standing::Open => effect.share_lost_at_most().is_some_and(is_small),
        });
        let regret = largest.map(|effect| Regret {
            over: effect.value.clone(),
            share_at_most: most(&effect),
            is_proven_small,
            is_mixed: effects
                .iter()
                .any(|other| other.value == effect.value && other.standing() == Standing::Better),
        });
        let value = self.in_use.unwrap_or_default().to_owned();
        Recommendation {
            needs: weighed.needs.clone().filter(|_| !is_proven_small),
            regret,
            ..decided(weighed, value, effects.iter().map(Effect::reversed).collect())
        }
    }

    /// The value in use is none of those that were compared.
    fn not_compared(&self) -> Cause {
        match (self.now, self.in_use) {
            (Now::Set(value), _) => Cause::InUseNotCompared { in_use: value.clone() },
            (Now::Default(_), Some(value)) => Cause::DefaultNotCompared { default: value.to_owned() },
            (Now::Default(_), None) => Cause::InUseUnknown,
        }
    }

    /// The interval includes the value in use and others that differ from it: it decides between none of them.
    fn too_wide(&self, weighed: &Weighed, estimate: &Estimate, others: Vec<String>) -> Decision {
        let in_use = self.in_use.unwrap_or_default().to_owned();
        let cause = Cause::TooWide { estimate: estimate.clone(), in_use, others };
        let needs = weighed.needs.clone().or_else(|| self.proof());
        Decision::Undecided(NoAdvice { needs, ..NoAdvice::undecided(cause) })
    }

    fn proof(&self) -> Option<Needs> {
        self.setting.is_provable.then(|| Needs::proof(self.database, &self.setting.name))
    }

    fn needs_proof(&self, cause: Cause) -> Decision {
        let needs = self.proof();
        Decision::Undecided(NoAdvice { needs, ..NoAdvice::undecided(cause) })
    }
}

/// Better in one comparison, and in no other one worse or possibly more than 5 % worse.
fn is_proven_better(effects: &[Effect]) -> bool {
    let is = |standing: Standing| effects.iter().any(|effect| effect.standing() == standing);
    let may_lose = |effect: &Effect| match effect.standing() {
        Standing::Open => !effect.reversed().share_lost_at_most().is_some_and(is_small),
        Standing::Better | Standing::Worse | Standing::Equal => false,
    };
    is(Standing::Better) && !is(Standing::Worse) && !effects.iter().any(may_lose)
}

/// Whether a loss lies within the margin of equivalence.
fn is_small(share: f64) -> bool {
    share <= 1.0 - stats::EQUIVALENCE_MARGIN.recip()
}

/// The estimate that the value follows from, if it follows from one.
fn estimate(weighed: &Weighed) -> Option<Estimate> {
    match &weighed.choose {
        Choose::Estimated { estimate, .. } | Choose::AtMost { estimate, .. } => Some(estimate.clone()),
        Choose::Compared
        | Choose::Guaranteed(_)
        | Choose::Favoured(_)
        | Choose::Said { .. }
        | Choose::Untried(_) => None,
    }
}

/// A value on this basis.
pub(crate) fn decided(weighed: &Weighed, value: String, effects: Vec<Effect>) -> Recommendation {
    Recommendation {
        value,
        loadable: true,
        estimate: estimate(weighed),
        statement: weighed.statement.clone(),
        measured_on: weighed.measured_on,
        effects,
        regret: None,
        needs: None,
        alternatives: weighed.alternatives.clone(),
        grounds: weighed.grounds.clone(),
        audits: weighed.audits.clone(),
        unchecked: weighed.unchecked.clone(),
        caveats: weighed.caveats.clone(),
        expires: weighed.expires.clone(),
    }
}

/// A reason as a decision.
fn open(none: NoAdvice) -> Decision {
    match none.why {
        Why::NotMeasured | Why::Undecided => Decision::Undecided(none),
        Why::AuditFailed | Why::NotProven => Decision::Withheld(none),
        Why::Unsupported | Why::DoesNotApply => Decision::DoesNotApply(none),
    }
}
