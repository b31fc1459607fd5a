//! The name of a configuration among the others of its study.

use verdict::{Cell, StudyVerdict};

/// What distinguishes a configuration from the others of its study: its levels of the varied factors, numbers with
/// their factor.
pub(crate) fn label(study: &StudyVerdict, cell: &Cell) -> String {
    let varied = varied(study, &study.cells.iter().collect::<Vec<&Cell>>());
    let named = |factor: &usize| {
        let (name, level) = (study.factors.get(*factor)?, cell.levels.get(*factor)?);
        let is_number = level.starts_with(|first: char| first.is_ascii_digit());
        Some(if is_number { format!("{name} = {level}") } else { level.clone() })
    };
    varied.iter().filter_map(named).collect::<Vec<_>>().join(", ")
}

/// Places of the factors whose levels differ among these configurations.
pub(crate) fn varied(study: &StudyVerdict, cells: &[&Cell]) -> Vec<usize> {
    let varies = |factor: &usize| {
        let level = |cell: &Cell| cell.levels.get(*factor).cloned();
        cells.iter().any(|cell| level(cell) != level(cells[0]))
    };
    (0..study.factors.len()).filter(varies).collect()
}
