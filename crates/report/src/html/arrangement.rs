//! How configurations are laid out in a plot: one factor gives the colour and symbol, the others give the row.

use model::plan::StudyPlan;
use model::study::AskKind;
use verdict::StudyVerdict;

/// More levels than this cannot be distinguished by colour and symbol.
const SERIES_MAX: usize = 8;

/// Rows and series of a study's configurations.
pub(super) struct Arrangement {
    /// Name of the factor behind the series; `None` if there is only one series.
    pub(super) series_factor: Option<String>,
    /// Its levels; one empty text if there is only one series.
    pub(super) series: Vec<String>,
    /// The factors of the rows: `group_size · reads_per_commit`.
    pub(super) row_factors: String,
    /// One label per row.
    pub(super) rows: Vec<String>,
    /// Row and series of each cell of the study.
    pub(super) places: Vec<(usize, usize)>,
}

/// Arranges a study's cells.
pub(super) fn arrange(study: &StudyVerdict, plan: Option<&StudyPlan>) -> Arrangement {
    let series = series_factor(study, plan);
    // A factor with one level distinguishes nothing.
    let varies = |index: &usize| {
        let first = study.cells.first().and_then(|cell| cell.levels.get(*index));
        study.factors.len() == 1 || study.cells.iter().any(|cell| cell.levels.get(*index) != first)
    };
    let in_rows: Vec<usize> =
        (0..study.factors.len()).filter(|index| Some(*index) != series && varies(index)).collect();
    let row_factors: Vec<&str> = in_rows.iter().map(|index| study.factors[*index].as_str()).collect();
    let mut arrangement = Arrangement {
        series_factor: series.map(|index| study.factors[index].clone()),
        series: Vec::new(),
        row_factors: row_factors.join(" · "),
        rows: Vec::new(),
        places: Vec::new(),
    };
    for cell in &study.cells {
        let level = |index: usize| cell.levels.get(index).cloned().unwrap_or_default();
        let row: Vec<String> = in_rows.iter().copied().map(level).collect();
        let row = place(&mut arrangement.rows, row.join(" · "));
        let series = place(&mut arrangement.series, series.map(level).unwrap_or_default());
        arrangement.places.push((row, series));
    }
    arrangement
}

/// The factor of the first comparison, otherwise the first factor; `None` if a study has only one factor.
fn series_factor(study: &StudyVerdict, plan: Option<&StudyPlan>) -> Option<usize> {
    if study.factors.len() < 2 {
        return None;
    }
    let levels = |index: usize| {
        let mut levels: Vec<&str> =
            study.cells.iter().filter_map(|cell| cell.levels.get(index)).map(String::as_str).collect();
        levels.sort_unstable();
        levels.dedup();
        levels.len()
    };
    let asked = plan.into_iter().flat_map(|plan| &plan.asks).find(|ask| ask.kind == AskKind::Compare);
    let asked = asked.and_then(|ask| study.factors.iter().position(|name| *name == ask.factor));
    asked.into_iter().chain(0..study.factors.len()).find(|index| (2..=SERIES_MAX).contains(&levels(*index)))
}

fn place(known: &mut Vec<String>, label: String) -> usize {
    known.iter().position(|candidate| *candidate == label).unwrap_or_else(|| {
        known.push(label);
        known.len() - 1
    })
}
