//! A parameter that was set differently is refused by name, and compared if the user allows it.

use super::{later, of, rows, scattered};
use crate::compare::{Lone, Refusal};
use model::Value;
use model::run::Run;
use synthetic::name;

fn refusal(a: &Run, b: &Run, allowed: &[&str]) -> String {
    of(a, b, allowed).unwrap_err().to_string()
}

#[test]
fn a_run_is_not_compared_with_itself() {
    let run = scattered(1).run();
    assert_eq!(
        refusal(&run, &run, &[]),
        "A and B are the same run, started at 2026-11-21T10:00:00Z: give two runs"
    );
}

#[test]
fn a_fixed_parameter_is_named_and_can_be_allowed() {
    let a = scattered(1).run();
    let b = later(scattered(2).fix("page_size", Value::Bytes(8192)).fix("sync", name("fsync")).run());
    assert_eq!(
        refusal(&a, &b, &[]),
        "the runs differ in more than their surroundings: commit: page_size is 4KiB in A and 8KiB in B, commit: sync is \
         fdatasync in A and fsync in B"
    );
    assert_eq!(of(&a, &b, &[]).unwrap_err().knobs(), ["page_size", "sync"]);
    assert_eq!(of(&a, &b, &["sync"]).unwrap_err().knobs(), ["page_size"]);
    let comparison = of(&a, &b, &["sync", "page_size"]).unwrap();
    assert_eq!(comparison.knobs.len(), 2);
    assert_eq!(rows(&comparison).len(), 5);
}

#[test]
fn a_name_to_allow_must_exist() {
    let (a, b) = (scattered(1).run(), later(scattered(2).run()));
    assert_eq!(
        refusal(&a, &b, &["page_sice"]),
        "unknown parameter \"page_sice\"; did you mean \"page_size\"?"
    );
}

#[test]
fn levels_that_one_run_lacks_are_left_out_and_said() {
    let a = scattered(1).vary("group_size", vec![Value::Count(1), Value::Count(8)]).run();
    let comparison = of(&a, &later(scattered(2).run()), &[]).unwrap();
    assert_eq!(rows(&comparison).len(), 3, "two configurations and both together");
    assert_eq!(
        comparison.studies[0].left_out,
        [('A', 8), ('B', 4)].map(|(side, size)| Lone {
            side,
            names: ["buffered", "direct"].map(|mode| format!("mode={mode} group_size={size}")).to_vec(),
        })
    );
}

#[test]
fn a_factor_of_one_run_may_be_fixed_in_the_other() {
    let a = scattered(1).vary("group_size", vec![Value::Count(4)]).run();
    let mut b = later(scattered(2).vary("group_size", vec![Value::Count(4)]).run());
    b.plan.studies[0].factors.retain(|factor| factor.name == "mode");
    let comparison = of(&a, &b, &[]).unwrap();
    assert_eq!(rows(&comparison)[0].configuration.as_deref(), Some("mode=buffered group_size=4"));
}

#[test]
fn a_factor_may_be_what_is_compared() {
    let a = scattered(1).vary("mode", vec![name("buffered")]).run();
    let b = later(scattered(2).vary("mode", vec![name("direct")]).run());
    assert!(refusal(&a, &b, &[]).starts_with(
        "study commit has no configuration in both runs: A has mode=buffered group_size=1, mode=buffered group_size=4, B has \
         mode=direct"
    ));
    let comparison = of(&a, &b, &["mode"]).unwrap();
    assert_eq!(rows(&comparison)[0].configuration.as_deref(), Some("group_size=1"));
    assert_eq!(comparison.knobs[0].what, "commit: mode");
    // Both modes in one run are ambiguous.
    let both = later(scattered(2).run());
    insta::assert_snapshot!(refusal(&a, &both, &["mode"]), @"study commit: with what is allowed to differ, mode=buffered group_size=1 and mode=direct group_size=1 of B are the same configuration");
}

#[test]
fn studies_of_other_name_or_workload_have_nothing_in_common() {
    let a = scattered(1).run();
    let mut b = later(scattered(2).run());
    b.plan.studies[0].workload = "append".to_owned();
    let Err(Refusal::NothingInCommon(why)) = of(&a, &b, &[]) else { panic!("they have something in common") };
    insta::assert_snapshot!(why, @"study commit runs the workload commit in A and append in B: nothing in them can be compared");
    b.plan.studies[0].name = "append".to_owned();
    assert_eq!(refusal(&a, &b, &[]), "the runs have no study in common: A has commit, B has append");
}

/// A run of a version without the parameter read into huge pages, so it differs from one with small pages.
#[test]
fn buffers_of_a_run_that_did_not_choose_their_pages_are_not_taken_for_small_ones() {
    let old = scattered(1).without("buffer_pages").run();
    for level in ["small", "huge"] {
        let new = later(scattered(2).fix("buffer_pages", name(level)).run());
        assert_eq!(of(&old, &new, &[]).unwrap_err().knobs(), ["buffer_pages"]);
        let comparison = of(&old, &new, &["buffer_pages"]).unwrap();
        let [knob] = &comparison.knobs[..] else { panic!("{:?}", comparison.knobs) };
        assert_eq!((knob.what.as_str(), knob.b.as_str()), ("commit: buffer_pages", level));
        assert_eq!(
            knob.a,
            "not recorded (huge if the version asked for huge pages, else what the kernel gives)"
        );
    }
}
