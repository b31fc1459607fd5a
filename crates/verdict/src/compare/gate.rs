//! A limit that a comparison must not break, for scripts: `commit_latency_p99>+10%`.

use super::{Comparison, Row};
use crate::verdict::Answer;
use model::{metric, suggestion};
use serde::Serialize;
use std::fmt;

/// Candidates of an ambiguous name that are listed.
const NAMED_MAX: usize = 5;

/// Which way a limit is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Direction {
    Above,
    Below,
}

/// A limit on the change of one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gate {
    /// As it was typed.
    pub text: String,
    /// Full metric name.
    pub metric: String,
    direction: Direction,
    /// Change in percent that is still allowed.
    percent: f64,
}

/// What a gate says of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Ruling {
    /// The gate.
    pub gate: Gate,
    /// Rows whose interval lies beyond the limit: `commit mode=direct: +14.2 % [+11.0, +17.5]`.
    pub broken: Vec<String>,
    /// Rows that keep it, or are not proven to break it.
    pub kept: usize,
    /// Rows that cannot be judged, by the reason.
    pub unjudged: Vec<Unjudged>,
}

/// Rows that a limit cannot be held to, for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unjudged {
    /// The reason.
    pub why: String,
    /// Which rows: `commit mode=direct`.
    pub rows: Vec<String>,
}

impl Gate {
    /// Reads `METRIC>+N%` or `METRIC<-N%`. The metric is one of `measured`, by its full name, its name without the unit,
    /// or an unambiguous beginning of it.
    ///
    /// # Errors
    /// One sentence: what is wrong, and the nearest that would be right.
    pub fn parse(text: &str, measured: &[String]) -> Result<Self, String> {
        let malformed = || format!("\"{text}\" is no limit: write METRIC>+10% or METRIC<-5%");
        let at = text.find(['<', '>']).ok_or_else(malformed)?;
        let (name, rest) = text.split_at(at);
        let number = rest[1..].trim().strip_suffix('%').ok_or_else(malformed)?.trim();
        let plain = number.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | '-' | '.'));
        let percent: f64 = number.parse().ok().filter(|_| plain).ok_or_else(malformed)?;
        let direction = if rest.starts_with('>') { Direction::Above } else { Direction::Below };
        let sensible = match direction {
            Direction::Above => (0.0..=1e6).contains(&percent),
            Direction::Below => percent <= 0.0 && percent > -100.0,
        };
        if !sensible {
            return Err(format!(
                "\"{text}\": > takes a rise such as +10%, < a fall such as -5%, above -100%"
            ));
        }
        Ok(Self { text: text.to_owned(), metric: resolve(name.trim(), measured)?, direction, percent })
    }

    /// Judges every row of its metric. A limit is broken where a difference is found and the bound of its interval nearest
    /// to no change lies beyond the limit.
    pub fn judge(&self, comparison: &Comparison) -> Ruling {
        let mut ruling = Ruling { gate: self.clone(), broken: Vec::new(), kept: 0, unjudged: Vec::new() };
        for study in &comparison.studies {
            for row in study.rows.iter().filter(|row| row.metric == self.metric) {
                let place = row.configuration.as_deref().map_or("all configurations", |label| label);
                let name = format!("{} {place}", study.name).trim_end().to_owned();
                match (row.answer, bounds(row)) {
                    (Answer::NotAssessable, _) | (_, None) => {
                        let why = row.why.as_deref().unwrap_or("there is no interval");
                        match ruling.unjudged.iter_mut().find(|known| known.why == why) {
                            Some(known) => known.rows.push(name),
                            None => ruling.unjudged.push(Unjudged { why: why.to_owned(), rows: vec![name] }),
                        }
                    }
                    (Answer::Different, Some((low, point, high))) if self.is_beyond(low, high) => {
                        ruling.broken.push(format!("{name}: {point:+.1} % [{low:+.1}, {high:+.1}]"));
                    }
                    (Answer::Different | Answer::Equivalent | Answer::Undecided, Some(_)) => ruling.kept += 1,
                }
            }
        }
        ruling
    }

    fn is_beyond(&self, low: f64, high: f64) -> bool {
        match self.direction {
            Direction::Above => low > self.percent,
            Direction::Below => high < self.percent,
        }
    }
}

impl Ruling {
    /// Whether the limit is broken anywhere.
    pub fn is_broken(&self) -> bool {
        !self.broken.is_empty()
    }

    /// Whether nothing could be judged, which is no reason to believe that the limit is kept.
    pub fn is_empty(&self) -> bool {
        self.broken.is_empty() && self.kept == 0
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Lower bound, estimate and upper bound as changes in percent.
fn bounds(row: &Row) -> Option<(f64, f64, f64)> {
    let ratio = row.ratio.as_ref()?;
    let (low, high) = ratio.interval?;
    let change = |ratio: f64| (ratio - 1.0) * 100.0;
    Some((change(low), change(ratio.point?), change(high)))
}

/// The full name of what was typed.
fn resolve(typed: &str, measured: &[String]) -> Result<String, String> {
    let full = metric::find(typed).map_or_else(|| typed.to_owned(), |metric| metric.name());
    if measured.contains(&full) {
        return Ok(full);
    }
    let beginning: Vec<&String> =
        measured.iter().filter(|name| !typed.is_empty() && name.starts_with(typed)).collect();
    match beginning[..] {
        [only] => Ok(only.clone()),
        [] if metric::find(typed).is_some() => Err(format!("{full} was not measured by both runs")),
        [] => {
            let names = measured.iter().map(String::as_str);
            Err(match suggestion::nearest(typed, names.clone()) {
                Some(nearest) => format!("unknown metric \"{typed}\"; did you mean \"{nearest}\"?"),
                None => format!("unknown metric \"{typed}\"; both runs measured {}", some(names)),
            })
        }
        _ => {
            let names = beginning.iter().map(|name| name.as_str());
            Err(format!("metric \"{typed}\" is ambiguous: {}", some(names)))
        }
    }
}

fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let shown = &names[..names.len().min(NAMED_MAX)];
    if shown.is_empty() { "nothing".to_owned() } else { format!("{}{more}", shown.join(", ")) }
}
