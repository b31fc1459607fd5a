//! What a rule may look at: cells of the run's studies, compared within rounds.

use crate::comparison::Comparison;
use crate::level::{Level, has_all, label, text, words};
use crate::setting::{Alternative, Effect, Ground, NoAdvice};
use model::plan::StudyPlan;
use model::run::Run;
use stats::Rule;
use stats::contrast::{log_ratios, mean_over_cells};
use std::cell::RefCell;
use std::collections::BTreeMap;
use verdict::phrase::title;
use verdict::{Cell, Estimate, Figure, Finding, Footing, StudyVerdict, Verdict};

/// A run as rules see it.
#[derive(Clone, Copy)]
pub(crate) struct Evidence<'a> {
    run: &'a Run,
    studies: &'a [StudyVerdict],
    /// Comparisons that share the error.
    comparisons: usize,
    /// What one rule has used so far: whatever it takes from the run, it takes through these functions.
    used: &'a RefCell<Vec<Used<'a>>>,
}

/// Figures of a study that a rule has used.
#[derive(Clone)]
pub(crate) struct Used<'a> {
    pub(crate) study: &'a StudyVerdict,
    pub(crate) footing: Footing,
}

/// A value and why, before the audits were looked at that it requires.
#[derive(Default)]
pub(crate) struct Proposal {
    pub(crate) value: String,
    pub(crate) loadable: bool,
    pub(crate) estimate: Option<Estimate>,
    pub(crate) statement: String,
    pub(crate) effects: Vec<Effect>,
    pub(crate) alternatives: Vec<Alternative>,
    /// Values that promise more.
    pub(crate) stronger: &'static [&'static str],
    pub(crate) grounds: Vec<Ground>,
    pub(crate) caveats: Vec<String>,
}

/// Two arms to be compared: configurations that differ in these levels and share those.
#[derive(Clone, Copy)]
pub(crate) struct Arms<'a> {
    pub(crate) workload: &'a str,
    /// What both have.
    pub(crate) held: &'a [Level<'a>],
    pub(crate) base: &'a [Level<'a>],
    pub(crate) other: &'a [Level<'a>],
    /// Whether the arms may promise different things: then their ratio is the price of a promise.
    pub(crate) across_classes: bool,
}

/// Where cells were found.
pub(crate) struct Found<'a> {
    pub(crate) study: &'a StudyVerdict,
    pub(crate) plan: &'a StudyPlan,
    pub(crate) cells: Vec<&'a Cell>,
}

impl<'a> Evidence<'a> {
    /// For one rule, which notes in `used` what it takes.
    pub(crate) fn new(
        run: &'a Run,
        verdict: &'a Verdict,
        comparisons: usize,
        used: &'a RefCell<Vec<Used<'a>>>,
    ) -> Self {
        Self { run, studies: &verdict.studies, comparisons, used }
    }

    fn uses(&self, study: &'a StudyVerdict, footing: Footing) {
        self.used.borrow_mut().push(Used { study, footing });
    }

    /// Confidence of one of this database's claims about a study, whose looks have spent some of the error.
    pub(crate) fn level(&self, study: &StudyVerdict) -> f64 {
        stats::family::simultaneous_level(study.confidence, self.comparisons)
    }

