//! The comparisons of one study: every configuration and metric, judged together.

use super::between_runs::BetweenRuns;
use super::comparison::{Row, Side, SideAudit, StudyComparison};
use super::pairing::Pairing;
use super::reason::{Doubts, RowReason};
use crate::attribution::{failed_for, unproven};
use crate::basis::Basis;
use crate::dependence::Dependences;
use crate::durability::Declared;
use crate::estimate;
use crate::noise::Floors;
use crate::observations::Observations;
use crate::phrase;
use crate::verdict::{Answer, Estimate, Status, StudyVerdict};
use stats::{Rule, RunSpread, run_spread, sample};
use std::collections::BTreeMap;

/// One study of one run.
pub(super) struct Sides<'a> {
    observations: Observations<'a>,
    verdict: &'a StudyVerdict,
    runs: usize,
}

/// One side's values of a metric: `values[run][round]`.
type Values = Vec<Vec<f64>>;

impl<'a> Sides<'a> {
    /// The study with this index in the plan.
    pub(super) fn at(side: Side<'a>, place: usize) -> Option<Self> {
        let plan = side.run.plan.studies.get(place)?;
        let verdict = side.verdict.studies.iter().find(|study| study.name == plan.name)?;
        Some(Self { observations: Observations::new(side.run, plan), verdict, runs: side.begun.len().max(1) })
    }

    /// Values by round as those of each run.
    fn by_run(&self, values: &BTreeMap<u32, f64>) -> Values {
        let mut by_run = vec![Vec::new(); self.runs];
        let rounds = (self.observations.plan.rounds_total() as usize / self.runs).max(1);
        for (round, value) in values {
            // One run has all rounds, whatever its plan states.
            let place = if self.runs == 1 { 0 } else { *round as usize / rounds };
            if let Some(run) = by_run.get_mut(place) {
                run.push(*value);
            }
        }
        by_run
    }

    /// One configuration's values by round.
    fn values(&self, configuration: usize, metric: &str) -> BTreeMap<u32, f64> {
        self.observations.series(configuration, false, metric)
    }

    fn durability(&self, configuration: usize) -> Option<&Declared> {
        self.verdict.cells.get(configuration).map(|cell| &cell.durability)
    }

    /// The audits that this metric of these configurations rests on and that failed, or that it requires and that could
    /// not be carried out; `None` without any.
    fn doubts(&self, side: char, configurations: &[usize], metric: &str) -> Option<Doubts> {
        let (plan, audits) = (self.observations.plan, &self.verdict.audits);
        let configurations = configurations.iter().copied();
        let rests_on = Basis::new(plan, &self.verdict.cells, configurations, Vec::new(), &[metric]);
        let failed: Vec<String> = failed_for(audits, &rests_on).map(|audit| audit.name.clone()).collect();
        let open: Vec<String> = unproven(audits, &rests_on).map(|audit| audit.name.clone()).collect();
        (!failed.is_empty() || !open.is_empty()).then_some(Doubts { side, failed, open })
    }
}

/// A row before the size of its family is known.
struct PendingRow {
    row: Row,
    /// Its configurations, in A and in B.
    rests_on: [Vec<usize>; 2],
    a: Values,
    b: Values,
    spread: RunSpread,
    p: Option<f64>,
}

/// Every comparison of a study.
pub(super) fn study(
    a: &Sides<'_>,
    b: &Sides<'_>,
    pairing: &Pairing,
    more: &[String],
    between_runs: BetweenRuns,
) -> StudyComparison {
    let metrics = metrics(a, b, more);
    let floors = [a, b].map(|side| {
        let dependences = Dependences::for_metrics(&side.observations, &metrics);
        Floors::for_metrics(&side.observations, &metrics, &dependences).by_metric()
    });
    let mut pending: Vec<PendingRow> = Vec::new();
    for metric in &metrics {
        let floor = floors.iter().filter_map(|floors| floors.get(metric)?.floor());
        let of = OfMetric { metric, floor: floor.reduce(f64::max), spread: between_runs.of_metric(metric) };
        pending.extend(of_metric(a, b, pairing, of));
    }
    let p_values: Vec<f64> = pending.iter().filter_map(|pending_row| pending_row.p).collect();
    let family = p_values.len();
    let mut adjusted = stats::family::holm(&p_values).unwrap_or_default().into_iter();
    let rows = pending.into_iter().map(|pending_row| {
        let holm = pending_row.p.and_then(|_| adjusted.next());
        let withheld = withheld(a, b, &pending_row.rests_on, &pending_row.row.metric);
        pending_row.finish(family, holm, withheld)
    });
    let mut rows: Vec<Row> = rows.collect();
    rows.chunk_by_mut(|one, next| one.metric == next.metric).for_each(disagree);
    StudyComparison {
        name: a.verdict.name.clone(),
        question: a.verdict.question.clone(),
        metrics,
        family,
        rows,
        left_out: pairing.left_out.clone(),
        audits: audits(a, b),
    }
}

