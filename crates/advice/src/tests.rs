//! Every rule on runs whose truth is known: the value, or the reason why there is none.

mod no_advice;
mod postgresql;
mod reads;
mod stores;

use crate::database::DATABASES;
use crate::{Advice, Cause, Compared, Decision, NoAdvice, Recommendation, Statement, Why, advise};
use model::mechanism::Measured;
use model::trial::TrialRecord;
use model::{Configuration, Value};
use synthetic::{Synthetic, name};
use verdict::{Verdict, analyse};

/// A log written as a database does: through the page cache, with plain calls, without reads beside it.
fn log() -> Synthetic {
    Synthetic::commit()
        .vary("mode", vec![name("buffered")])
        .vary("group_size", vec![Value::Count(1)])
        .fix("ioengine", name("psync"))
        .fix("read_depth", Value::Count(0))
        .fix("wal_layout", name("prefilled"))
        // A write and a sync follow each other, or the write does both, and there are no reads beside them.
        .edit(|record| {
            let in_flight = if record.values.is("sync", "dsync") { 0.16 } else { 0.8 };
            measure(record, "in_flight_mean", in_flight);
        })
}

fn names(levels: &[&str]) -> Vec<Value> {
    levels.iter().map(|level| name(level)).collect()
}

/// A thousand a second, times the factor of the first matching level of a configuration.
fn times(parameter: &'static str, factors: &'static [(&str, f64)]) -> impl Fn(&Configuration, u32) -> f64 {
    move |values, _| {
        let factor = factors.iter().find(|(level, _)| values.is(parameter, level));
        1000.0 * factor.map_or(1.0, |(_, factor)| *factor)
    }
}

fn judged(study: &Synthetic) -> (Vec<Advice>, Verdict) {
    let run = study.run();
    let verdict = analyse(&run, &|_| None);
    (advise(&run, &verdict), verdict)
}

fn advice(study: &Synthetic, fragment: &str) -> Advice {
    let (mut advice, _) = judged(study);
    let at = advice.iter().position(|advice| advice.fragment == fragment).unwrap();
    advice.remove(at)
}

fn decision(study: &Synthetic, fragment: &str, setting: &str) -> Decision {
    let advice = advice(study, fragment);
    advice.settings.into_iter().find(|found| found.name == setting).unwrap().decision
}

#[track_caller]
fn advised(study: &Synthetic, fragment: &str, setting: &str, value: &str) -> Recommendation {
    match decision(study, fragment, setting) {
        Decision::Advised(found) => {
            assert_eq!(found.value, value, "{found:?}");
            assert!(!found.grounds.is_empty());
            assert_eq!(found.expires.kernel, "6.18.0");
            *found
        }
        Decision::NoAdvice(none) => panic!("{setting} has none: {:?}", none.cause),
    }
}

#[track_caller]
fn no_advice(
    study: &Synthetic,
    fragment: &str,
    setting: &str,
    why: Why,
    is_cause: impl Fn(&Cause) -> bool,
) -> NoAdvice {
    match decision(study, fragment, setting) {
        Decision::NoAdvice(none) => {
            assert_eq!(none.why, why, "{none:?}");
            assert!(is_cause(&none.cause), "{:?}", none.cause);
            none
        }
        Decision::Advised(found) => panic!("{setting} = {}: {:?}", found.value, found.statement),
    }
}

fn spans(cause: &Cause) -> bool {
    matches!(cause, Cause::Spans { .. })
}

/// The pair of a statement that compares two arms.
#[track_caller]
fn pair(statement: &Statement) -> &Compared {
    match statement {
        Statement::Compared { pairs, .. } if pairs.len() == 1 => &pairs[0],
        other => panic!("{other:?}"),
    }
}

/// Every setting with a rule, its file, and a run for which the rule advises a value.
fn every_rule_that_speaks() -> Vec<(&'static str, &'static str, Synthetic)> {
    let mut all = postgresql::speaking();
    all.extend(reads::speaking());
    all.extend(stores::speaking());
    all
}

#[test]
fn the_list_of_rules_is_whole() {
    let mut listed: Vec<&str> = every_rule_that_speaks().into_iter().map(|(setting, _, _)| setting).collect();
    let mut rules: Vec<&str> =
        DATABASES.iter().flat_map(|database| database.rules).map(|rule| rule.setting).collect();
    listed.sort_unstable();
    rules.sort_unstable();
    assert_eq!(listed, rules);
}

fn measure(record: &mut TrialRecord, metric: &str, value: f64) {
    let phase = &mut record.measurement.as_mut().unwrap().phases[0];
    phase.metrics.insert(metric.to_owned(), Measured::Value(value));
}
