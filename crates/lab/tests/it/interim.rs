//! The rule that spends a time budget: a first look at every study, then rounds for the undecided.

use crate::toy;

use lab::interim::{InterimAnswer, by_looks, look_repeatedly, looks_after};
use lab::next::in_order;
use model::plan::{Plan, StudyPlan, Turns};
use model::trial::TrialRecord;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::time::Duration;
use toy::{plan, record};

/// A study that is looked at after six rounds first; three trials a round, of a second each.
fn study(name: &str, warmup_rounds: u32) -> StudyPlan {
    let mut study = toy::study(name, warmup_rounds, 6);
    look_repeatedly(&mut study);
    study
}

/// Runs the rule to its end, a second a trial; returns the records.
fn run(plan: &Plan, budget_s: Option<u64>, judge: &dyn Fn(&str, u32) -> InterimAnswer) -> Vec<TrialRecord> {
    let mut records: Vec<TrialRecord> = Vec::new();
    loop {
        let left = budget_s.map(|budget| Duration::from_secs(budget.saturating_sub(records.len() as u64)));
        let by_name = |plan: &Plan, records: &[TrialRecord], index: usize| {
            let study = &plan.studies[index];
            let of_study = records.iter().filter(|record| record.key.study == study.name);
            let begun = study.rounds_begun(of_study.clone().map(|record| record.key.round));
            // It is called at looks only, when all their rounds are complete.
            assert!(study.looks.contains(&begun), "{}: {begun}", study.name);
            let rounds = (begun + study.warmup_rounds) as usize;
            assert_eq!(of_study.count(), rounds * study.trials_per_round());
            judge(&study.name, begun)
        };
        let Some(due) = by_looks(plan, &records, left, &by_name) else { return records };
        records.push(TrialRecord { position: due.position, ..record(due.key, 1.0) });
        assert!(records.len() < 10_000, "the rule does not end");
    }
}

fn rounds(plan: &Plan, records: &[TrialRecord]) -> BTreeMap<String, u32> {
    let of = |study: &StudyPlan| {
        let own = records.iter().filter(|record| record.key.study == study.name);
        (study.name.clone(), study.rounds_begun(own.map(|record| record.key.round)))
    };
    plan.studies.iter().map(of).collect()
}

const UNDECIDED: InterimAnswer = InterimAnswer::Undecided { rounds_needed: Some(3), is_control: false };
const HOPELESS: InterimAnswer = InterimAnswer::Undecided { rounds_needed: None, is_control: false };

#[test]
fn looks_come_at_half_as_much_again_twice_and_three_times() {
    assert_eq!(looks_after(6), Some(vec![6, 9, 12, 18]));
    assert_eq!(looks_after(7), Some(vec![7, 11, 14, 21]));
    assert_eq!((looks_after(5), looks_after(u32::MAX)), (None, None));
}

#[test]
fn every_study_has_its_first_look_before_any_has_more() {
    let plan = plan(vec![study("a", 0), study("b", 1), study("c", 0)]);
    let records = run(&plan, None, &|name, begun| match (name, begun) {
        ("b", 6) => UNDECIDED,
        _ => InterimAnswer::Decided,
    });
    assert_eq!(
        rounds(&plan, &records),
        [("a", 6), ("b", 9), ("c", 6)].map(|(n, r)| (n.to_owned(), r)).into()
    );
    let first_extra =
        records.iter().position(|record| record.key.study == "b" && record.key.round > 6).unwrap();
    assert_eq!(first_extra, (6 + 7 + 6) * 3);
}

#[test]
fn what_is_decided_has_no_further_round_and_what_is_not_has_them_all() {
    let plan = plan(vec![study("a", 0), study("b", 0)]);
    let records = run(&plan, None, &|name, _| if name == "a" { UNDECIDED } else { InterimAnswer::Decided });
    assert_eq!(rounds(&plan, &records)["a"], 18);
    assert_eq!(rounds(&plan, &records)["b"], 6);
    let none = run(&plan, None, &|_, _| InterimAnswer::Decided);
    assert_eq!(none.len(), 2 * 6 * 3);
}

#[test]
fn a_study_that_cannot_be_decided_has_only_what_the_others_leave() {
    let plan = plan(vec![study("hopeless", 0), study("a", 0), study("b", 0)]);
    let judge = |name: &str, begun: u32| match name {
        "hopeless" => HOPELESS,
        _ if begun < 9 => UNDECIDED,
        _ => InterimAnswer::Decided,
    };
    // The first looks take 54 s, and three rounds 9 s: time for two of the three that are undecided.
    let records = run(&plan, Some(54 + 18), &judge);
    assert_eq!(
        rounds(&plan, &records),
        [("hopeless", 6), ("a", 9), ("b", 9)].map(|(name, rounds)| (name.to_owned(), rounds)).into()
    );
    assert_eq!(rounds(&plan, &run(&plan, Some(54 + 27), &judge))["hopeless"], 9);
}

