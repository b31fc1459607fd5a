//! What a study takes at minimum, before its first trial.

use crate::toy;

use lab::interim::look_repeatedly;
use lab::minimum::{minimum, planned};
use model::description::Duration;
use model::plan::StudyPlan;

/// Two configurations and the A/A arm, each of a second.
fn study(warmup_rounds: u32, rounds: u32, change: impl Fn(&mut Duration)) -> StudyPlan {
    let mut study = toy::study("toy", warmup_rounds, rounds);
    for description in &mut study.descriptions {
        description.duration = Duration { phase_s: 1.0, phases: 1, ..Duration::default() };
        change(&mut description.duration);
    }
    study
}

fn nothing(_: &mut Duration) {}

#[test]
fn warm_up_rounds_and_as_many_as_an_interval_needs_are_the_least() {
    let mut study = study(1, 6, nothing);
    let found = minimum(&study);
    assert_eq!((found.rounds, found.trials), (6, 21));
    assert!((found.seconds - 21.0).abs() < 1e-9, "{found:?}");
    look_repeatedly(&mut study);
    assert_eq!(minimum(&study), found, "further looks take what time is left");
    let longer = self::study(1, 30, nothing);
    assert_eq!(minimum(&longer), found, "thirty rounds are begun as far as they fit");
    let few = minimum(&self::study(0, 2, nothing));
    assert_eq!((few.rounds, few.trials), (2, 6), "nobody asked for an interval");
}

#[test]
fn what_is_not_known_before_it_begins_takes_no_time() {
    let counted = study(0, 6, |duration| {
        duration.operations = 40;
        duration.ramp_s = 0.5;
    });
    assert!((minimum(&counted).seconds - 9.0).abs() < 1e-9, "{:?}", minimum(&counted));
}

#[test]
fn what_is_to_become_steady_takes_five_intervals_at_least() {
    let steady = study(1, 6, |duration| {
        duration.steady_min_s = 300.0;
        duration.steady_max_s = 1800.0;
    });
    let found = planned(&steady);
    assert_eq!(found.trials, 21);
    assert!((found.seconds_min - 21.0 * 301.0).abs() < 1e-9, "{found:?}");
    assert!((found.seconds_max - 21.0 * 1801.0).abs() < 1e-9, "{found:?}");
    assert!((minimum(&steady).seconds - found.seconds_min).abs() < 1e-9);
    let plain = planned(&study(1, 6, nothing));
    assert!((plain.seconds_max - plain.seconds_min).abs() < 1e-9, "{plain:?}");
}

/// A budget of eight minutes held one warm-up round of `commit --profile seed`, and no trial was analysed.
#[test]
fn what_a_profile_states_is_the_least_that_is_sure_to_suffice() {
    let mut stated = study(1, 6, |duration| duration.loaded = 1);
    assert_eq!((planned(&stated).trials_counted, planned(&stated).seconds_stated), (21, None));
    stated.round_s_stated = Some(60.0);
    assert!((minimum(&stated).seconds - 420.0).abs() < 1e-9);
    assert_eq!(planned(&stated).seconds_stated, Some(420.0));
    stated.round_s_stated = Some(2.0);
    assert!(
        (minimum(&stated).seconds - 21.0).abs() < 1e-9,
        "what is timed takes its time whatever is stated"
    );
}

/// A trial of twenty operations or a second was planned to last "until their operations are done".
#[test]
fn a_time_bounds_what_a_count_may_end() {
    let both = planned(&study(1, 6, |duration| duration.operations = 20));
    assert_eq!((both.trials_counted, both.seconds_min), (0, 0.0));
    assert!((both.seconds_max - 21.0).abs() < 1e-9, "{both:?}");
}
