//! Where the time of operations went, on the terminal.

use page::terminal;
use verdict::explanation::{Explanation, sections};

/// Renders what the traced trials of a run show for a terminal of `width` columns, with ANSI colours if `colour` is
/// set; empty if it has none.
pub fn explanation(found: &[Explanation], width: usize, colour: bool) -> String {
    terminal::sections(&sections(found, &|_| None), width, colour)
}
