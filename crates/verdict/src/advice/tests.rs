//! Every rule on runs whose truth is known: the value, and silence where there is none.

mod postgresql;
mod reads;
mod silence;
mod stores;

use super::{Advice, Recommendation, Ruling, Silence, Why};
use crate::analyse;
use crate::synthetic::{Synthetic, name};
use model::mechanism::Measured;
use model::trial::TrialRecord;
use model::{Configuration, Value};

/// A log as a database writes it: through the page cache, by plain calls, without reads beside it.
fn log() -> Synthetic {
    Synthetic::commit()
        .vary("mode", vec![name("buffered")])
        .vary("group_size", vec![Value::Count(1)])
        .fix("ioengine", name("psync"))
        .fix("read_depth", Value::Count(0))
        .fix("wal_layout", name("prefilled"))
        // A write and a sync follow each other, or the write does both, and no reads are beside them.
        .edit(|record| {
            let in_flight = if record.values.is("sync", "dsync") { 0.16 } else { 0.8 };
            measure(record, "in_flight_mean", in_flight);
        })
}

fn names(levels: &[&str]) -> Vec<Value> {
    levels.iter().map(|level| name(level)).collect()
}

/// A thousand a second times the factor of the first level that a configuration has.
fn times(parameter: &'static str, factors: &'static [(&str, f64)]) -> impl Fn(&Configuration, u32) -> f64 {
    move |values, _| {
        let factor = factors.iter().find(|(level, _)| values.is(parameter, level));
        1000.0 * factor.map_or(1.0, |(_, factor)| *factor)
    }
}

fn advice(study: &Synthetic, fragment: &str) -> Advice {
    let mut advice = analyse(&study.run(), &|_| None).advice;
    let at = advice.iter().position(|advice| advice.fragment == fragment).unwrap();
    advice.remove(at)
}

fn ruling(study: &Synthetic, fragment: &str, setting: &str) -> Ruling {
    let advice = advice(study, fragment);
    advice.settings.into_iter().find(|found| found.name == setting).unwrap().ruling
}

#[track_caller]
fn advised(study: &Synthetic, fragment: &str, setting: &str, value: &str) -> Recommendation {
    match ruling(study, fragment, setting) {
        Ruling::Advised(found) => {
            assert_eq!(found.value, value, "{found:?}");
            assert!(!found.grounds.is_empty() && !found.statement.is_empty());
            assert_eq!(found.expires.kernel, "6.18.0");
            *found
        }
        Ruling::Silent(silence) => panic!("{setting} is silent: {}", silence.reason),
    }
}

#[track_caller]
fn silent(study: &Synthetic, fragment: &str, setting: &str, why: Why, words: &str) -> Silence {
    match ruling(study, fragment, setting) {
        Ruling::Silent(silence) => {
            assert_eq!(silence.why, why, "{silence:?}");
            assert!(silence.reason.contains(words), "{}", silence.reason);
            silence
        }
        Ruling::Advised(found) => panic!("{setting} = {}: {}", found.value, found.statement),
    }
}

/// Every setting that is not silent by its nature, its file, and a run that makes its rule speak.
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
        super::DATABASES.iter().flat_map(|database| database.rules).map(|rule| rule.setting).collect();
    listed.sort_unstable();
    rules.sort_unstable();
    assert_eq!(listed, rules);
}

fn measure(record: &mut TrialRecord, metric: &str, value: f64) {
    let phase = &mut record.measurement.as_mut().unwrap().phases[0];
    phase.metrics.insert(metric.to_owned(), Measured::Value(value));
}
