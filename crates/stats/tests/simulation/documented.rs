//! `docs/statistics.md` states what is measured here: its rows are checked against the figures.

use std::path::Path;

/// Points (of a percentage) that a documented figure may be off: another machine's `ln` may move a trial across a
/// bound.
const TOLERANCE: f64 = 0.2;

/// Checks that the document has the row `| what | share in percent |`.
pub(crate) fn measured(what: &str, share: f64) {
    let row = format!("| {what} | {:.1} |", 100.0 * share);
    println!("{row}");
    require(&row, &row);
}

/// Checks that the document has `row`, up to [`TOLERANCE`] in each numeric cell; otherwise shows what it should carry.
pub(crate) fn require(row: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/statistics.md");
    let document = std::fs::read_to_string(&path).unwrap_or_default();
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let expected = cells(row);
    let carried = document.lines().map(cells).any(|found| {
        found.len() == expected.len() && found.iter().zip(&expected).all(|(a, b)| same_cell(a, b))
    });
    assert!(carried, "{} should carry:\n\n{wanted}", path.display());
}

fn same_cell(found: &str, expected: &str) -> bool {
    match (found.parse::<f64>(), expected.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() < TOLERANCE + 0.001,
        _ => found == expected,
    }
}
