//! Comparisons and trends: two sides that differ, are the same, or cannot be decided.

use super::effect::{Effect, excluded, margin};
use super::opening::first_word;
use super::told::{Told, confidence, figures, interval};
use super::{crossing, ladder};
use crate::finding::{Figures, Subject};
use crate::quantity::times;
use model::figure::ratio;
use model::metric::{Better, Unit};

/// Rates that have a verb: metric, what one side does, what both do.
const VERBS: &[(&str, Verb)] = &[
    ("commits_per_s", Verb { one: "commits", both: "commit" }),
    ("entries_per_s", Verb { one: "appends", both: "append" }),
    ("reads_per_s", Verb { one: "reads", both: "read" }),
    ("read_iops", Verb { one: "reads", both: "read" }),
    ("write_iops", Verb { one: "writes", both: "write" }),
    ("trim_iops", Verb { one: "trims", both: "trim" }),
    ("files_per_s", Verb { one: "reads files", both: "read files" }),
    ("load_operations_per_s", Verb { one: "loads", both: "load" }),
    ("load_and_drain_operations_per_s", Verb { one: "loads and drains", both: "load and drain" }),
    ("hit_operations_per_s", Verb { one: "reads loaded keys", both: "read loaded keys" }),
    ("miss_operations_per_s", Verb { one: "reads absent keys", both: "read absent keys" }),
    ("mixed_operations_per_s", Verb { one: "completes mixed operations", both: "complete mixed operations" }),
    ("scan_operations_per_s", Verb { one: "scans", both: "scan" }),
    (
        "read_while_writing_operations_per_s",
        Verb { one: "reads beside writers", both: "read beside writers" },
    ),
    ("write_while_reading_operations_per_s", Verb { one: "puts beside readers", both: "put beside readers" }),
    ("object_gets_per_s", Verb { one: "reads objects", both: "read objects" }),
    ("object_puts_per_s", Verb { one: "writes objects", both: "write objects" }),
    ("object_stats_per_s", Verb { one: "answers stats", both: "answer stats" }),
    ("object_names_per_s", Verb { one: "lists names", both: "list names" }),
];

/// What a rate counts, as an action.
#[derive(Clone, Copy)]
struct Verb {
    one: &'static str,
    both: &'static str,
}

