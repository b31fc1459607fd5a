//! Every rule on runs whose truth is known: the value, or the reason why there is none.

mod accelerator;
mod candidates;
mod contradiction;
mod decide;
mod for_load;
mod found;
mod machine;
mod no_advice;
mod postgresql;
mod reads;
mod stores;
mod tried;
mod versions;

use crate::database::DATABASES;
use crate::rule::{Database, Rule};
use crate::{
    Advice, Cause, Compared, Decision, MeasuredOn, NoAdvice, Now, Recommendation, Regret, Statement, Why,
    advise,
};
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

/// The decision for a database that has this value.
fn with(study: &Synthetic, fragment: &str, setting: &str, in_use: &str) -> Decision {
    let advice = advice(study, fragment);
    let found = advice.settings.iter().find(|found| found.name == setting).unwrap();
    found.with(&advice.id, &settings::Release::Any, Now::Set(in_use.to_owned())).decision
}

#[track_caller]
fn checked(found: Recommendation, value: &str) -> Recommendation {
    assert_eq!(found.value, value, "{found:?}");
    assert!(!found.grounds.is_empty());
    assert_eq!(found.expires.kernel, "6.18.0");
    found
}

#[track_caller]
fn changed(study: &Synthetic, fragment: &str, setting: &str, value: &str) -> Recommendation {
    match decision(study, fragment, setting) {
        Decision::ChangeTo(found) => {
            assert_eq!(found.measured_on, MeasuredOn::Database);
            checked(*found, value)
        }
        other => panic!("{setting}: {other:?}"),
    }
}

/// The disk predicts it, so it is not a change: a proof on the database has yet to show it.
#[track_caller]
fn predicted(study: &Synthetic, fragment: &str, setting: &str, value: &str) -> Recommendation {
    match decision(study, fragment, setting) {
        Decision::Candidate(found) => {
            assert_eq!(found.measured_on, MeasuredOn::Disk);
            checked(*found, value)
        }
        other => panic!("{setting}: {other:?}"),
    }
}

#[track_caller]
fn kept(study: &Synthetic, fragment: &str, setting: &str, value: &str) -> Recommendation {
    match decision(study, fragment, setting) {
        Decision::Keep(found) => checked(*found, value),
        other => panic!("{setting}: {other:?}"),
    }
}

#[track_caller]
fn judged_as(study: &Synthetic, fragment: &str, setting: &str, value: &str) -> Recommendation {
    match decision(study, fragment, setting) {
        Decision::Judged(found) => checked(*found, value),
        other => panic!("{setting}: {other:?}"),
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
        Decision::Undecided(none) | Decision::DoesNotApply(none) | Decision::Withheld(none) => {
            assert_eq!(none.why, why, "{none:?}");
            assert!(is_cause(&none.cause), "{:?}", none.cause);
            none
        }
        Decision::ChangeTo(found)
        | Decision::Candidate(found)
        | Decision::Keep(found)
        | Decision::Judged(found) => {
            panic!("{setting} = {}: {:?}", found.value, found.statement)
        }
    }
}

/// The value is kept, nothing is proven better, and this share could be lost by the measured values.
#[track_caller]
fn kept_at_a_risk(study: &Synthetic, fragment: &str, setting: &str, value: &str) -> Regret {
    let regret = kept(study, fragment, setting, value).regret.unwrap();
    assert!(!regret.is_proven_small && regret.share_at_most > 0.04, "{setting}: {regret:?}");
    regret
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
    all.extend(accelerator::speaking());
    all.extend(stores::speaking());
    all.extend(machine::speaking());
    all.extend(tried::speaking());
    all
}

#[test]
fn the_list_of_rules_is_whole() {
    let mut listed: Vec<&str> = every_rule_that_speaks().into_iter().map(|(setting, _, _)| setting).collect();
    // Rules without a study are for the database itself to decide. A run has an accelerator only if its user wants one.
    let is_of_a_study = |rule: &&Rule| rule.source.is_some() || rule.facts.name == accelerator::FOURFOLD;
    let of_a_study = DATABASES.iter().flat_map(Database::rules).filter(is_of_a_study);
    let mut rules: Vec<&str> = of_a_study.map(|rule| rule.facts.name).collect();
    listed.sort_unstable();
    rules.sort_unstable();
    assert_eq!(listed, rules);
}

/// Sets a figure. The median of a latency stays below its mean and its p99.
fn measure(record: &mut TrialRecord, metric: &str, value: f64) {
    let metrics = &mut record.measurement.as_mut().unwrap().phases[0].metrics;
    metrics.insert(metric.to_owned(), Measured::Value(value));
    let family = metric.strip_suffix("_mean_us").or_else(|| metric.strip_suffix("_p99_us"));
    let median = family.and_then(|family| metrics.get_mut(&format!("{family}_p50_us")));
    if let Some(Measured::Value(median)) = median {
        *median = median.min(0.9 * value);
    }
}