/// A mean over configurations hides their differences. If one changed and another is proven not to have changed, or
/// changed in the other direction, the row over all of them gets a remark.
fn disagree(rows: &mut [Row]) {
    let Some((all, single)) = rows.split_last_mut() else { return };
    let any = |answer: Answer, above: bool| {
        let is_above =
            |row: &Row| row.ratio.as_ref().and_then(|ratio| ratio.point).is_some_and(|it| it > 1.0);
        single.iter().any(|row| row.answer == answer && is_above(row) == above)
    };
    let (up, down) = (any(Answer::Different, true), any(Answer::Different, false));
    let unchanged = any(Answer::Equivalent, true) || any(Answer::Equivalent, false);
    if all.configuration.is_none() && all.why.is_none() && (up && down || (up || down) && unchanged) {
        all.why = Some(RowReason::Disagree);
    }
}

/// The metrics that either study asks about and the further ones, if both runs measured them.
fn metrics(a: &Sides<'_>, b: &Sides<'_>, more: &[String]) -> Vec<String> {
    let mut metrics: Vec<String> = Vec::new();
    for name in a.verdict.asked.iter().chain(&b.verdict.asked).chain(more) {
        let measured = |side: &Sides<'_>| side.verdict.metrics.contains(name);
        if measured(a) && measured(b) && !metrics.contains(name) {
            metrics.push(name.clone());
        }
    }
    metrics
}

/// What the rows of one metric share.
#[derive(Clone, Copy)]
struct OfMetric<'a> {
    metric: &'a str,
    /// The larger noise floor of both sides.
    floor: Option<f64>,
    spread: RunSpread,
}

/// One metric of every configuration, then of all of them together.
fn of_metric(a: &Sides<'_>, b: &Sides<'_>, pairing: &Pairing, of: OfMetric<'_>) -> Vec<PendingRow> {
    let metric = of.metric;
    let mut pending: Vec<PendingRow> = Vec::new();
    let mut comparable: Vec<[BTreeMap<u32, f64>; 2]> = Vec::new();
    let mut compared: [Vec<usize>; 2] = [Vec::new(), Vec::new()];
    for (label, ours, theirs) in &pairing.pairs {
        let values = [a.values(*ours, metric), b.values(*theirs, metric)];
        let mut pending_row =
            PendingRow::new(of, Some(label.clone()), a.by_run(&values[0]), b.by_run(&values[1]));
        pending_row.rests_on = [vec![*ours], vec![*theirs]];
        let classes = (a.durability(*ours), b.durability(*theirs));
        if values.iter().any(BTreeMap::is_empty) {
            let (sides, configuration, side) =
                if values[0].is_empty() { (a, *ours, 'A') } else { (b, *theirs, 'B') };
            let why = sides.observations.reason(configuration, metric);
            pending_row.row.why = Some(RowReason::NoValue { side, why });
        } else if classes.0 != classes.1 {
            let [a, b] = [classes.0, classes.1].map(|class| class.cloned().unwrap_or_default());
            pending_row.row.why = Some(RowReason::UnlikeDurability { a, b });
        } else {
            pending_row.test();
            if pending_row.p.is_some() {
                comparable.push(values);
                compared[0].push(*ours);
                compared[1].push(*theirs);
            }
        }
        pending.push(pending_row);
    }
    if comparable.len() > 1 {
        pending.push(PendingRow { rests_on: compared, ..together(a, b, &comparable, of) });
    }
    pending
}

/// The geometric mean over configurations for every round that has them all: a round is one value, so n counts rounds.
fn together(
    a: &Sides<'_>,
    b: &Sides<'_>,
    comparable: &[[BTreeMap<u32, f64>; 2]],
    of: OfMetric<'_>,
) -> PendingRow {
    let of_side = |side: usize| -> BTreeMap<u32, f64> {
        let columns: Vec<&BTreeMap<u32, f64>> = comparable.iter().map(|values| &values[side]).collect();
        let rounds = columns.first().into_iter().flat_map(|first| first.keys());
        let complete = rounds.filter_map(|round| {
            let values =
                columns.iter().map(|column| column.get(round).copied()).collect::<Option<Vec<f64>>>();
            Some((*round, sample::geometric_mean(&values?)?))
        });
        complete.collect()
    };
    let mut pending_row = PendingRow::new(of, None, a.by_run(&of_side(0)), b.by_run(&of_side(1)));
    pending_row.test();
    pending_row
}

