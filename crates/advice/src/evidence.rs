//! What a rule may use: cells of the run's studies, compared within rounds.

use crate::cause::Cause;
use crate::caveat::Caveat;
use crate::comparison::Comparison;
use crate::contradiction::{against, proven_lower, require_no_contradiction};
use crate::ground::Ground;
use crate::level::{Level, has_all, label, level, listed, on_host};
use crate::no_advice::{Needs, NoAdvice};
use model::Description;
use model::plan::StudyPlan;
use model::run::Run;
use model::study::AskKind;
use model::trial::TrialRecord;
use settings::Version;
use std::cell::RefCell;
use verdict::finding::Reason;
use verdict::{Basis, Cell, Figure, Finding, Pairs, StudyVerdict, Verdict};

/// A run, as rules see it.
#[derive(Clone, Copy)]
pub(crate) struct Evidence<'a> {
    run: &'a Run,
    studies: &'a [StudyVerdict],
    /// Comparisons that share the error.
    comparisons: usize,
    /// What one rule has used so far. A rule can take data from the run only through these functions.
    used: &'a RefCell<Vec<Used<'a>>>,
}

/// Figures of a study that a rule has used.
#[derive(Clone)]
pub(crate) struct Used<'a> {
    pub(crate) study: &'a StudyVerdict,
    pub(crate) basis: Basis,
    /// What limits what was made of them.
    pub(crate) caveats: Vec<Caveat>,
}

/// Two arms to compare: configurations that differ in these levels and share the held ones.
#[derive(Clone, Copy)]
pub(crate) struct Arms<'a> {
    pub(crate) workload: &'a str,
    /// The levels that both have.
    pub(crate) held: &'a [Level],
    pub(crate) base: &'a [Level],
    pub(crate) other: &'a [Level],
    /// Whether the arms may differ in durability class: then their ratio is the price of the stronger class.
    pub(crate) across_classes: bool,
}

/// The cells that were found, with their study.
pub(crate) struct Found<'a> {
    pub(crate) study: &'a StudyVerdict,
    pub(crate) plan: &'a StudyPlan,
    pub(crate) cells: Vec<&'a Cell>,
}

impl<'a> Evidence<'a> {
    /// For one rule; `used` records what the rule takes.
    pub(crate) fn new(
        run: &'a Run,
        verdict: &'a Verdict,
        comparisons: usize,
        used: &'a RefCell<Vec<Used<'a>>>,
    ) -> Self {
        Self { run, studies: &verdict.studies, comparisons, used }
    }

    /// A setting of the queue of the measured device, as the run recorded it.
    pub(crate) fn queue_setting(&self, name: &str) -> Option<String> {
        let of_queue = |record: &TrialRecord| {
            record.measurement.as_ref()?.placement.queue_setting(name).map(str::to_owned)
        };
        self.run.records.iter().filter(|record| is_on_host(record)).find_map(of_queue)
    }

    /// The file system of the measured directory.
    pub(crate) fn filesystem(&self) -> Option<String> {
        let mut on_host = self.run.records.iter().filter(|record| is_on_host(record));
        on_host.find_map(|record| Some(record.measurement.as_ref()?.placement.filesystem.clone()))
    }

    /// The version of the server that the trials of a workload ran on; `None` if they ran on none.
    pub(crate) fn server_version(&self, workload: &str) -> Option<Version> {
        let mut studies = self.run.plan.studies.iter().filter(|plan| plan.workload == workload);
        let of_record =
            |record: &TrialRecord| record.measurement.as_ref()?.server.as_ref()?.version.parse().ok();
        studies.find_map(|plan| self.run.of_study(plan).find_map(of_record))
    }

    fn uses(&self, study: &'a StudyVerdict, basis: Basis, caveats: Vec<Caveat>) {
        self.used.borrow_mut().push(Used { study, basis, caveats });
    }

    /// The confidence level of one of this database's claims about a study, whose interim looks have spent a part of
    /// the error.
    pub(crate) fn level(&self, study: &StudyVerdict) -> f64 {
        stats::family::simultaneous_level(study.confidence, self.comparisons)
    }

    /// More rounds of a study, this number in all.
    pub(crate) fn needs(&self, study: &StudyVerdict, rounds: usize) -> Option<Needs> {
        Needs::rounds(self.run, &study.name, rounds)
    }

