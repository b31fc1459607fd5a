//! A comparison whose cells point different ways: better in some, worse in others, each beyond the A/A noise floor. It has
//! no main effect to claim, so each direction is told with its cells, by the factor that decides it where one does.
//!
//! A significant interaction comes first, and still cells have to be judged together: with each at the ask's own level, one
//! of eight cells without any effect is "proven" after nearly every interaction found by chance, which adds 5 % to the
//! ask's 5 %. So cells share the ask's error, and the dependence counts as found when both directions are proven, or one of
//! them far beyond that: where nothing has an effect, the mean over cells is tested in all but the twentieth of studies that
//! show an interaction, which leaves a twentieth of the error for these. Main effect and cells together then keep the 5 %
//! (`stats/tests/simulation/families.rs`).

use super::level_name;
use crate::blocks::Block;
use crate::phrase::{count, judgement, ratio};
use model::plan::StudyPlan;
use stats::Rule;
use stats::equivalence::rounds_to_differ;
use stats::family::simultaneous_level;
use std::cmp::Ordering;

/// Share of an ask's error that a single direction may use up.
const ONE_DIRECTION: f64 = 0.05;
/// Groups of cells that a direction names at most.
const NAMED_MAX: usize = 4;

/// Cells that point different ways, by the factor that decides, or one by one.
#[derive(Clone, Debug)]
pub(super) struct Opposing {
    /// `None` where no single factor decides.
    factor: Option<String>,
    groups: Vec<Group>,
}

/// Cells with a name in common.
#[derive(Clone, Debug)]
struct Group {
    name: String,
    cells: Vec<Cell>,
}

/// One cell's ratio.
#[derive(Clone, Copy, Debug)]
struct Cell {
    ratio: f64,
    /// Where it was seen: above 1, below, or near.
    seen: Ordering,
    /// Where it is proven to be; `Equal` where it is proven nowhere.
    side: Ordering,
    /// Whether it is proven there far beyond what it takes.
    is_plain: bool,
}

/// Judges every cell of `rounds[round][cell]` of log ratios that interact. `None` where no two cells lie on different sides
/// of 1, each beyond the noise floor and what counts as equivalent.
pub(super) fn check(plan: &StudyPlan, logs: &[Vec<f64>], block: &Block, rule: &Rule) -> Option<Opposing> {
    let beyond = rule.noise_floor.max(rule.margin);
    let cells = block.strips.len();
    let (rule, strict) = (&of_cells(rule, cells, 1.0), &of_cells(rule, cells, ONE_DIRECTION));
    let cell = |index: usize| -> Option<Cell> {
        let decision = stats::equivalence::decide(&of_cell(logs, index), rule).ok()?;
        let ratio = decision.ratio.interval.estimate;
        let side = match decision.answer {
            stats::Answer::Different => ratio.total_cmp(&1.0),
            stats::Answer::Equivalent | stats::Answer::Undecided { .. } => Ordering::Equal,
        };
        let seen =
            if (1.0 / beyond..=beyond).contains(&ratio) { Ordering::Equal } else { ratio.total_cmp(&1.0) };
        let is_plain = stats::equivalence::decide(&of_cell(logs, index), strict)
            .is_ok_and(|decision| decision.answer == stats::Answer::Different);
        Some(Cell { ratio, seen, side, is_plain })
    };
    let cells: Vec<Cell> = (0..block.strips.len()).map(cell).collect::<Option<_>>()?;
    if !point_different_ways(&cells) {
        return None;
    }
    let by_factor = plan.factors.iter().find_map(|factor| {
        let groups = by_level(plan, &factor.name, block, &cells)?;
        Some(Opposing { factor: Some(factor.name.clone()), groups })
    });
    let one_by_one = || {
        let group = |(strip, cell): (&crate::arms::Strip, &Cell)| Group {
            name: strip.label.clone(),
            cells: vec![*cell],
        };
        Opposing { factor: None, groups: block.strips.iter().zip(&cells).map(group).collect() }
    };
    Some(by_factor.unwrap_or_else(one_by_one))
}

/// What one of so many cells has to pass where all of them may use up this share of the ask's error.
fn of_cells(rule: &Rule, cells: usize, share: f64) -> Rule {
    let level = simultaneous_level(1.0 - share * (1.0 - rule.level), cells);
    Rule { level, alpha: 1.0 - level, ..*rule }
}

/// One cell's log ratios, one per round.
fn of_cell(logs: &[Vec<f64>], index: usize) -> Vec<f64> {
    logs.iter().filter_map(|round| round.get(index).copied()).collect()
}

