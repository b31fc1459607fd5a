//! JUnit's XML of a preflight: each limit is a suite, and each configuration that it is held against is a case. A limit
//! that is undecided or not judged is an error, because a case that is skipped passes in most readers.

use super::suite::{self, Case, Ending, Suite};
use preflight::{JudgedRow, Ruling};
use verdict::compare::LimitOutcome;
use verdict::quantity::with_interval;

/// The rulings of a preflight as tests.
pub fn preflight_junit(rulings: &[Ruling]) -> String {
    let suites: Vec<Suite> = rulings.iter().map(suite).collect();
    suite::file(&suites)
}

fn suite(ruling: &Ruling) -> Suite {
    let limit = &ruling.limit.text;
    let cases = ruling.rows.iter().map(|row| case(ruling, row));
    let without = ruling.why.iter().map(|why| Case {
        class: limit.clone(),
        name: "no configuration".to_owned(),
        ending: Ending::Error(why.clone()),
        lines: Vec::new(),
    });
    Suite { name: limit.clone(), cases: cases.chain(without).collect() }
}

fn case(ruling: &Ruling, row: &JudgedRow) -> Case {
    let figure = row.estimate.as_ref().map(|estimate| with_interval(estimate, ruling.limit.unit()));
    let shown = figure.clone().unwrap_or_else(|| "no figure".to_owned());
    let word = row.outcome.badge().word;
    let ending = match row.outcome {
        LimitOutcome::Kept => Ending::Passed,
        LimitOutcome::Broken => Ending::Failed(format!("{word}: {shown}")),
        LimitOutcome::Undecided => Ending::Error(format!("{word}: {shown}")),
        LimitOutcome::NotJudged => {
            Ending::Error(format!("{word}: {}", row.why.as_deref().unwrap_or("there is no interval")))
        }
    };
    Case {
        class: ruling.limit.text.clone(),
        name: row.row.clone(),
        ending,
        lines: figure.into_iter().collect(),
    }
}
