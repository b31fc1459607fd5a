//! A limit that a comparison must not break, for scripts: `commit_latency_p99>+10%`.

use super::change;
use super::comparison::{Comparison, Row};
use super::reason::RowReason;
use crate::verdict::{Answer, Estimate};
use model::figure::count;
use model::{metric, suggestion};
use page::{Badge, Tone};
use serde::Serialize;
use std::fmt;

/// The maximum number of candidates that are listed for an ambiguous name.
const NAMED_MAX: usize = 5;

/// The direction in which a limit is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Direction {
    Above,
    Below,
}

/// A limit on the change of one metric.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gate {
    /// As the user typed it.
    pub text: String,
    pub metric: String,
    direction: Direction,
    /// The permitted change in percent.
    percent: f64,
}

/// The result of a limit for a comparison, row by row.
#[derive(Clone, Debug, Serialize)]
pub struct Ruling {
    pub gate: Gate,
    /// The outcome over all rows.
    pub outcome: LimitOutcome,
    /// Rows whose whole interval lies beyond the limit.
    pub broken: Vec<Held>,
    /// Undecided rows: the interval contains the limit, or the change lies inside the noise floor.
    pub undecided: Vec<Held>,
    /// Rows whose whole interval lies within the limit.
    pub kept: Vec<Held>,
    /// Rows that cannot be judged, by the reason.
    pub unjudged: Vec<Unjudged>,
}

/// A row that was judged by the limit.
#[derive(Clone, Debug, Serialize)]
pub struct Held {
    /// Study and configuration: `commit mode=direct`.
    pub row: String,
    /// B ÷ A with its simultaneous interval.
    pub ratio: Estimate,
}

/// The outcome of a limit over all rows of its metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitOutcome {
    /// Proven to be broken by at least one row.
    Broken,
    /// Every row could be judged: none breaks it, and not every row is proven to keep it.
    Undecided,
    /// Proven to be kept by every row.
    Kept,
    /// No row breaks it, and a row could not be judged, or there is none.
    NotJudged,
}

/// Rows that cannot be judged, for one reason.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Unjudged {
    /// The reason; `None` if the row has no interval and gives none.
    pub why: Option<RowReason>,
    /// The rows: `commit mode=direct`.
    pub rows: Vec<String>,
}

impl LimitOutcome {
    /// The outcome over several: a broken one comes first, then one that is not judged, then an undecided one. Nothing
    /// at all is not judged.
    pub fn over_all(outcomes: impl Iterator<Item = Self>) -> Self {
        let outcomes: Vec<Self> = outcomes.collect();
        let is_any = |outcome: &Self| outcomes.contains(outcome);
        let first = [Self::Broken, Self::NotJudged, Self::Undecided].into_iter().find(is_any);
        first.unwrap_or(if outcomes.is_empty() { Self::NotJudged } else { Self::Kept })
    }

    /// In a word or two.
    pub const fn badge(self) -> Badge {
        match self {
            Self::Broken => Badge::new(Tone::Bad, "broken"),
            Self::Undecided => Badge::new(Tone::Warn, "not decided").with_symbol("?"),
            Self::NotJudged => Badge::new(Tone::Faint, "not judged"),
            Self::Kept => Badge::new(Tone::Good, "kept"),
        }
    }
}

impl Unjudged {
    /// Why rows of this metric cannot be judged: a clause.
    pub fn text(&self, metric: &str) -> String {
        self.why.as_ref().map_or_else(|| "there is no interval".to_owned(), |why| why.text(metric))
    }
}

impl Held {
    /// `commit mode=direct: +14.2 % [+11.0 to +17.5]`.
    pub(super) fn text(&self) -> String {
        format!("{}: {}", self.row, change::with_interval(Some(&self.ratio)))
    }
}

/// A limit as it was typed, before its metric is looked up.
struct Typed<'a> {
    metric: &'a str,
    direction: Direction,
    percent: f64,
}

impl<'a> Typed<'a> {
    fn read(text: &'a str) -> Result<Self, String> {
        let malformed = || format!("\"{text}\" is not a limit: write METRIC>+10% or METRIC<-5%");
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
        Ok(Self { metric: name.trim(), direction, percent })
    }
}

impl Gate {
    /// Requires that a text is a limit of a metric that a study can measure, before any run is read.
    ///
    /// # Errors
    /// As for [`Self::parse`].
    pub fn require_possible(text: &str) -> Result<(), String> {
        let typed = Typed::read(text)?.metric;
        let known: Vec<String> = metric::all().map(|metric| metric.name()).collect();
        let is_beginning = !typed.is_empty() && known.iter().any(|name| name.starts_with(typed));
        if is_beginning || metric::find(typed).is_some() {
            return Ok(());
        }
        metric_named(typed, &known, "Syncline").map(drop)
    }

    /// Reads `METRIC>+N%` or `METRIC<-N%`. The metric is one of those that `who` (`both runs`) `measured`, by its full
    /// name, its name without the unit, or an unambiguous beginning of it.
    ///
    /// # Errors
    /// One sentence: the error, and the nearest correct form.
    pub fn parse(text: &str, measured: &[String], who: &str) -> Result<Self, String> {
        let Typed { metric, direction, percent } = Typed::read(text)?;
        Ok(Self { text: text.to_owned(), metric: metric_named(metric, measured, who)?, direction, percent })
    }

    /// The limit as a ratio of B to A: 1.1 for a rise of 10 %.
    pub fn ratio(&self) -> f64 {
        1.0 + self.percent / 100.0
    }

