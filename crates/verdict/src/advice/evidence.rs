//! What a rule may look at: cells of the run's studies, compared within rounds.

pub(super) use super::contrast::{Contrast, Outcome};
use super::setting::{Alternative, Effect, Ground, Silence};
use crate::attribution::Footing;
use crate::phrase::{self, bounds, level, ratio, title};
use crate::verdict::{Answer, Cell, Estimate, Figure, Finding, StudyVerdict};
use crate::{estimate, looks};
use model::metric::Better;
use model::plan::StudyPlan;
use model::run::Run;
use model::{Configuration, Value};
use stats::Rule;
use stats::contrast::{log_ratios, mean_over_cells};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// A parameter and the level it has to have, as text.
pub(super) type Held<'a> = (&'a str, &'a str);

/// A run as rules see it.
#[derive(Clone, Copy)]
pub(super) struct Evidence<'a> {
    pub(super) run: &'a Run,
    pub(super) studies: &'a [StudyVerdict],
    /// Comparisons that share the error.
    pub(super) comparisons: usize,
    /// What one rule has used so far: whatever it takes from the run, it takes through these functions.
    used: &'a RefCell<Vec<Used<'a>>>,
}

/// Figures of a study that a rule has used.
#[derive(Clone)]
pub(super) struct Used<'a> {
    pub(super) study: &'a StudyVerdict,
    pub(super) footing: Footing,
}

/// A value and why, before the audits were looked at that it requires.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) value: String,
    pub(super) loadable: bool,
    pub(super) estimate: Option<Estimate>,
    pub(super) statement: String,
    pub(super) effects: Vec<Effect>,
    pub(super) alternatives: Vec<Alternative>,
    /// Values that promise more.
    pub(super) stronger: &'static [&'static str],
    pub(super) grounds: Vec<Ground>,
    pub(super) caveats: Vec<String>,
}

/// Two arms to be compared: configurations that differ in these levels and share those.
#[derive(Clone, Copy)]
pub(super) struct Arms<'a> {
    pub(super) workload: &'a str,
    /// What both have.
    pub(super) held: &'a [Held<'a>],
    pub(super) base: &'a [Held<'a>],
    pub(super) other: &'a [Held<'a>],
    /// Whether the arms may promise different things: then their ratio is the price of a promise.
    pub(super) across_classes: bool,
}

/// Where cells were found.
pub(super) struct Found<'a> {
    pub(super) study: &'a StudyVerdict,
    pub(super) plan: &'a StudyPlan,
    pub(super) cells: Vec<&'a Cell>,
}

impl<'a> Evidence<'a> {
    /// For one rule, which notes in `used` what it takes.
    pub(super) fn new(
        run: &'a Run,
        studies: &'a [StudyVerdict],
        comparisons: usize,
        used: &'a RefCell<Vec<Used<'a>>>,
    ) -> Self {
        Self { run, studies, comparisons, used }
    }

    fn uses(&self, study: &'a StudyVerdict, footing: Footing) {
        self.used.borrow_mut().push(Used { study, footing });
    }

    /// Confidence of one of this database's claims about a study, whose looks have spent some of the error.
    pub(super) fn level(&self, plan: &StudyPlan) -> f64 {
        stats::family::simultaneous_level(self.confidence(plan), self.comparisons)
    }

    /// A run that may have ended at earlier looks has spent part of the error there, as its findings have.
    fn confidence(&self, plan: &StudyPlan) -> f64 {
        let begun = self.run.of_study(plan).filter(|record| !record.warmup).map(|record| record.key.round);
        looks::confidence(plan, plan.rounds_begun(begun))
    }

