//! The rows of an answer's plot: the two sides of its ratio with the figures that the ratio compares, else the
//! configurations that differ in the compared factor only.

use crate::label::varied;
use model::plan::StudyPlan;
use model::study::Ask;
use verdict::{Cell, Estimate, Finding, StudyVerdict};

/// With more rows the study's section has the plot.
const ROWS_MAX: usize = 6;

/// What a small plot shows.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    /// Full name of the metric.
    pub(crate) metric: String,
    /// The factors of the rows' labels: `mode · sync`.
    pub(crate) factors: String,
    /// From top to bottom.
    pub(crate) configurations: Vec<Row>,
    /// Number of configurations without a row.
    pub(crate) left_out: usize,
    /// What each row's figure is.
    pub(crate) figures: Averaged,
}

/// What a row's figure is a mean of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Averaged {
    /// The arithmetic mean over the trials of one configuration.
    Trials,
    /// The geometric mean over the rounds and configurations that a ratio compares.
    Side,
}

/// One configuration.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) label: String,
    /// Mean over its trials with its interval.
    pub(crate) mean: Estimate,
    /// Whether this row has the answer's number.
    pub(crate) is_marked: bool,
}

/// Every configuration of a study; the marked one is never left out.
pub(super) fn of_study(study: &StudyVerdict, metric: &str, marked: usize) -> Option<Rows> {
    rows(study, metric, study.cells.iter().collect(), Some(marked))
}

/// The two sides of a finding's ratio. If the study varies more than the compared factor, the ratio is a geometric mean
/// over several configurations, and the figures of any one of them would contradict it.
pub(super) fn of_sides(finding: &Finding) -> Option<Rows> {
    let figures = finding.figures?;
    let (level, baseline) = finding.sides()?;
    let factor = finding.subject.levels().map_or(&finding.ask.factor, |levels| &levels.factor);
    let row = |label: String, figure: f64| Row {
        label,
        mean: Estimate {
            point: Some(figure),
            interval: None,
            level: None,
            reason: Some("the interval is that of the ratio".to_owned()),
        },
        is_marked: false,
    };
    Some(Rows {
        metric: finding.metric.clone(),
        factors: factor.clone(),
        configurations: vec![row(baseline, figures.baseline), row(level, figures.level)],
        left_out: 0,
        figures: Averaged::Side,
    })
}

/// The configurations that differ from the baseline in the compared factor only; all of them if that leaves only one.
pub(super) fn of_ask(
    study: &StudyVerdict,
    plan: Option<&StudyPlan>,
    ask: Option<&Ask>,
    metric: &str,
) -> Option<Rows> {
    let all = || study.cells.iter().collect::<Vec<&Cell>>();
    let baseline = plan.and_then(|plan| study.cells.iter().find(|cell| cell.configuration == plan.duplicate));
    let (Some(ask), Some(baseline)) = (ask, baseline) else { return rows(study, metric, all(), None) };
    let held = |cell: &&Cell| {
        let levels = study.factors.iter().zip(cell.levels.iter().zip(&baseline.levels));
        levels.into_iter().all(|(factor, (level, base))| {
            *factor == ask.factor
                || ask.between.as_ref() == Some(factor)
                || ask.each.as_ref() == Some(factor)
                || level == ask.at.get(factor).unwrap_or(base)
        })
    };
    let chosen: Vec<&Cell> = study.cells.iter().filter(held).collect();
    rows(study, metric, if chosen.len() < 2 { all() } else { chosen }, None)
}

fn rows(study: &StudyVerdict, metric: &str, mut cells: Vec<&Cell>, marked: Option<usize>) -> Option<Rows> {
    let mean = |cell: &Cell| Some(cell.figures.get(metric)?.mean.clone()).filter(|mean| mean.point.is_some());
    cells.retain(|cell| mean(cell).is_some());
    if cells.is_empty() {
        return None;
    }
    let is_marked = |cell: &Cell| Some(cell.configuration) == marked;
    let left_out = cells.len().saturating_sub(ROWS_MAX);
    while cells.len() > ROWS_MAX {
        let last = cells.iter().rposition(|cell| !is_marked(cell))?;
        cells.remove(last);
    }
    let varied = varied(study, &cells);
    let factors: Vec<&str> = varied.iter().map(|factor| study.factors[*factor].as_str()).collect();
    let row = |cell: &&Cell| {
        Some(Row { label: levels(cell, &varied), mean: mean(cell)?, is_marked: is_marked(cell) })
    };
    Some(Rows {
        metric: metric.to_owned(),
        factors: factors.join(" · "),
        configurations: cells.iter().filter_map(row).collect(),
        left_out,
        figures: Averaged::Trials,
    })
}

fn levels(cell: &Cell, factors: &[usize]) -> String {
    let levels = factors.iter().filter_map(|factor| cell.levels.get(*factor).map(String::as_str));
    levels.collect::<Vec<_>>().join(" · ")
}
