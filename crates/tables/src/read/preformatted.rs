//! Tables in text whose layout is kept: columns aligned by spaces, between bars, tabs or commas, as terminals show them
//! and as pages quote them.

use super::grid::{Grid, Misfits};
use super::jmh;
use super::limits::{CELLS_MAX, COLUMNS_MAX, FIELD_MAX, NAME_MAX};
use super::program::NumberedLine;
use crate::number::Shown;
use ::csv::ReaderBuilder;

/// Bars between columns.
const BARS: &[char] = &['|', '│', '┃', '║'];
/// What lines are drawn with.
const RULES: &[char] = &[
    '-', '=', '+', '─', '━', '═', '┄', '┼', '╪', '╬', '┬', '┴', '╤', '╧', '├', '┤', '╞', '╡', '┌', '┐', '└',
    '┘', '╭', '╮', '╰', '╯', '╠', '╣', '╔', '╗', '╚', '╝', '|', '│', ':', ' ',
];
/// Lines above a header that may be a title.
const TITLE_LINES: usize = 2;
/// Longest line that can be of a table, bytes.
const LINE_MAX: usize = 4096;

/// The tables in these lines; blank lines end them.
pub(super) fn grids(lines: &[NumberedLine<'_>]) -> Vec<Grid> {
    let blocks = lines.split(|(_, line)| line.trim().is_empty() || line.len() > LINE_MAX);
    blocks.filter(|block| block.len() > 1).filter_map(grid).collect()
}

fn grid(block: &[NumberedLine<'_>]) -> Option<Grid> {
    let rule = block.iter().position(|(_, line)| is_rule(line));
    // Above the first rule stands the header, or below one that closes the box.
    let begin = rule.map_or(0, |rule| rule.saturating_sub(1));
    let lines: Vec<NumberedLine<'_>> =
        block[begin..].iter().filter(|(_, line)| !is_rule(line)).copied().collect();
    let is_ruled = rule.is_some();
    let titles = if is_ruled { 0 } else { TITLE_LINES.min(lines.len().saturating_sub(2)) };
    (0..=titles).find_map(|title| {
        let lines = &lines[title..];
        jmh::grid(lines).or_else(|| by_bars(lines)).or_else(|| by_commas(lines)).or_else(|| by_spaces(lines))
    })
}

fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.chars().filter(|c| RULES[..RULES.len() - 4].contains(c)).count() >= 3
        && line.chars().all(|c| RULES.contains(&c))
}

/// Bars or tabs between cells.
fn by_bars(lines: &[NumberedLine<'_>]) -> Option<Grid> {
    let split = |line: &str| -> Option<Vec<String>> {
        let is_tabbed = line.contains('\t') && !line.contains(BARS);
        if !is_tabbed && !line.contains(BARS) {
            return None;
        }
        let inner = line.trim_matches(' ');
        let inner = inner.strip_prefix(BARS).unwrap_or(inner);
        let inner = inner.strip_suffix(BARS).unwrap_or(inner);
        let cells = inner.split(|c| BARS.contains(&c) || is_tabbed && c == '\t');
        Some(cells.map(|cell| cell.trim().to_owned()).collect())
    };
    let rows = lines.iter().map(|(number, line)| Some((*number, split(line)?)));
    // What follows a table, such as psql's number of rows, has no bar.
    let rows: Vec<(u64, Vec<String>)> = rows.map_while(|row| row).collect();
    checked(rows)
}

fn by_commas(lines: &[NumberedLine<'_>]) -> Option<Grid> {
    let header = lines.first()?.1;
    if header.matches(',').count() < 2 {
        return None;
    }
    let read = |line: &str| -> Option<Vec<String>> {
        let mut reader =
            ReaderBuilder::new().has_headers(false).trim(::csv::Trim::All).from_reader(line.as_bytes());
        let record = reader.records().next()?.ok()?;
        Some(record.iter().map(str::to_owned).collect())
    };
    let rows = lines.iter().filter(|(_, line)| !line.starts_with('#'));
    checked(rows.map(|(number, line)| Some((*number, read(line)?))).collect::<Option<_>>()?)
}

/// Columns between places that are blank in every line; two spaces at least, unless all lines have as many words.
fn by_spaces(lines: &[NumberedLine<'_>]) -> Option<Grid> {
    let chars: Vec<Vec<char>> = lines.iter().map(|(_, line)| line.chars().collect()).collect();
    let mut is_blank = vec![true; chars.iter().map(Vec::len).max()?];
    for line in &chars {
        for (is_blank, c) in is_blank.iter_mut().zip(line) {
            *is_blank &= c.is_whitespace();
        }
    }
    let mut columns: Vec<(usize, usize)> = Vec::new();
    let mut blanks = 2;
    for (place, is_blank) in is_blank.into_iter().enumerate() {
        if is_blank {
            blanks += 1;
            continue;
        }
        match columns.last_mut() {
            Some((_, end)) if blanks < 2 => *end = place + 1,
            _ => columns.push((place, place + 1)),
        }
        blanks = 0;
    }
    let cell = |line: &[char], (begin, end): (usize, usize)| -> String {
        line.get(begin..end.min(line.len())).unwrap_or_default().iter().collect::<String>().trim().to_owned()
    };
    // A long line below many short ones has columns for all of them.
    let is_table = columns.len() > 1 && columns.len().saturating_mul(lines.len()) <= CELLS_MAX;
    let by_columns = is_table.then(|| {
        let rows = lines.iter().zip(&chars);
        rows.map(|((number, _), line)| (*number, columns.iter().map(|column| cell(line, *column)).collect()))
            .collect()
    });
    let by_words = || {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let rows: Vec<(u64, Vec<String>)> =
            lines.iter().map(|(number, line)| (*number, words(line))).collect();
        let length = rows.first()?.1.len();
        (length > 1 && rows.iter().all(|(_, cells)| cells.len() == length)).then_some(rows)
    };
    by_columns.and_then(checked).or_else(|| by_words().and_then(checked))
}

/// A grid of lines that have as many cells as the first, which must be a header: no cell of it is a number alone.
fn checked(mut rows: Vec<(u64, Vec<String>)>) -> Option<Grid> {
    if rows.len() < 2 {
        return None;
    }
    let (header_line, header) = rows.remove(0);
    let is_sound = (2..=COLUMNS_MAX).contains(&header.len())
        && header.iter().all(|name| name.len() <= NAME_MAX && name.parse::<f64>().is_err())
        && header.iter().any(|name| !name.is_empty());
    let are_alike = rows
        .iter()
        .all(|(_, cells)| cells.len() == header.len() && cells.iter().all(|cell| cell.len() <= FIELD_MAX));
    (is_sound && are_alike).then_some(Grid {
        header_line,
        header,
        lines: rows,
        misfits: Misfits::Remark,
        around: Shown::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(Vec<String>, Vec<Vec<String>>)> {
        let lines: Vec<NumberedLine<'_>> = (1..).zip(text.lines()).collect();
        let cells = |grid: Grid| (grid.header, grid.lines.into_iter().map(|(_, cells)| cells).collect());
        grids(&lines).into_iter().map(cells).collect()
    }

    fn table(header: &[&str], rows: &[&[&str]]) -> Vec<(Vec<String>, Vec<Vec<String>>)> {
        let owned = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        vec![(owned(header), rows.iter().map(|row| owned(row)).collect())]
    }

    #[test]
    fn tables_of_terminals() {
        let expected = table(&["test", "Read IOPS", "lat"], &[&["a b", "1,234", "5"], &["c", "99", "1.25"]]);
        for text in [
            "test  Read IOPS   lat\na b       1,234     5\nc            99  1.25\n",
            "test | Read IOPS | lat\n-----+-----------+------\na b  |     1,234 |    5\nc    |        99 | 1.25\n(2 rows)\n",
            "┌──────┬───────────┬──────┐\n│ test │ Read IOPS │ lat  │\n├──────┼───────────┼──────┤\n│ a b  │ 1,234     │ 5    │\n│ c    │ 99        │ 1.25 │\n└──────┴───────────┴──────┘\n",
            "test\tRead IOPS\tlat\na b\t1,234\t5\nc\t99\t1.25\n",
            "test,Read IOPS,lat\na b,\"1,234\",5\nc,99,1.25\n",
            "Results of today\ntest  Read IOPS   lat\n----  ---------  ----\na b       1,234     5\nc            99  1.25\n",
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn a_missing_cell_stays_empty() {
        let text = "name    rate     lat\na          5\nb          6       7\n";
        assert_eq!(read(text), table(&["name", "rate", "lat"], &[&["a", "5", ""], &["b", "6", "7"]]));
    }

    #[test]
    fn prose_is_no_table() {
        assert_eq!(read("We ran it twice.\nIt was slow.\n"), []);
        assert_eq!(read("1 2 3\n4 5 6\n"), [], "no header");
    }
}
