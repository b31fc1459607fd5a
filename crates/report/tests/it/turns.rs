//! The configurations that take turns by a plan, and the option that lets a run take them in the same way.

use crate::fixture::specimen;
use model::Description;
use model::description::Interleaving;
use model::plan::{Blocks, Resource, Shortage, StudyPlan, Turns};
use verdict::turns;

/// A plan of which every configuration can take turns but the second.
fn plan(turns: Turns) -> StudyPlan {
    let (run, _) = specimen(6);
    let mut plan = run.plan.studies[0].clone();
    let can = |index: usize| Description { turns: Interleaving::of(index != 1), ..Description::default() };
    plan.descriptions = (0..plan.configurations.len()).map(can).collect();
    plan.turns = turns;
    plan
}

#[test]
fn a_plan_says_who_takes_turns_and_why_not() {
    let mut mixed = plan(Turns::Every(0.025));
    let alone = mixed.label(1);
    assert_eq!(turns::planned(&mixed), format!("in turns of 25 ms; one after another: {alone}"));
    mixed.descriptions[1].turns.interleavable = true;
    mixed.turns = Turns::Auto;
    assert_eq!(turns::planned(&mixed), "in turns as long as a pilot finds");
    mixed.descriptions.iter_mut().for_each(|description| description.turns.interleavable = false);
    assert_eq!(
        turns::planned(&mixed),
        "one after another: its trials leave work behind, or are compared with some that do"
    );
    let shortage = Shortage { short: Resource::Memory, needed: 3 << 30, available: 1 << 30 };
    let small = plan(Turns::DoNotFit(shortage));
    let why = "one after another: to take turns they need 3.00 GiB of memory and have 1.00 GiB";
    assert_eq!(turns::planned(&small), why);
    assert_eq!(turns::planned(&plan(Turns::Off)), "one after another");
    let mut divided = plan(Turns::Auto);
    divided.descriptions[1].turns.interleavable = true;
    divided.blocks = Some(Blocks { count: 2, shortage });
    assert_eq!(
        turns::planned(&divided),
        "in turns as long as a pilot finds, in 2 blocks a round: together they need 3.00 GiB of memory and have 1.00 GiB"
    );
    let files = Shortage { short: Resource::OpenFiles, needed: 94, available: 70 };
    divided.blocks = Some(Blocks { count: 3, shortage: files });
    assert_eq!(
        turns::planned(&divided),
        "in turns as long as a pilot finds, in 3 blocks a round: together they need 94 open files and have 70"
    );
}

#[test]
fn only_what_is_not_the_default_is_an_option() {
    assert_eq!(turns::option(&plan(Turns::Auto)), None);
    assert_eq!(turns::option(&plan(Turns::Off)).as_deref(), Some("off"));
    assert_eq!(turns::option(&plan(Turns::Every(0.035))).as_deref(), Some("35ms"));
}