/// A proof gave its time to loads under which no change acts.
#[test]
fn a_control_goes_on_after_the_studies_that_it_controls() {
    let plan = plan(vec![study("control", 0), study("acting", 0)]);
    let judge = |name: &str, begun: u32| match begun {
        9.. => InterimAnswer::Decided,
        _ => InterimAnswer::Undecided { rounds_needed: Some(3), is_control: name == "control" },
    };
    // The first looks take 36 s, and three rounds 9 s.
    let records = run(&plan, Some(36 + 9), &judge);
    assert_eq!((rounds(&plan, &records)["control"], rounds(&plan, &records)["acting"]), (6, 9));
    assert_eq!(rounds(&plan, &run(&plan, Some(36 + 18), &judge))["control"], 9);
}

#[test]
fn needing_more_rounds_than_are_left_is_hopeless() {
    let plan = plan(vec![study("far", 0), study("near", 0)]);
    let judge = |name: &str, begun: u32| match name {
        "far" => InterimAnswer::Undecided { rounds_needed: Some(13), is_control: false },
        _ => InterimAnswer::Undecided { rounds_needed: Some(18 - begun), is_control: false },
    };
    // The first looks take 36 s, and what `near` needs as long again.
    let records = run(&plan, Some(36 + 36), &judge);
    assert_eq!((rounds(&plan, &records)["far"], rounds(&plan, &records)["near"]), (6, 18));
}

/// Rounds went to the study that was looked at least, until no study had enough of them.
#[test]
fn the_study_goes_on_that_would_be_decided_soonest_if_the_time_suffices() {
    let plan = plan(vec![study("far", 0), study("near", 0), study("next", 0)]);
    let decided_at = |name: &str| match name {
        "far" => 18,
        "near" => 9,
        _ => 12,
    };
    let judge = |name: &str, begun: u32| match decided_at(name) - begun.min(decided_at(name)) {
        0 => InterimAnswer::Decided,
        needed => InterimAnswer::Undecided { rounds_needed: Some(needed), is_control: false },
    };
    let of = |more_s: u64| {
        let records = run(&plan, Some(54 + more_s), &judge);
        ["far", "near", "next"].map(|name| rounds(&plan, &records)[name])
    };
    assert_eq!(of(9), [6, 9, 6]);
    assert_eq!(of(9 + 18), [6, 9, 12]);
    // The time does not suffice for the last one, which has what is left.
    assert_eq!(of(9 + 18 + 18), [12, 9, 12]);
    assert_eq!(of(9 + 18 + 36), [18, 9, 12]);
}

#[test]
fn the_budget_is_never_exceeded_by_more_than_a_round() {
    for budget_s in 0..130 {
        for studies in [vec![study("a", 0)], vec![study("a", 1), study("b", 0), study("c", 1)]] {
            let plan = plan(studies);
            let records = run(&plan, Some(budget_s), &|_, _| UNDECIDED);
            assert!(records.len() as u64 <= budget_s + 3, "{budget_s}: {}", records.len());
            // And every round that was begun is complete.
            assert_eq!(records.len() % 3, 0);
        }
    }
}

/// A run that is stopped anywhere goes on as if it had not been, because the rule looks at nothing but the records.
#[test]
fn the_rule_is_a_function_of_the_records() {
    let plan = plan(vec![study("a", 0), study("b", 0)]);
    let judge =
        |name: &str, begun: u32| if name == "b" && begun < 12 { UNDECIDED } else { InterimAnswer::Decided };
    let records = run(&plan, None, &judge);
    for stopped in 0..records.len() {
        let so_far = &records[..stopped];
        let due = by_looks(&plan, so_far, None, &|plan, _, index| {
            let begun = rounds(plan, so_far)[&plan.studies[index].name];
            judge(&plan.studies[index].name, begun)
        });
        assert_eq!(due.map(|due| due.key).as_ref(), Some(&records[stopped].key));
    }
}

#[test]
fn without_looks_it_is_the_plain_order() {
    let mut plain = study("a", 1);
    (plain.looks, plain.rounds) = (Vec::new(), 4);
    let plan = plan(vec![plain]);
    let records = run(&plan, None, &|_, _| unreachable!());
    assert_eq!(records.len(), 5 * 3);
    assert_eq!(in_order(&plan, &records, None), None);
}

/// The rounds in turns carried something over: the looks count those after them, and the study is not longer than
/// planned.
#[test]
fn looks_count_the_rounds_after_a_study_left_its_turns() {
    let mut in_turns = study("a", 1);
    in_turns.turns = Turns::Auto;
    in_turns.descriptions.iter_mut().for_each(|description| description.turns.interleavable = true);
    let plan = plan(vec![in_turns]);
    let looks = |left_after: u32| {
        let (mut records, mut looked) = (Vec::new(), Vec::new());
        loop {
            let seen = Cell::new(false);
            let due = by_looks(&plan, &records, None, &|_, _, _| {
                seen.set(true);
                UNDECIDED
            });
            if seen.get() {
                looked.push(records.len() / 3 - 1);
            }
            let Some(due) = due else { return (looked, records.len() / 3 - 1) };
            let round = due.key.round;
            let mut trial = record(due.key, 1.0);
            if round <= left_after {
                trial.ensemble = vec![trial.key.arm(); 3];
            }
            records.push(trial);
        }
    };
    assert_eq!(looks(18), (vec![6, 9, 12], 18));
    assert_eq!(looks(6), (vec![6, 12, 15], 18));
    assert_eq!(looks(9), (vec![6, 9, 15], 18));
}