    /// A cell's figure, or the reason why it has none.
    pub(crate) fn figure(
        &self,
        found: &Found<'a>,
        cell: &'a Cell,
        metric: &str,
    ) -> Result<&'a Figure, NoAdvice> {
        let figure = figure_of(cell, metric)?;
        let Found { study, plan, .. } = found;
        self.uses(study, study.basis(plan, cell.configuration, metric), Vec::new());
        Ok(figure)
    }

    /// A study's finding for an ask over all levels of the other factors, and a metric.
    pub(crate) fn finding(
        &self,
        study: &'a StudyVerdict,
        (kind, factor): (AskKind, &str),
        metric: &str,
    ) -> Option<&'a Finding> {
        let is_asked = |found: &&Finding| {
            found.ask.kind == kind && found.ask.factor == factor && found.ask.at.is_empty()
        };
        let found = study.findings.iter().filter(is_asked).find(|found| found.metric == metric)?;
        self.uses(study, found.rests_on.clone(), Vec::new());
        Some(found)
    }

    /// For a rule that draws more comparisons than its share: they divide that share.
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

    /// The cells of the first study that has cells with these levels.
    pub(crate) fn cells(&self, workload: &str, held: &[Level]) -> Result<Found<'a>, NoAdvice> {
        let found = self.of_workload(workload).find_map(|(study, plan)| {
            let cells: Vec<&Cell> = study.cells.iter().filter(|cell| has(plan, cell, held)).collect();
            (!cells.is_empty()).then_some(Found { study, plan, cells })
        });
        found.ok_or_else(|| {
            NoAdvice::not_measured(Cause::NoCells { workload: workload.to_owned(), held: listed(held) })
        })
    }

    /// Refuses an arm if a finding of the comparison's study that rests on the arm proves one of its levels to have a
    /// lower figure than another level.
    pub(crate) fn require_not_proven_lower(
        &self,
        compared: &Comparison,
        arm: &[Level],
    ) -> Result<(), NoAdvice> {
        let study = self.studies.iter().find(|study| study.name == compared.ground.study);
        let plan = self.run.plan.studies.iter().find(|plan| plan.name == compared.ground.study);
        let Some((study, plan)) = study.zip(plan) else { return Ok(()) };
        let is_of_arm =
            |index: &usize| plan.configurations.get(*index).is_some_and(|values| has_all(values, arm));
        let mut found =
            arm.iter().filter_map(|level| proven_lower(study, level, &compared.metric, is_of_arm));
        found.next().map_or(Ok(()), |finding| Err(against(study, finding, &compared.ratio)))
    }

    /// Compares the two arms in the first study that has both.
    pub(crate) fn contrast(&self, arms: Arms<'_>, metric: &str) -> Result<Comparison, NoAdvice> {
        let mut found =
            self.of_workload(arms.workload).map(|(study, plan)| (study, plan, pairs(study, plan, arms)));
        let Some((study, plan, pairs)) = found.find(|(_, _, pairs)| !pairs.is_empty()) else {
            return Err(NoAdvice::not_measured(Cause::NoArms {
                workload: arms.workload.to_owned(),
                held: listed(arms.held),
                base: listed(arms.base),
                other: listed(arms.other),
            }));
        };
        let parameters = arms.parameters();
        let configurations: Vec<(usize, usize)> =
            pairs.iter().map(|(base, other)| (base.configuration, other.configuration)).collect();
        let compared = Pairs { parameters: &parameters, configurations: &configurations };
        let contrast = study
            .contrast(plan, compared, metric, self.comparisons)
            .map_err(|why| not_compared(study, &why))?;
        let caveats = contrast.remarks.iter().filter(|remark| remark.limits_a_comparison()).map(|remark| {
            Caveat::OfStudy {
                study: study.name.clone(),
                parameters: parameters.iter().map(|name| (*name).to_owned()).collect(),
                remark: remark.clone(),
            }
        });
        self.uses(study, contrast.rests_on.clone(), caveats.collect());
        if let Some(opposing) = &contrast.opposing {
            return Err(NoAdvice::undecided(Cause::DependsOn {
                study: study.name.clone(),
                metric: metric.to_owned(),
                opposing: opposing.clone(),
            }));
        }
        require_no_contradiction(study, (arms.base, arms.other), metric, &contrast)?;
        let rests_on =
            |(base, _): &&(&Cell, &Cell)| contrast.rests_on.configurations.contains(&base.configuration);
        let mut compared = pairs.iter().filter(rests_on);
        if !arms.across_classes
            && let Some((base, other)) = compared.find(|(base, other)| base.durability != other.durability)
        {
            let promise = |cell: &Cell| (cell.label.clone(), cell.durability.clone());
            return Err(NoAdvice::undecided(Cause::UnlikePromises {
                one: promise(base),
                other: promise(other),
            }));
        }
        let ground = Ground {
            study: study.name.clone(),
            finding: format!("{} against {}", label(arms.other), label(arms.base)),
            metric: metric.to_owned(),
            trials: contrast.trials,
        };
        let is_floor_known = study.noise.get(metric).is_some_and(|noise| noise.floor().is_some());
        let figures = means(&pairs, &contrast.rests_on.configurations, metric);
        let needs = contrast.rounds_needed.and_then(|rounds| self.needs(study, rounds));
        Ok(Comparison::new(metric, contrast, ground, figures, is_floor_known).needing(needs))
    }
}