impl Effect<'_> {
    /// The two sides differ.
    pub(super) fn different(&self, is_small: bool, is_steady: bool) -> Told {
        let told = match &self.finding.subject {
            Subject::Range { .. } if is_steady => self.trend(),
            Subject::Range { .. } => self.unsteady(),
            Subject::Rung(rung) if self.is_judged() => ladder::different(self, rung),
            Subject::Factor
            | Subject::Level(_)
            | Subject::Levels(_)
            | Subject::Arms { .. }
            | Subject::Rung(_)
            | Subject::Ladder => self.larger(),
        };
        told.note(is_small.then(|| format!("real, and smaller than {}", margin()))).note(self.range())
    }

    /// The two sides are the same.
    pub(super) fn equivalent(&self) -> Told {
        let title = &self.named.title;
        let within = margin();
        let claim = match &self.finding.subject {
            Subject::Range { first, last } => {
                let factor = &self.finding.ask.factor;
                format!("{factor} has no effect on {title} from {first} to {last}, to within {within}")
            }
            Subject::Rung(rung) if self.is_judged() => {
                return ladder::equivalent(self, rung, &within).note(self.range());
            }
            Subject::Factor
            | Subject::Level(_)
            | Subject::Levels(_)
            | Subject::Arms { .. }
            | Subject::Rung(_)
            | Subject::Ladder => {
                let (level, baseline) = &self.names;
                match self.verb() {
                    Some(verb) => {
                        format!("{level} and {baseline} {} equally fast, to within {within}", verb.both)
                    }
                    None => {
                        format!(
                            "{} is the same with {level} and {baseline}, to within {within}",
                            first_word(self.finding, title)
                        )
                    }
                }
            }
        };
        self.proven(format!("{claim}{}", self.absolute())).note(self.range())
    }

    /// The data prove neither a difference nor equality.
    pub(super) fn undecided(&self) -> Told {
        let title = &self.named.title;
        let it = first_word(self.finding, "it");
        let claim = match &self.finding.subject {
            Subject::Arms { arms, .. } => return crossing::undecided(self.finding, arms),
            Subject::Rung(rung) if self.is_judged() => {
                return ladder::undecided(self, rung).note(self.range());
            }
            Subject::Range { first, last } => {
                let factor = &self.finding.ask.factor;
                format!("{it} is undecided whether {factor} changes {title} from {first} to {last}")
            }
            Subject::Factor | Subject::Level(_) | Subject::Levels(_) | Subject::Rung(_) | Subject::Ladder => {
                let (level, baseline) = &self.names;
                match self.verb() {
                    Some(verb) => {
                        format!("{it} is undecided whether {level} {} faster than {baseline}", verb.one)
                    }
                    None => {
                        format!("{it} is undecided whether {title} differs between {level} and {baseline}")
                    }
                }
            }
        };
        let claim = format!("{claim}{}{}", self.absolute(), excluded(&self.ratio, "ratios"));
        Told::new(claim, confidence(&self.ratio)).note(self.range())
    }

    /// Whether a higher value of the metric is a gain or a cost.
    fn is_judged(&self) -> bool {
        match self.named.better {
            Better::Higher | Better::Lower => true,
            Better::Neither => false,
        }
    }

    fn verb(&self) -> Option<Verb> {
        VERBS.iter().find(|(metric, _)| *metric == self.finding.metric).map(|(_, verb)| *verb)
    }

    /// One side compared with the other, in the direction in which the ratio is above 1.
    fn larger(&self) -> Told {
        let is_above = self.ratio.point.is_none_or(|point| point >= 1.0);
        let (level, baseline) = &self.names;
        let (larger, smaller) = if is_above { (level, baseline) } else { (baseline, level) };
        let ratio = if is_above { self.ratio.clone() } else { self.ratio.reversed() };
        let (title, times) = (&self.named.title, times(&ratio));
        let claim = match (self.verb(), self.named.unit) {
            (Some(verb), _) => format!("{larger} {} {times} as fast as {smaller}", verb.one),
            (None, Unit::PerSecond) => format!("{larger} gives {times} the {title} of {smaller}"),
            (None, _) => {
                format!("{} with {larger} is {times} that with {smaller}", first_word(self.finding, title))
            }
        };
        let absolute = self.finding.figures.map_or_else(String::new, |Figures { level, baseline }| {
            let (one, other) = if is_above { (level, baseline) } else { (baseline, level) };
            let (one, other) = figures(&self.named, one, other);
            format!(": {one} against {other}")
        });
        Told::new(format!("{claim}{absolute}"), interval(&ratio, Unit::Count)).note(self.direction())
    }

    /// `lower is better`, if a higher value is not a gain.
    fn direction(&self) -> Option<String> {
        (self.named.better == Better::Lower).then(|| self.named.direction().to_owned())
    }

    /// `From iodepth = 1 to 32, IOPS rises from 9 000 to 120 000, 13.3× over the range`. The ratio is that of the line
    /// fitted to all levels: if the levels at the ends give a different one, the sentence states both.
    fn trend(&self) -> Told {
        let title = &self.named.title;
        let times = times(&self.ratio);
        let verb = if self.ratio.point.is_none_or(|point| point >= 1.0) { "rises" } else { "falls" };
        let ends = self.finding.figures.map(|Figures { level, baseline }| ratio(level / baseline));
        let course = match (ends, self.titled_baseline_and_level()) {
            (Some(ends), Some((from, to))) if ends == times => {
                format!("{verb} from {from} to {to}, {times} over the range")
            }
            (_, Some((from, to))) => format!(
                "{verb} to {times} along the line fitted to all levels, with {from} at the first and {to} at the last"
            ),
            (_, None) => format!("{verb} to {times} along the line fitted to all levels"),
        };
        let from = first_word(self.finding, "from");
        self.proven(format!("{from} {}, {title} {course}", self.ends())).note(self.direction())
    }

    /// `iodepth = 1 to 32`.
    fn ends(&self) -> String {
        match &self.finding.subject {
            Subject::Range { first, last } => format!("{} = {first} to {last}", self.finding.ask.factor),
            Subject::Factor
            | Subject::Level(_)
            | Subject::Levels(_)
            | Subject::Arms { .. }
            | Subject::Rung(_)
            | Subject::Ladder => self.finding.ask.factor.clone(),
        }
    }

    fn unsteady(&self) -> Told {
        let title = first_word(self.finding, &self.named.title);
        let ends = self
            .titled_baseline_and_level()
            .map_or_else(String::new, |(from, to)| format!(", {from} against {to} at the ends"));
        let times = times(&self.ratio);
        self.proven(format!(
            "{title} changes from {}, but not steadily: {times} along the line fitted to all levels{ends}",
            self.ends()
        ))
    }
}
