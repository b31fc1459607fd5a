//! Page 000's table: its columns, its order, and correct half widths.

use crate::quantity::TRIALS_FOR_INTERVAL;
use model::plan::StudyPlan;
use model::printable;
use model::run::Run;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use verdict::{Cell, Estimate, StudyVerdict, Verdict};

/// Levels that name a row, in the page's words and in the study's.
const LEVELS: [(&str, &str); 3] = [("rpc", "reads_per_commit"), ("gs", "group_size"), ("mode", "mode")];

/// Column of the mean, column of its half width, and the metric; `grp` is the commit latency.
const METRICS: [(&str, &str, &str); 8] = [
    ("commits_mean", "commits_ci", "commits_per_s"),
    ("txns_mean", "txns_ci", "transactions_per_s"),
    ("sync_p50_us", "sync_p50_ci", "sync_latency_p50_us"),
    ("sync_p99_us", "sync_p99_ci", "sync_latency_p99_us"),
    ("grp_p50_us", "grp_p50_ci", "commit_latency_p50_us"),
    ("grp_p99_us", "grp_p99_ci", "commit_latency_p99_us"),
    ("read_iops_mean", "read_iops_ci", "reads_per_s"),
    ("read_p50_us", "read_p50_ci", "read_latency_p50_us"),
];

/// Renders the `commit` study as page 000 did: one line per configuration, sorted by reads per commit, group size and
/// mode; means, and half widths of their 95 % t intervals.
///
/// With fewer than six trials the `_ci` cells are empty, and a last line that starts with `#` gives the reason.
///
/// # Errors
/// There is no study with the workload `commit`, or its configurations differ in more than the three factors for which
/// the page has columns.
pub fn csv_page_000(run: &Run, verdict: &Verdict) -> Result<String, String> {
    let (plan, study) = commit_study(run, verdict)?;
    let mut rows: Vec<(Vec<Level>, &Cell)> =
        study.cells.iter().map(|cell| Ok((levels(plan, cell)?, cell))).collect::<Result<_, String>>()?;
    rows.sort_by(|(left, _), (right, _)| compare(left, right));
    if let Some(twice) = rows.windows(2).find(|pair| compare(&pair[0].0, &pair[1].0).is_eq()) {
        return Err(format!(
            "page 000 has no column for the difference between \"{}\" and \"{}\" in study {}; use the long format",
            twice[0].1.label, twice[1].1.label, study.name
        ));
    }
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    let mut reasons = BTreeSet::new();
    let mut lines = vec![header()];
    for (levels, cell) in &rows {
        lines.push(line(levels, cell, &mut reasons));
    }
    for line in lines {
        writer
            .write_record(line.iter().map(|field| printable(field).into_owned()))
            .map_err(|error| error.to_string())?;
    }
    let bytes = writer.into_inner().map_err(|error| error.to_string())?;
    let mut text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    for reason in reasons {
        text.push_str("# empty cells: ");
        text.push_str(&printable(&reason.replace(['\n', '\r'], " ")));
        text.push('\n');
    }
    Ok(text)
}

fn header() -> Vec<String> {
    let mut names: Vec<String> = LEVELS.iter().map(|(column, _)| (*column).to_owned()).collect();
    names.push("n".to_owned());
    names.extend(METRICS.iter().flat_map(|(mean, half, _)| [(*mean).to_owned(), (*half).to_owned()]));
    names
}

/// The study of that name, or the first with that workload.
fn commit_study<'a>(run: &'a Run, verdict: &'a Verdict) -> Result<(&'a StudyPlan, &'a StudyVerdict), String> {
    let candidates = || run.plan.studies.iter().filter(|plan| plan.workload == "commit");
    let plan = candidates()
        .find(|plan| plan.name == "commit")
        .or_else(|| candidates().next())
        .ok_or("page 000 is about commits, and this run has no study with the workload commit")?;
    let study = verdict.studies.iter().find(|study| study.name == plan.name);
    Ok((plan, study.ok_or_else(|| format!("study {} has no verdict", plan.name))?))
}

/// A level on its axis, with its text.
struct Level {
    number: Option<f64>,
    text: String,
}

fn levels(plan: &StudyPlan, cell: &Cell) -> Result<Vec<Level>, String> {
    let configuration = plan.configurations.get(cell.configuration);
    LEVELS
        .iter()
        .map(|(column, parameter)| {
            let value = configuration.and_then(|values| values.get(parameter));
            let value = value.ok_or_else(|| {
                format!("configuration \"{}\" has no {parameter} for the column {column}", cell.label)
            })?;
            Ok(Level { number: value.number(), text: value.to_string() })
        })
        .collect()
}

fn compare(left: &[Level], right: &[Level]) -> Ordering {
    let pairs = left.iter().zip(right).map(|(a, b)| match (a.number, b.number) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_) | None, None) | (None, Some(_)) => a.text.cmp(&b.text),
    });
    pairs.fold(Ordering::Equal, Ordering::then)
}

fn line(levels: &[Level], cell: &Cell, reasons: &mut BTreeSet<String>) -> Vec<String> {
    let mut fields: Vec<String> = levels.iter().map(|level| level.text.clone()).collect();
    fields.push(cell.n.to_string());
    for (_, _, metric) in METRICS {
        let Some(figure) = cell.figures.get(metric) else {
            reasons.insert(format!("{metric} was not measured by every configuration"));
            fields.extend([String::new(), String::new()]);
            continue;
        };
        let (half, reason) = half_width(&figure.mean, cell.n);
        reasons.extend(reason.map(|why| figure.unsupported.clone().unwrap_or(why)));
        fields.push(figure.mean.point.map(number).unwrap_or_default());
        fields.push(half.map(number).unwrap_or_default());
    }
    fields
}

/// Half the width of the interval, or the reason why there is none.
fn half_width(mean: &Estimate, n: usize) -> (Option<f64>, Option<String>) {
    if n < TRIALS_FOR_INTERVAL {
        let why = format!("n = {n} trials, and fewer than {TRIALS_FOR_INTERVAL} give no interval");
        return (None, Some(why));
    }
    match mean.interval {
        Some((low, high)) => (Some((high - low) / 2.0), None),
        None => (None, Some(mean.reason.clone().unwrap_or_else(|| "no interval was computed".to_owned()))),
    }
}

/// Six significant digits without trailing zeros: a data file is read by programs.
fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let decimals = usize::try_from(5 - value.abs().log10().floor() as i32).unwrap_or(0);
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_keep_six_digits_and_no_padding() {
        for (value, text) in [
            (494.0, "494"),
            (1_132_970.4, "1132970"),
            (48.123_456, "48.1235"),
            (0.001_234_567, "0.00123457"),
            (0.0, "0"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