    /// A cell's figure, or why it has none.
    pub(crate) fn figure(
        &self,
        found: &Found<'a>,
        cell: &'a Cell,
        metric: &str,
    ) -> Result<&'a Figure, NoAdvice> {
        let figure = figure_of(cell, metric)?;
        let Found { study, plan, .. } = found;
        self.uses(study, study.footing(plan, cell.configuration, metric));
        Ok(figure)
    }

    /// A study's finding of an ask on a metric.
    pub(crate) fn finding(&self, study: &'a StudyVerdict, ask: &str, metric: &str) -> Option<&'a Finding> {
        let mut findings = study.findings.iter();
        let found = findings.find(|found| found.ask.name() == ask && found.metric == metric)?;
        self.uses(study, found.rests_on.clone());
        Some(found)
    }

    /// The same for a rule that draws more comparisons than it has a share for: they divide that share.
    pub(crate) fn sharing(self, planned: usize, drawn: usize) -> Self {
        let comparisons = (self.comparisons * drawn).div_ceil(planned).max(self.comparisons);
        Self { comparisons, ..self }
    }

    /// The studies that run a workload, with their plans.
    pub(crate) fn of_workload(
        &self,
        workload: &str,
    ) -> impl Iterator<Item = (&'a StudyVerdict, &'a StudyPlan)> {
        let plans = self.run.plan.studies.iter().filter(move |plan| plan.workload == workload);
        let studies = self.studies;
        plans.filter_map(move |plan| Some((studies.iter().find(|study| study.name == plan.name)?, plan)))
    }

    /// The cells of the first study that has any with these levels.
    pub(crate) fn cells(&self, workload: &str, held: &[Level<'_>]) -> Result<Found<'a>, NoAdvice> {
        let found = self.of_workload(workload).find_map(|(study, plan)| {
            let cells: Vec<&Cell> = study.cells.iter().filter(|cell| has(plan, cell, held)).collect();
            (!cells.is_empty()).then_some(Found { study, plan, cells })
        });
        found.ok_or_else(|| {
            NoAdvice::not_measured(format!("no study of this run has {}", words(workload, held)))
        })
    }

    /// Compares the two arms in the first study that has both.
    pub(crate) fn contrast(&self, arms: Arms<'_>, metric: &str) -> Result<Comparison, NoAdvice> {
        let mut found =
            self.of_workload(arms.workload).map(|(study, plan)| (study, plan, pairs(study, plan, arms)));
        let Some((study, plan, pairs)) = found.find(|(_, _, pairs)| !pairs.is_empty()) else {
            let either = format!("{} beside {}", label(arms.other), label(arms.base));
            let held = words(arms.workload, arms.held);
            return Err(NoAdvice::not_measured(format!("no study of this run has {either}, {held}")));
        };
        let configurations = pairs.iter().flat_map(|(base, other)| [base.configuration, other.configuration]);
        let parameters = arms.parameters().into_iter().map(str::to_owned).collect();
        self.uses(study, Footing::new(plan, &study.cells, configurations, parameters, &[metric]));
        let means = blocks_of(&pairs, metric)?;
        if !arms.across_classes
            && let Some((base, other)) =
                pairs.iter().find(|(base, other)| base.durability != other.durability)
        {
            return Err(NoAdvice::undecided(format!(
                "the arms promise different things: {} is of durability class {}, {} of {}",
                base.label, base.durability, other.label, other.durability
            )));
        }
        let floor = study.noise.get(metric).and_then(|floor| floor.value()).copied();
        let rule = Rule::at(study.confidence, self.comparisons, floor.map_or(1.0, |floor| floor.max(1.0)));
        let decision = stats::equivalence::decide(&means, &rule).map_err(|why| {
            NoAdvice::undecided(format!("the comparison in study {} has no interval: {why}", study.name))
        })?;
        let ground = Ground {
            study: study.name.clone(),
            finding: format!("{} against {}", label(arms.other), label(arms.base)),
            metric: metric.to_owned(),
            trials: 2 * means.len() * pairs.len(),
        };
        Ok(Comparison::new(metric, &decision, ground, floor.is_some()))
    }
}

impl<'a> Arms<'a> {
    /// The parameters in which the arms differ, each once.
    fn parameters(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self.base.iter().chain(self.other).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn has(plan: &StudyPlan, cell: &Cell, held: &[Level<'_>]) -> bool {
    plan.configurations.get(cell.configuration).is_some_and(|values| has_all(values, held))
}

/// Cells of the base with the one cell each that differs from it in the compared levels alone.
fn pairs<'a>(study: &'a StudyVerdict, plan: &StudyPlan, arms: Arms<'_>) -> Vec<(&'a Cell, &'a Cell)> {
    let values = |cell: &Cell| plan.configurations.get(cell.configuration);
    let of = |levels: &[Level<'_>]| -> Vec<&'a Cell> {
        let wanted = |cell: &&Cell| has(plan, cell, arms.held) && has(plan, cell, levels);
        study.cells.iter().filter(wanted).collect()
    };
    let named = arms.parameters();
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
fn blocks_of(pairs: &[(&Cell, &Cell)], metric: &str) -> Result<Vec<f64>, NoAdvice> {
    let by_round = |cell: &Cell| -> Result<BTreeMap<u32, f64>, NoAdvice> {
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
        rounds.push(log_ratios(&cells).map_err(|why| NoAdvice::undecided(why.to_string()))?);
    }
    mean_over_cells(&rounds).map_err(|why| NoAdvice::undecided(why.to_string()))
}

fn figure_of<'a>(cell: &'a Cell, metric: &str) -> Result<&'a Figure, NoAdvice> {
    if cell.n == 0 {
        return Err(NoAdvice::not_measured(format!("{}: no trial has ended well", cell.label)));
    }
    let name = title(metric);
    let figure = cell.figures.get(metric);
    let figure =
        figure.ok_or_else(|| NoAdvice::unsupported(format!("{}: {name} was not measured", cell.label)))?;
    match &figure.unsupported {
        Some(why) => Err(NoAdvice::unsupported(format!("{}: {name} cannot be told here: {why}", cell.label))),
        None => Ok(figure),
    }
}
