//! JMH's table of results, `Benchmark  Mode  Cnt  Score  Error  Units`: the unit has a column of its own, behind
//! figures of several kinds.
//!
//! `Cnt` is the number of iterations that the mean and its error are of; the error is the half width of a 99.9 %
//! interval (`org.openjdk.jmh.results.Result`). Lines of a profiler (`·gc.alloc.rate`) and of percentiles (`·p0.99`)
//! are left out.

use super::grid::{Grid, Misfits, is_empty};
use super::program::NumberedLine;
use crate::number::Shown;
use crate::unit::{Dimension, Unit};

const RATE: &str = "Score (rate)";
const TIME: &str = "Score (time)";
/// What a benchmark's name has before the name of a second result.
const SECOND_RESULT: &[&str] = &["·", ":gc.", ":p0.", ":p1."];

/// The columns that make a table JMH's, by their places.
struct Places {
    mode: usize,
    count: Option<usize>,
    score: usize,
    error: Option<usize>,
    unit: usize,
}

impl Places {
    fn of(header: &[String]) -> Option<Self> {
        let place = |is: &dyn Fn(&str) -> bool| header.iter().position(|name| is(&name.to_ascii_lowercase()));
        Some(Self {
            mode: place(&|name| name == "mode")?,
            count: place(&|name| matches!(name, "cnt" | "samples" | "count")),
            score: place(&|name| name == "score")?,
            error: place(&|name| name == "error" || name.starts_with("score error")),
            unit: place(&|name| matches!(name, "units" | "unit"))?,
        })
    }

    fn is_kept(&self, place: usize) -> bool {
        ![Some(self.mode), self.count, Some(self.score), self.error, Some(self.unit)].contains(&Some(place))
    }
}

/// The table in JMH's text, which has several words for one cell and leaves out what does not apply.
pub(super) fn grid(lines: &[NumberedLine<'_>]) -> Option<Grid> {
    let ((header_line, header), lines) = lines.split_first()?;
    let header: Vec<String> = header.split_whitespace().map(str::to_owned).collect();
    let places = Places::of(&header)
        .filter(|places| header.first().is_some_and(|name| name == "Benchmark") && places.mode > 0)?;
    let rows = lines.iter().map_while(|(number, line)| Some((*number, row(line, header.len(), &places)?)));
    let lines: Vec<(u64, Vec<String>)> = rows.collect();
    let grid =
        Grid { header_line: *header_line, header, lines, misfits: Misfits::Remark, around: Shown::default() };
    (!grid.lines.is_empty()).then_some(grid)
}

/// `Puts.put  thrpt  5  12345.678 ± 890.123  ops/s` as cells.
fn row(line: &str, length: usize, places: &Places) -> Option<Vec<String>> {
    let spaced = line.replace('±', " ± ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut cells = vec![String::new(); length];
    let named = words.get(..=places.mode)?;
    let rest = &words[places.mode + 1..];
    let (unit, figures) = rest.split_last()?;
    let (before, error) = match figures.iter().position(|word| *word == "±") {
        Some(place) => (&figures[..place], figures.get(place + 1)),
        None => (figures, None),
    };
    let (score, count) = before.split_last()?;
    for (cell, word) in cells.iter_mut().zip(named) {
        (*word).clone_into(cell);
    }
    let mut put = |place: Option<usize>, word: Option<&&str>| {
        if let (Some(cell), Some(word)) = (place.and_then(|place| cells.get_mut(place)), word) {
            (*word).clone_into(cell);
        }
    };
    put(places.count, count.first());
    put(Some(places.score), Some(score));
    put(places.error, error);
    put(Some(places.unit), Some(unit));
    Some(cells)
}

impl Grid {
    /// A table of JMH with its units in the cells and rates and times in columns of their own; any other as it is.
    pub(super) fn units_in_cells(self) -> Self {
        let Some(places) = Places::of(&self.header) else { return self };
        let kept = |cells: &[String]| -> Vec<String> {
            let kept = cells.iter().enumerate().filter(|(place, _)| places.is_kept(*place));
            kept.map(|(_, cell)| cell.clone()).collect()
        };
        let count = |cells: &[String]| places.count.and_then(|place| cells.get(place).cloned());
        let mut header = kept(&self.header);
        header.extend(places.count.map(|_| "samples".to_owned()));
        header.extend([RATE.to_owned(), TIME.to_owned()]);
        let line = |cells: &[String]| -> Option<Vec<String>> {
            let (rate, time) = score(cells, &places)?;
            let mut line = kept(cells);
            line.extend(count(cells));
            line.extend([rate, time]);
            Some(line)
        };
        let is_second = |cells: &[String]| {
            cells.first().is_some_and(|name| SECOND_RESULT.iter().any(|mark| name.contains(mark)))
        };
        let lines = self.lines.iter().filter(|(_, cells)| !is_second(cells));
        let lines: Vec<(u64, Vec<String>)> =
            lines.filter_map(|(number, cells)| Some((*number, line(cells)?))).collect();
        if lines.is_empty() { self } else { Self { header, lines, ..self } }
    }
}

/// The score of a line as a rate or as a time, with its error and its unit.
fn score(cells: &[String], places: &Places) -> Option<(String, String)> {
    let cell = |place: usize| cells.get(place).map_or("", |cell| cell.trim_matches(['±', ' ']));
    let unit = cell(places.unit);
    let error = places.error.map(cell).filter(|error| !is_empty(error) && *error != "NaN");
    let score = cell(places.score);
    let figure = match error {
        Some(error) => format!("{score} ± {error} {unit}"),
        None => format!("{score} {unit}"),
    };
    match Unit::parse(unit)?.dimension {
        Dimension::Rate => Some((figure, String::new())),
        Dimension::Time => Some((String::new(), figure)),
        Dimension::Bytes | Dimension::Bandwidth | Dimension::Share => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_jmh_as_text() {
        let text = "Benchmark        (size)   Mode  Cnt      Score     Error  Units\n\
            Log.append          512  thrpt   10  41234.512 ± 812.004  ops/s\n\
            Log.append          512   avgt   10     24.250 ±   0.481  us/op\n\
            Log.append:gc.alloc 512   avgt   10     24.250 ±   0.481   B/op\n\
            Log.sync            512     ss            3.100            ms/op\n";
        let lines: Vec<NumberedLine<'_>> = (1..).zip(text.lines()).collect();
        let grid = grid(&lines).unwrap().units_in_cells();
        assert_eq!(grid.header, ["Benchmark", "(size)", "samples", RATE, TIME]);
        let rows: Vec<String> = grid.lines.iter().map(|(_, cells)| cells.join("|")).collect();
        assert_eq!(
            rows,
            [
                "Log.append|512|10|41234.512 ± 812.004 ops/s|",
                "Log.append|512|10||24.250 ± 0.481 us/op",
                "Log.sync|512|||3.100 ms/op",
            ]
        );
    }
}