/// Whether a trial ran on the disk itself, and not on a loop image.
fn is_on_host(record: &TrialRecord) -> bool {
    has_all(&record.values, &[on_host()])
}

impl Arms<'_> {
    /// The parameters in which the arms differ, each once.
    fn parameters(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = self.base.iter().chain(self.other).map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

/// The figures of both arms: geometric means over their cells, as the ratio is one. The second arm's comes first.
fn means(pairs: &[(&Cell, &Cell)], used: &[usize], metric: &str) -> Option<(f64, f64)> {
    let mean = |cell: &Cell| cell.figures.get(metric)?.mean.point.filter(|mean| *mean > 0.0);
    let of_used = pairs.iter().filter(|(base, _)| used.contains(&base.configuration));
    let logs: Vec<(f64, f64)> =
        of_used.map(|(base, other)| Some((mean(other)?.ln(), mean(base)?.ln()))).collect::<Option<_>>()?;
    let cells = logs.len() as f64;
    let (other, base) = logs.iter().fold((0.0, 0.0), |sum, pair| (sum.0 + pair.0, sum.1 + pair.1));
    (cells > 0.0).then(|| ((other / cells).exp(), (base / cells).exp()))
}

fn not_compared(study: &StudyVerdict, why: &Reason) -> NoAdvice {
    match why {
        Reason::NoTrial { .. } => NoAdvice::not_measured(Cause::NotCompared(why.clone())),
        Reason::NoValue { .. } => NoAdvice::unsupported(Cause::NotCompared(why.clone())),
        Reason::NotAFactor(_)
        | Reason::OneLevel(_)
        | Reason::NoArms
        | Reason::NotANumber { .. }
        | Reason::UnlikeUnits { .. }
        | Reason::NotJudged
        | Reason::NoLimit
        | Reason::Zero
        | Reason::NoPair
        | Reason::NoCompleteRound
        | Reason::NotComparable(_)
        | Reason::UnlikeEngines(_)
        | Reason::NoReference(_)
        | Reason::NoInterval(_)
        | Reason::NoIntervalAt { .. } => {
            NoAdvice::undecided(Cause::NoInterval { study: study.name.clone(), why: why.clone() })
        }
    }
}

fn has(plan: &StudyPlan, cell: &Cell, held: &[Level]) -> bool {
    // A rule names one size and asks what the disk can do.
    let is_plain = |description: &Description| {
        !description.pauses && description.streams.iter().all(|stream| stream.share.is_none())
    };
    plan.configurations.get(cell.configuration).is_some_and(|values| has_all(values, held))
        && plan.description(cell.configuration).is_none_or(is_plain)
}

/// Cells of the base, each with the one cell that differs from it in the compared levels only.
fn pairs<'a>(study: &'a StudyVerdict, plan: &StudyPlan, arms: Arms<'_>) -> Vec<(&'a Cell, &'a Cell)> {
    let values = |cell: &Cell| plan.configurations.get(cell.configuration);
    let of = |levels: &[Level]| -> Vec<&'a Cell> {
        let wanted = |cell: &&Cell| has(plan, cell, arms.held) && has(plan, cell, levels);
        study.cells.iter().filter(wanted).collect()
    };
    let named = arms.parameters();
    let is_alike = |one: &Cell, other: &Cell| {
        let mut others = plan.factors.iter().map(|factor| factor.name.as_str());
        others.all(|name| {
            let level = |cell: &Cell| values(cell).and_then(|values| level(values, name));
            name == "arm" || named.contains(&name) || level(one) == level(other)
        })
    };
    let others = of(arms.other);
    let partner =
        |base: &'a Cell| others.iter().find(|other| is_alike(base, other)).map(|other| (base, *other));
    of(arms.base).into_iter().filter_map(partner).collect()
}

fn figure_of<'a>(cell: &'a Cell, metric: &str) -> Result<&'a Figure, NoAdvice> {
    if cell.n == 0 {
        return Err(NoAdvice::not_measured(Cause::NoTrial { configuration: cell.label.clone() }));
    }
    let none = |why: Option<&String>| {
        NoAdvice::unsupported(Cause::NoFigure {
            configuration: cell.label.clone(),
            metric: metric.to_owned(),
            why: why.cloned(),
        })
    };
    let figure = cell.figures.get(metric).ok_or_else(|| none(None))?;
    match &figure.unsupported {
        Some(why) => Err(none(Some(why))),
        None => Ok(figure),
    }
}