    /// A cell's figure, or why it has none.
    pub(super) fn figure(
        &self,
        found: &Found<'a>,
        cell: &'a Cell,
        metric: &str,
    ) -> Result<&'a Figure, Silence> {
        let figure = figure_of(cell, metric)?;
        let Found { study, plan, .. } = found;
        self.uses(study, Footing::new(plan, &study.cells, [cell.configuration], Vec::new(), &[metric]));
        Ok(figure)
    }

    /// A study's finding of an ask on a metric.
    pub(super) fn finding(&self, study: &'a StudyVerdict, ask: &str, metric: &str) -> Option<&'a Finding> {
        let mut findings = study.findings.iter();
        let found = findings.find(|found| found.ask == ask && found.metric == metric)?;
        self.uses(study, found.rests_on.clone());
        Some(found)
    }

    /// The same for a rule that draws more comparisons than it has a share for: they divide that share.
    pub(super) fn sharing(self, planned: usize, drawn: usize) -> Self {
        let comparisons = (self.comparisons * drawn).div_ceil(planned).max(self.comparisons);
        Self { comparisons, ..self }
    }

    /// The studies that run a workload, with their plans.
    pub(super) fn of_workload(
        &self,
        workload: &str,
    ) -> impl Iterator<Item = (&'a StudyVerdict, &'a StudyPlan)> {
        let plans = self.run.plan.studies.iter().filter(move |plan| plan.workload == workload);
        let studies = self.studies;
        plans.filter_map(move |plan| Some((studies.iter().find(|study| study.name == plan.name)?, plan)))
    }

    /// The cells of the first study that has any with these levels.
    pub(super) fn cells(&self, workload: &str, held: &[Held<'_>]) -> Result<Found<'a>, Silence> {
        let found = self.of_workload(workload).find_map(|(study, plan)| {
            let cells: Vec<&Cell> = study.cells.iter().filter(|cell| has(plan, cell, held)).collect();
            (!cells.is_empty()).then_some(Found { study, plan, cells })
        });
        found.ok_or_else(|| {
            Silence::not_measured(format!("no study of this run has {}", words(workload, held)))
        })
    }

    /// Compares the two arms in the first study that has both.
    pub(super) fn contrast(&self, arms: Arms<'_>, metric: &str) -> Result<Contrast, Silence> {
        let mut found =
            self.of_workload(arms.workload).map(|(study, plan)| (study, plan, pairs(study, plan, arms)));
        let Some((study, plan, pairs)) = found.find(|(_, _, pairs)| !pairs.is_empty()) else {
            let either = format!("{} beside {}", label(arms.other), label(arms.base));
            let held = words(arms.workload, arms.held);
            return Err(Silence::not_measured(format!("no study of this run has {either}, {held}")));
        };
        let configurations = pairs.iter().flat_map(|(base, other)| [base.configuration, other.configuration]);
        let parameters = arms.base.iter().chain(arms.other).map(|(parameter, _)| (*parameter).to_owned());
        let footing = Footing::new(plan, &study.cells, configurations, parameters.collect(), &[metric]);
        self.uses(study, footing);
        let means = blocks_of(&pairs, metric)?;
        if !arms.across_classes
            && let Some((base, other)) =
                pairs.iter().find(|(base, other)| base.durability != other.durability)
        {
            return Err(Silence::undecided(format!(
                "the arms promise different things: {} is of durability class {}, {} of {}",
                base.label, base.durability, other.label, other.durability
            )));
        }
        let floor = study.noise.get(metric).and_then(|floor| floor.value()).copied();
        let rule =
            Rule::at(self.confidence(plan), self.comparisons, floor.map_or(1.0, |floor| floor.max(1.0)));
        let decision = stats::equivalence::decide(&means, &rule).map_err(|why| {
            Silence::undecided(format!("the comparison in study {} has no interval: {why}", study.name))
        })?;
        let interval = &decision.ratio.interval;
        let is_better = match phrase::better(metric) {
            Better::Higher => interval.estimate > 1.0,
            Better::Lower | Better::Neither => interval.estimate < 1.0,
        };
        let (outcome, answer, rounds_needed) = match decision.answer {
            stats::Answer::Different if is_better => (Outcome::Better, Answer::Different, None),
            stats::Answer::Different => (Outcome::Worse, Answer::Different, None),
            stats::Answer::Equivalent => (Outcome::Equal, Answer::Equivalent, None),
            stats::Answer::Undecided { rounds_needed } => {
                (Outcome::Undecided, Answer::Undecided, rounds_needed)
            }
        };
        Ok(Contrast {
            metric: metric.to_owned(),
            outcome,
            ratio: estimate::of_interval(interval),
            ground: Ground {
                study: study.name.clone(),
                finding: finding(study, arms, metric),
                metric: metric.to_owned(),
                trials: 2 * means.len() * pairs.len(),
            },
            answer,
            rounds: means.len(),
            rounds_needed,
            is_floor_known: floor.is_some(),
        })
    }
}

/// An estimate of a ratio: `31.2× (30.1–32.4, 99.38 % simultaneous)`.
pub(super) fn ratio_with_interval(estimate: &Estimate) -> String {
    let point = estimate.point.map_or_else(|| "–".to_owned(), ratio);
    match (estimate.interval, estimate.level) {
        (Some(interval), Some(at)) => format!("{point} ({}, {} simultaneous)", bounds(interval), level(at)),
        _ => point,
    }
}

/// `9 375`, with its interval: `98.1 µs (97.2–99.0, 95 %)`.
pub(super) fn with_interval(metric: &str, estimate: &Estimate) -> String {
    let figure = |value: f64| phrase::figure(metric, value);
    let point = estimate.point.map_or_else(|| "no value".to_owned(), figure);
    match (estimate.interval, estimate.level) {
        (Some((low, high)), Some(at)) => {
            format!("{point} ({} to {}, {})", figure(low), figure(high), level(at))
        }
        _ => point,
    }
}

/// The parameter's level as text. Where a mode is `same`, it is that of `mode`; a workload without the parameter
/// `filesystem` runs on the host's.
pub(super) fn text(values: &Configuration, parameter: &str) -> Option<String> {
    let found = match values.get(parameter) {
        Some(Value::Name(same)) if same == "same" => values.get("mode"),
        None if parameter == "filesystem" => return Some("host".to_owned()),
        found => found,
    };
    found.map(ToString::to_string)
}

pub(super) fn has_all(values: &Configuration, held: &[Held<'_>]) -> bool {
    held.iter().all(|(parameter, level)| text(values, parameter).as_deref() == Some(level))
}

fn has(plan: &StudyPlan, cell: &Cell, held: &[Held<'_>]) -> bool {
    plan.configurations.get(cell.configuration).is_some_and(|values| has_all(values, held))
}

/// Cells of the base with the one cell each that differs from it in the compared levels alone.
fn pairs<'a>(study: &'a StudyVerdict, plan: &StudyPlan, arms: Arms<'_>) -> Vec<(&'a Cell, &'a Cell)> {
    let values = |cell: &Cell| plan.configurations.get(cell.configuration);
    let of = |levels: &[Held<'_>]| -> Vec<&'a Cell> {
        let wanted = |cell: &&Cell| has(plan, cell, arms.held) && has(plan, cell, levels);
        study.cells.iter().filter(wanted).collect()
    };
    let named: Vec<&str> = arms.base.iter().chain(arms.other).map(|(parameter, _)| *parameter).collect();
    let is_alike = |one: &Cell, other: &Cell| {
        let mut others = plan.factors.iter().map(|factor| factor.name.as_str());
        others.all(|name| {
            let level = |cell: &Cell| values(cell).and_then(|values| text(values, name));
            name == "arm" || named.contains(&name) || level(one) == level(other)
        })
    };
    let others = of(arms.other);
    let partner =
        |base: &'a Cell| others.iter().find(|other| is_alike(base, other)).map(|other| (base, *other));
    of(arms.base).into_iter().filter_map(partner).collect()
}

/// Log ratios of complete rounds, averaged over the pairs.
fn blocks_of(pairs: &[(&Cell, &Cell)], metric: &str) -> Result<Vec<f64>, Silence> {
    let by_round = |cell: &Cell| -> Result<BTreeMap<u32, f64>, Silence> {
        let figure = figure_of(cell, metric)?;
        Ok(figure.values.iter().filter_map(|(round, value)| Some((*round, (*value)?))).collect())
    };
    let mut columns = Vec::new();
    for (base, other) in pairs {
        columns.push((by_round(base)?, by_round(other)?));
    }
    let Some((first, _)) = columns.first() else { return Ok(Vec::new()) };
    let mut rounds: Vec<Vec<f64>> = Vec::new();
    for round in first.keys() {
        let cells: Option<Vec<(f64, f64)>> =
            columns.iter().map(|(base, other)| Some((*base.get(round)?, *other.get(round)?))).collect();
        let Some(cells) = cells else { continue };
        rounds.push(log_ratios(&cells).map_err(|why| Silence::undecided(why.to_string()))?);
    }
    mean_over_cells(&rounds).map_err(|why| Silence::undecided(why.to_string()))
}

fn figure_of<'a>(cell: &'a Cell, metric: &str) -> Result<&'a Figure, Silence> {
    if cell.n == 0 {
        return Err(Silence::not_measured(format!("{}: no trial has ended well", cell.label)));
    }
    let name = title(metric);
    let figure = cell.figures.get(metric);
    let figure =
        figure.ok_or_else(|| Silence::unsupported(format!("{}: {name} was not measured", cell.label)))?;
    match &figure.unsupported {
        Some(why) => Err(Silence::unsupported(format!("{}: {name} cannot be told here: {why}", cell.label))),
        None => Ok(figure),
    }
}

/// What the study's own finding about these arms is called; where it has none of just these, the arms themselves.
fn finding(study: &StudyVerdict, arms: Arms<'_>, metric: &str) -> String {
    let ([(factor, base)], [(_, other)]) = (arms.base, arms.other) else {
        return format!("{} against {}", label(arms.other), label(arms.base));
    };
    let of_these = |finding: &&Finding| {
        let (compared, at) = finding.subject.split_once(" with ").unwrap_or((&finding.subject, ""));
        let is_held = |asked: &str| {
            arms.held.iter().any(|(name, level)| asked == format!("{name} = {level}")) || asked.is_empty()
        };
        finding.ask == format!("compare {factor}")
            && finding.metric == metric
            && compared.contains(base)
            && compared.contains(other)
            && at.split(", ").all(is_held)
    };
    match study.findings.iter().find(of_these) {
        Some(finding) => format!("{}, {}", finding.ask, finding.subject),
        None => format!("{} against {}", label(arms.other), label(arms.base)),
    }
}

fn label(levels: &[Held<'_>]) -> String {
    levels.iter().map(|(name, level)| format!("{name} = {level}")).collect::<Vec<_>>().join(", ")
}

fn words(workload: &str, held: &[Held<'_>]) -> String {
    if held.is_empty() {
        return format!("the workload {workload}");
    }
    format!("the workload {workload} at {}", label(held))
}