impl PendingRow {
    fn new(of: OfMetric<'_>, configuration: Option<String>, a: Values, b: Values) -> Self {
        let shown = [&a, &b].map(|side| shown(side, of.spread));
        let row = Row {
            metric: of.metric.to_owned(),
            configuration,
            a: estimate::mean(&shown[0]),
            n_a: shown[0].len(),
            b: estimate::mean(&shown[1]),
            n_b: shown[1].len(),
            ratio: None,
            p_adjusted: None,
            answer: Answer::NotAssessable,
            better: None,
            within_margin: false,
            noise_floor: of.floor,
            rounds_needed: None,
            assumed_log_sd: match of.spread {
                RunSpread::Assumed { log_sd } => Some(log_sd),
                RunSpread::OfPairs | RunSpread::OfRuns => None,
            },
            why: None,
        };
        Self { row, rests_on: [Vec::new(), Vec::new()], a, b, spread: of.spread, p: None }
    }

    fn test(&mut self) {
        match run_spread::p_value(&self.a, &self.b, self.spread) {
            Ok(p) => self.p = Some(p),
            Err(why) => {
                let point = sample::geometric_mean(&self.b.concat())
                    .zip(sample::geometric_mean(&self.a.concat()))
                    .map(|(b, a)| b / a)
                    .filter(|ratio| ratio.is_finite());
                self.row.ratio = Some(estimate::without_interval(point, &why));
                self.row.why = Some(RowReason::NoInterval(why));
            }
        }
    }

    fn finish(self, family: usize, p_adjusted: Option<f64>, withheld: Option<RowReason>) -> Row {
        let Self { mut row, a, b, spread, p, .. } = self;
        if p.is_none() {
            return row;
        }
        let rule = Rule::for_asks(family, row.noise_floor.unwrap_or(1.0));
        let decision = match run_spread::decide(&a, &b, spread, &rule) {
            Ok(decision) => decision,
            Err(why) => {
                row.why = Some(RowReason::NoInterval(why));
                return row;
            }
        };
        row.p_adjusted = p_adjusted;
        row.ratio = Some(Estimate { ..estimate::of_interval(&decision.interval) });
        row.within_margin = decision.equivalent;
        row.better = phrase::is_better(&row.metric, decision.interval.estimate);
        if let Some(withheld) = withheld {
            row.why = Some(withheld);
            return row;
        }
        row.answer = match decision.answer {
            stats::Answer::Different => Answer::Different,
            stats::Answer::Equivalent => Answer::Equivalent,
            stats::Answer::Undecided { rounds_needed } => {
                row.rounds_needed = rounds_needed.map(|total| total.saturating_sub(row.n_a.max(row.n_b)));
                Answer::Undecided
            }
        };
        if decision.inside_noise && !decision.interval.contains(1.0) {
            row.why = Some(RowReason::InsideNoise);
        }
        row
    }
}

/// The values whose mean is shown: trials, or runs if each is one value.
fn shown(side: &Values, spread: RunSpread) -> Vec<f64> {
    match spread {
        RunSpread::Assumed { .. } => side.concat(),
        RunSpread::OfPairs | RunSpread::OfRuns => {
            side.iter().filter_map(|run| sample::geometric_mean(run)).collect()
        }
    }
}

/// Why a comparison of these configurations has no answer: on either side an audit of theirs failed, or could not be
/// carried out.
fn withheld(a: &Sides<'_>, b: &Sides<'_>, rests_on: &[Vec<usize>; 2], metric: &str) -> Option<RowReason> {
    let doubts = [a.doubts('A', &rests_on[0], metric), b.doubts('B', &rests_on[1], metric)];
    let doubts: Vec<Doubts> = doubts.into_iter().flatten().collect();
    (!doubts.is_empty()).then_some(RowReason::Withheld(doubts))
}

fn audits(a: &Sides<'_>, b: &Sides<'_>) -> Vec<SideAudit> {
    let of = |side: char, study: &StudyVerdict| -> Vec<SideAudit> {
        let open = study.audits.iter().filter(|audit| matches!(audit.status, Status::Fail | Status::Warn));
        open.map(|audit| SideAudit {
            side,
            name: audit.name.clone(),
            status: audit.status,
            summary: audit.summary.clone(),
        })
        .collect()
    };
    let mut audits = of('A', a.verdict);
    audits.extend(of('B', b.verdict));
    audits.sort_by_key(|audit| audit.status);
    audits
}
