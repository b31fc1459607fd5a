//! A comparison whose cells have opposite directions: better in some, worse in others, each beyond the A/A noise floor.
//! There is no main effect to claim, so each direction has its cells, grouped by the factor that decides the direction
//! if one does.
//!
//! A significant interaction is a precondition, but the cells must still be judged together. With each cell at the
//! ask's own level, one of eight cells without any effect is "proven" after nearly every interaction found by chance,
//! which adds 5 % to the ask's 5 %. So the cells share the ask's error, and the dependence counts as found if both
//! directions are proven, or one of them far beyond the limit. If nothing has an effect, the mean over cells is tested
//! in all but a twentieth of the studies, those that show an interaction; that leaves a twentieth of the error for
//! these. Main effect and cells together then keep the 5 % (`stats/tests/simulation/families.rs`).

use crate::arms::Stratum;
use crate::blocks::Block;
use crate::finding::{Group, Opposing, Side};
use model::Value;
use model::plan::StudyPlan;
use stats::Rule;
use stats::equivalence::rounds_to_differ;
use stats::family::simultaneous_level;

/// Share of an ask's error that a single direction may use up.
const ONE_DIRECTION: f64 = 0.05;

/// One cell's ratio.
#[derive(Clone, Copy, Debug)]
struct Cell {
    ratio: f64,
    /// The side on which the measured ratio lies, beyond the noise floor and the margin.
    seen: Option<Side>,
    /// The side on which it is proven to lie.
    proven: Option<Side>,
    /// Whether the proof far exceeds its limit.
    is_plain: bool,
}

fn side(ratio: f64) -> Side {
    if ratio > 1.0 { Side::Above } else { Side::Below }
}

/// Judges every cell of `rounds[round][cell]` of log ratios that interact. `None` unless two cells lie on different
/// sides of 1, each beyond the noise floor and the equivalence margin.
pub(super) fn check(plan: &StudyPlan, logs: &[Vec<f64>], block: &Block, rule: &Rule) -> Option<Opposing> {
    let beyond = rule.noise_floor.max(rule.margin);
    let cells = block.strata.len();
    let (rule, strict) = (&of_cells(rule, cells, 1.0), &of_cells(rule, cells, ONE_DIRECTION));
    let cell = |index: usize| -> Option<Cell> {
        let decision = stats::equivalence::decide(&of_cell(logs, index), rule).ok()?;
        let ratio = decision.ratio.interval.estimate;
        let proven = match decision.answer {
            stats::Answer::Different => Some(side(ratio)),
            stats::Answer::Equivalent | stats::Answer::Undecided { .. } => None,
        };
        let seen = (!(1.0 / beyond..=beyond).contains(&ratio)).then(|| side(ratio));
        let is_plain = stats::equivalence::decide(&of_cell(logs, index), strict)
            .is_ok_and(|decision| decision.answer == stats::Answer::Different);
        Some(Cell { ratio, seen, proven, is_plain })
    };
    let cells: Vec<Cell> = (0..block.strata.len()).map(cell).collect::<Option<_>>()?;
    if !point_different_ways(&cells) {
        return None;
    }
    let by_factor = plan.factors.iter().find_map(|factor| {
        let groups = by_level(plan, &factor.name, block, &cells)?;
        Some((Some(factor.name.clone()), groups))
    });
    let one_by_one = || {
        let cells = block.strata.iter().zip(&cells);
        let group = |(stratum, cell): (&Stratum, &Cell)| group(Value::Name(stratum.label.clone()), &[*cell]);
        (None, cells.filter_map(group).collect())
    };
    let (factor, groups) = by_factor.unwrap_or_else(one_by_one);
    Some(Opposing { factor, groups, is_decided: is_decided(&cells) })
}

/// Whether both directions are proven, each in some cell, or one far beyond the limit.
fn is_decided(cells: &[Cell]) -> bool {
    let is_proven = |side: Side| cells.iter().any(|cell| cell.proven == Some(side));
    cells.iter().any(|cell| cell.is_plain) || is_proven(Side::Above) && is_proven(Side::Below)
}

/// The rule for one of this number of cells, if all of them may use this share of the ask's error.
fn of_cells(rule: &Rule, cells: usize, share: f64) -> Rule {
    let level = simultaneous_level(1.0 - share * (1.0 - rule.level), cells);
    Rule { level, alpha: 1.0 - level, ..*rule }
}

/// One cell's log ratios, one per round.
fn of_cell(logs: &[Vec<f64>], index: usize) -> Vec<f64> {
    logs.iter().filter_map(|round| round.get(index).copied()).collect()
}

/// The total number of rounds that would prove both directions, from the log ratios `rounds[round][cell]`.
pub(super) fn rounds_to_prove(logs: &[Vec<f64>], rule: &Rule) -> Option<usize> {
    let cells = logs.first().map_or(0, Vec::len);
    let rule = of_cells(rule, cells, 1.0);
    let found = (0..cells).filter_map(|index| {
        let ratio = stats::contrast::ratio_of_logs(&of_cell(logs, index), rule.confidence()).ok()?;
        Some((ratio.log_mean > 0.0, rounds_to_differ(&ratio, &rule)?))
    });
    let found: Vec<(bool, usize)> = found.collect();
    let of_side =
        |above: bool| found.iter().filter(|(side, _)| *side == above).map(|(_, rounds)| *rounds).min();
    Some(of_side(true)?.max(of_side(false)?))
}

fn point_different_ways(cells: &[Cell]) -> bool {
    let is_seen = |side: Side| cells.iter().any(|cell| cell.seen == Some(side));
    is_seen(Side::Above) && is_seen(Side::Below)
}

/// Cells grouped by one factor's levels; `None` if some level has both directions, so that another factor decides.
fn by_level(plan: &StudyPlan, factor: &str, block: &Block, cells: &[Cell]) -> Option<Vec<Group>> {
    let mut levels: Vec<(&Value, Vec<Cell>)> = Vec::new();
    for (stratum, cell) in block.strata.iter().zip(cells) {
        let level = plan.configurations.get(*stratum.configurations.first()?)?.get(factor)?;
        match levels.iter_mut().find(|(known, _)| *known == level) {
            Some((_, cells)) => cells.push(*cell),
            None => levels.push((level, vec![*cell])),
        }
    }
    let one_way = |(level, cells): (&Value, Vec<Cell>)| {
        (!point_different_ways(&cells)).then(|| group(level.clone(), &cells)).flatten()
    };
    levels.into_iter().map(one_way).collect()
}

/// Cells of one level; `None` if both directions are proven in it.
fn group(level: Value, cells: &[Cell]) -> Option<Group> {
    let has = |side: Side| cells.iter().any(|cell| cell.proven == Some(side));
    let proven = match (has(Side::Above), has(Side::Below)) {
        (true, true) => return None,
        (true, false) => Some(Side::Above),
        (false, true) => Some(Side::Below),
        (false, false) => None,
    };
    let ratios: Vec<f64> = cells.iter().filter(|cell| cell.proven == proven).map(|cell| cell.ratio).collect();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    Some(Group { level, proven, ratios: (least, most), cells: ratios.len(), of_cells: cells.len() })
}