/// Rounds in all that would prove both directions, from the log ratios `rounds[round][cell]`.
pub(super) fn rounds_to_prove(logs: &[Vec<f64>], rule: &Rule) -> Option<usize> {
    let cells = logs.first().map_or(0, Vec::len);
    let rule = of_cells(rule, cells, 1.0);
    let found = (0..cells).filter_map(|index| {
        let ratio = stats::contrast::ratio_of_logs(&of_cell(logs, index), rule.level).ok()?;
        Some((ratio.log_mean > 0.0, rounds_to_differ(&ratio, &rule)?))
    });
    let found: Vec<(bool, usize)> = found.collect();
    let of_side =
        |above: bool| found.iter().filter(|(side, _)| *side == above).map(|(_, rounds)| *rounds).min();
    Some(of_side(true)?.max(of_side(false)?))
}

fn point_different_ways(cells: &[Cell]) -> bool {
    let seen = |side: Ordering| cells.iter().any(|cell| cell.seen == side);
    seen(Ordering::Greater) && seen(Ordering::Less)
}

/// Cells by one factor's levels; `None` where some level holds both directions, so that another factor decides.
fn by_level(plan: &StudyPlan, factor: &str, block: &Block, cells: &[Cell]) -> Option<Vec<Group>> {
    let mut groups: Vec<Group> = Vec::new();
    for (strip, cell) in block.strips.iter().zip(cells) {
        let level = |index: &usize| plan.configurations.get(*index)?.get(factor);
        let name = level_name(factor, level(strip.configurations.first()?)?);
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.cells.push(*cell),
            None => groups.push(Group { name, cells: vec![*cell] }),
        }
    }
    let is_one_way = |group: &Group| !point_different_ways(&group.cells) && group.side().is_some();
    groups.iter().all(is_one_way).then_some(groups)
}

impl Group {
    /// The one direction that is proven of it; `Equal` where none is, `None` where both are.
    fn side(&self) -> Option<Ordering> {
        let has = |side: Ordering| self.cells.iter().any(|cell| cell.side == side);
        match (has(Ordering::Greater), has(Ordering::Less)) {
            (true, true) => None,
            (true, false) => Some(Ordering::Greater),
            (false, true) => Some(Ordering::Less),
            (false, false) => Some(Ordering::Equal),
        }
    }

    /// `write (1.90×)`, `write (1.40× to 3.10×, 3 of 4 cells)`: the ratios of the cells that prove the direction.
    fn words(&self, side: Ordering) -> String {
        let proven: Vec<f64> =
            self.cells.iter().filter(|cell| cell.side == side).map(|cell| cell.ratio).collect();
        let least = proven.iter().copied().fold(f64::INFINITY, f64::min);
        let most = proven.iter().copied().fold(0.0, f64::max);
        let ratios =
            if proven.len() > 1 { format!("{} to {}", ratio(least), ratio(most)) } else { ratio(least) };
        let part = if proven.len() < self.cells.len() {
            format!(", {} of {}", proven.len(), count(self.cells.len(), "cell"))
        } else {
            String::new()
        };
        format!("{} ({ratios}{part})", self.name)
    }
}

impl Opposing {
    /// Whether both directions are proven, each of some cell, or one far beyond what it takes.
    pub(super) fn is_decided(&self) -> bool {
        let is_proven =
            |side: Ordering| self.groups.iter().flat_map(|group| &group.cells).any(|cell| cell.side == side);
        let is_plain = self.groups.iter().flat_map(|group| &group.cells).any(|cell| cell.is_plain);
        is_plain || is_proven(Ordering::Greater) && is_proven(Ordering::Less)
    }

    /// `depends on rw: better for write (1.90×); worse for randread (0.610×)`.
    pub(super) fn words(&self, metric: &str) -> String {
        let on = self.factor.as_deref().unwrap_or("the cell");
        let upwards = judgement(metric, 2.0).unwrap_or("higher");
        let downwards = judgement(metric, 0.5).unwrap_or("lower");
        let mut sides = [(Ordering::Greater, upwards), (Ordering::Less, downwards)];
        if upwards == "worse" {
            sides.reverse();
        }
        let unproven = (Ordering::Equal, "no proven difference");
        let told: Vec<String> =
            sides.into_iter().chain([unproven]).filter_map(|(side, word)| self.side(side, word)).collect();
        format!("depends on {on}: {}", told.join("; "))
    }

    fn side(&self, side: Ordering, word: &str) -> Option<String> {
        let groups: Vec<&Group> = self.groups.iter().filter(|group| group.side() == Some(side)).collect();
        let mut names: Vec<String> = groups.iter().take(NAMED_MAX).map(|group| group.words(side)).collect();
        if groups.len() > NAMED_MAX {
            names.push(format!("{} more", groups.len() - NAMED_MAX));
        }
        (!names.is_empty()).then(|| format!("{word} for {}", names.join(", ")))
    }
}
