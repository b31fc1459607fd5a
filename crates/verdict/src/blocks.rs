//! Complete randomised blocks from the records: the rounds in which every arm of every cell has a value.

use crate::arms::Stratum;
use crate::finding::{Reason, Remark};
use crate::observations::mean_by_round;
use crate::verdict::{Cell, Figure};
use model::plan::StudyPlan;
use stats::sample;
use std::collections::{BTreeMap, BTreeSet};

/// One metric of some cells at some levels, complete.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// The cells that take part, in plan order.
    pub(crate) strata: Vec<Stratum>,
    /// The numbers of the rounds, ascending.
    pub(crate) numbers: Vec<u32>,
    /// `values[round][cell][level]`.
    pub(crate) values: Vec<Vec<Vec<f64>>>,
    /// What was left out.
    pub(crate) left_out: Vec<Remark>,
}

/// A cell with fewer complete rounds than this share of the best cell is left out, so that one configuration that fails
/// repeatedly does not remove every round.
const ROUNDS_SHARE_MIN: f64 = 0.5;

/// Values of one arm by round.
type Series = BTreeMap<u32, f64>;

/// The complete block of a metric, or the reason why there is none. Ratios need positive values, so a metric with a
/// zero has none.
pub(crate) fn complete(
    plan: &StudyPlan,
    cells: &[Cell],
    strata: Vec<Stratum>,
    metric: &str,
) -> Result<Block, Reason> {
    let block = block(plan, cells, strata, metric, compared)?;
    if block.values.iter().flatten().flatten().any(|value| *value <= 0.0) {
        return Err(Reason::Zero);
    }
    Ok(block)
}

/// The same for results without ratios: of values as they were measured.
pub(crate) fn with_zeros(
    plan: &StudyPlan,
    cells: &[Cell],
    strata: Vec<Stratum>,
    metric: &str,
) -> Result<Block, Reason> {
    block(plan, cells, strata, metric, measured)
}

fn block(
    plan: &StudyPlan,
    cells: &[Cell],
    strata: Vec<Stratum>,
    metric: &str,
    values: fn(&Figure) -> Series,
) -> Result<Block, Reason> {
    let taken: Vec<(Stratum, Vec<Series>)> = strata
        .into_iter()
        .map(|stratum| {
            let arms = stratum.configurations.iter();
            let series = arms.map(|index| series(cells.get(*index), metric, values)).collect();
            (stratum, series)
        })
        .collect();
    let rounds: Vec<BTreeSet<u32>> = taken.iter().map(|(_, series)| common(series)).collect();
    let most = rounds.iter().map(BTreeSet::len).max().unwrap_or(0);
    if most == 0 {
        return Err(reason(plan, cells, &taken, metric));
    }
    let mut block =
        Block { strata: Vec::new(), numbers: Vec::new(), values: Vec::new(), left_out: Vec::new() };
    let mut kept: Vec<Vec<Series>> = Vec::new();
    let mut shared: Option<BTreeSet<u32>> = None;
    for ((stratum, series), own) in taken.into_iter().zip(rounds) {
        if (own.len() as f64) < ROUNDS_SHARE_MIN * most as f64 {
            let rounds = own.len();
            block.left_out.push(Remark::CellLeftOut { cell: stratum.label, rounds, of_rounds: most });
            continue;
        }
        shared = Some(shared.map_or_else(|| own.clone(), |rounds| &rounds & &own));
        block.strata.push(stratum);
        kept.push(series);
    }
    let shared = shared.unwrap_or_default();
    if shared.len() < most {
        block.left_out.push(Remark::RoundsLeftOut { rounds: most - shared.len(), of_rounds: most });
    }
    let at = |round: &u32| -> Option<Vec<Vec<f64>>> {
        kept.iter().map(|series| series.iter().map(|arm| arm.get(round).copied()).collect()).collect()
    };
    block.values = shared.iter().filter_map(at).collect();
    block.numbers = shared.into_iter().collect();
    Ok(block)
}

impl Block {
    pub(crate) fn rounds(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn configurations(&self) -> Vec<usize> {
        self.strata.iter().flat_map(|stratum| stratum.configurations.iter().copied()).collect()
    }

    pub(crate) fn trials(&self) -> usize {
        self.values.iter().flatten().map(Vec::len).sum()
    }

    /// Geometric mean over rounds and cells at one level; `None` if a value is zero.
    pub(crate) fn mean_at(&self, level: usize) -> Option<f64> {
        let values = self.values.iter().flatten().filter_map(|cell| cell.get(level).copied());
        sample::geometric_mean(&values.collect::<Vec<f64>>())
    }

    /// One cell's values, `rounds[round][level]`.
    pub(crate) fn cell(&self, cell: usize) -> Vec<Vec<f64>> {
        self.values.iter().filter_map(|round| round.get(cell).cloned()).collect()
    }
}

fn common(series: &[Series]) -> BTreeSet<u32> {
    let mut rounds = series.iter().map(|arm| arm.keys().copied().collect::<BTreeSet<u32>>());
    let first = rounds.next().unwrap_or_default();
    rounds.fold(first, |shared, arm| &shared & &arm)
}

/// A configuration's values by round; empty if they form no figure.
fn series(cell: Option<&Cell>, metric: &str, values: fn(&Figure) -> Series) -> Series {
    let figure = cell.and_then(|cell| cell.figures.get(metric)).filter(|figure| figure.unsupported.is_none());
    figure.map_or_else(Series::new, values)
}

/// Its values as they were measured.
fn measured(figure: &Figure) -> Series {
    mean_by_round(figure.values.iter().filter_map(|(round, value)| Some((*round, (*value)?))))
}

/// Its values as they are compared.
fn compared(figure: &Figure) -> Series {
    if figure.compared.is_empty() { measured(figure) } else { figure.compared.clone() }
}

/// Why no round is complete: the reason of the first arm without values.
fn reason(plan: &StudyPlan, cells: &[Cell], taken: &[(Stratum, Vec<Series>)], metric: &str) -> Reason {
    let empty = taken.iter().find_map(|(stratum, series)| {
        let arm = series.iter().position(BTreeMap::is_empty)?;
        stratum.configurations.get(arm).copied()
    });
    let Some(index) = empty else {
        return if taken.is_empty() { Reason::NoPair } else { Reason::NoCompleteRound };
    };
    let (configuration, cell) = (plan.label(index), cells.get(index));
    let why = cell.and_then(|cell| cell.figures.get(metric)?.unsupported.clone());
    if cell.is_some_and(|cell| cell.n > 0) {
        let why = why.unwrap_or_else(|| "its trials do not report it".to_owned());
        Reason::NoValue { configuration, why }
    } else {
        let why = why.unwrap_or_else(|| "none of its trials succeeded".to_owned());
        Reason::NoTrial { configuration, why }
    }
}