    /// Judges every row of its metric by its simultaneous interval. A row breaks the limit if a difference is found and
    /// its whole interval lies beyond the limit; it keeps the limit if its whole interval lies within.
    pub fn judge(&self, comparison: &Comparison) -> Ruling {
        let mut ruling = Ruling {
            gate: self.clone(),
            outcome: LimitOutcome::NotJudged,
            broken: Vec::new(),
            undecided: Vec::new(),
            kept: Vec::new(),
            unjudged: Vec::new(),
        };
        for study in &comparison.studies {
            for row in study.rows.iter().filter(|row| row.metric == self.metric) {
                let place = row.configuration.as_deref().map_or("all configurations", |label| label);
                ruling.add(format!("{} {place}", study.name).trim_end().to_owned(), row);
            }
        }
        ruling.outcome = ruling.over_all();
        ruling
    }

    /// Whether the limit excludes every value of the interval of a ratio.
    pub(crate) fn is_beyond(&self, (low, high): (f64, f64)) -> bool {
        match self.direction {
            Direction::Above => percent(low) > self.percent,
            Direction::Below => percent(high) < self.percent,
        }
    }

    /// Whether the limit allows every value of it.
    pub(crate) fn is_within(&self, (low, high): (f64, f64)) -> bool {
        match self.direction {
            Direction::Above => percent(high) <= self.percent,
            Direction::Below => percent(low) >= self.percent,
        }
    }
}

/// A ratio as a change in percent.
fn percent(ratio: f64) -> f64 {
    (ratio - 1.0) * 100.0
}

impl Ruling {
    /// The number of rows by their outcome: `of 5 comparisons 1 beyond the limit, 4 within it`.
    pub(super) fn counts(&self) -> String {
        let Self { gate: _, outcome: _, broken, undecided, kept, unjudged: _ } = self;
        let counted = [
            (broken.len(), "beyond the limit"),
            (undecided.len(), "not decided"),
            (kept.len(), "within it"),
            (self.rows_unjudged(), "not judged"),
        ];
        let all = counted.iter().map(|(count, _)| count).sum();
        let told = counted.iter().filter(|(count, _)| *count > 0);
        let told: Vec<String> = told.map(|(count, what)| format!("{count} {what}")).collect();
        match told[..] {
            [] => "no study of both runs has it".to_owned(),
            _ => format!("of {} {}", count(all, "comparison"), told.join(", ")),
        }
    }

    fn add(&mut self, name: String, row: &Row) {
        let measured = row.ratio.as_ref().and_then(|ratio| Some((ratio, ratio.interval?)));
        match (row.answer, measured) {
            (Answer::NotAssessable, _) | (_, None) => {
                match self.unjudged.iter_mut().find(|known| known.why == row.why) {
                    Some(known) => known.rows.push(name),
                    None => self.unjudged.push(Unjudged { why: row.why.clone(), rows: vec![name] }),
                }
            }
            (Answer::Different | Answer::Equivalent | Answer::Undecided, Some((ratio, interval))) => {
                let held = Held { row: name, ratio: ratio.clone() };
                // A change inside the noise floor is not claimed as a difference, so it breaks no limit either.
                if self.gate.is_beyond(interval) && row.answer == Answer::Different {
                    self.broken.push(held);
                } else if self.gate.is_within(interval) {
                    self.kept.push(held);
                } else {
                    self.undecided.push(held);
                }
            }
        }
    }

    /// The number of rows that were judged.
    pub fn rows_judged(&self) -> usize {
        self.broken.len() + self.undecided.len() + self.kept.len()
    }

    /// The number of rows that could not be judged.
    pub fn rows_unjudged(&self) -> usize {
        self.unjudged.iter().map(|unjudged| unjudged.rows.len()).sum()
    }

    /// A single row that cannot be judged prevents every outcome but "broken": what is unknown there may be the worst
    /// change of all.
    fn over_all(&self) -> LimitOutcome {
        let held = [
            (self.broken.len(), LimitOutcome::Broken),
            (self.unjudged.len(), LimitOutcome::NotJudged),
            (self.undecided.len(), LimitOutcome::Undecided),
            (self.kept.len(), LimitOutcome::Kept),
        ];
        LimitOutcome::over_all(held.into_iter().filter(|(rows, _)| *rows > 0).map(|(_, outcome)| outcome))
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The full name for the typed one, among the metrics of `whose`: by its full name, its name without the unit, or an
/// unambiguous beginning of it.
///
/// # Errors
/// One sentence: the error, and the nearest correct form.
pub fn metric_named(typed: &str, metrics: &[String], whose: &str) -> Result<String, String> {
    let full = metric::find(typed).map_or_else(|| typed.to_owned(), |metric| metric.name());
    if metrics.contains(&full) {
        return Ok(full);
    }
    let beginning: Vec<&String> =
        metrics.iter().filter(|name| !typed.is_empty() && name.starts_with(typed)).collect();
    match beginning[..] {
        [only] => Ok(only.clone()),
        [] if metric::find(typed).is_some() => Err(format!("{full} is not a metric of {whose}")),
        [] => {
            let names = metrics.iter().map(String::as_str);
            Err(match suggestion::nearest(typed, names.clone()) {
                Some(nearest) => format!("unknown metric \"{typed}\"; did you mean \"{nearest}\"?"),
                None => format!("unknown metric \"{typed}\"; the metrics of {whose} are {}", some(names)),
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
