//! The table of costs in README is what a dry run prints on a machine that has what the studies need.

use super::*;
use crate::studies::{self, CHECK, CHECK_PROFILE};
use lab::capacity::{Machine, take_turns_where_they_fit};
use lab::plan::{Overrides, resolve};
use model::units::GIB;

/// Memory and room for the trials of each round together.
const MACHINE: Machine =
    Machine { memory_bytes: Some(64 * GIB), locked_bytes: None, room_bytes: 256 * GIB, open_files: None };

/// Studies as a command plans them, with six rounds of each.
pub(super) fn plans(names: &[&str], profile: &str) -> Vec<StudyPlan> {
    let plan = |name: &&str| {
        let study = studies::find(name).unwrap();
        let profile = Some(profile.to_owned());
        let overrides = Overrides { profile, turns: Turns::Auto, ..Overrides::default() };
        resolve(&study, workload::schema(&study.workload).unwrap(), &overrides).unwrap()
    };
    let mut plans: Vec<StudyPlan> = names.iter().map(plan).collect();
    take_turns_where_they_fit(&mut plans, MACHINE);
    plans
}

/// `| \`syncline run commit\` | 59 s | … |`
fn row(command: &str, plans: &[StudyPlan]) -> String {
    let total = total(plans.iter());
    let reads = moved(&[("by a count", total.counted_read_bytes)], total.timed_reading_s);
    let writes = moved(
        &[("to make files", total.files_written_bytes), ("by a count", total.counted_written_bytes)],
        total.timed_writing_s,
    );
    let room = format_bytes_approximate(room_needed_bytes(plans) as f64);
    let measuring = measuring(&total);
    format!("| `{command}` | {measuring} | {reads} | {writes} | {room} |")
}

/// README had 60 s, 3.8 GiB read and 1.9 GiB written for `run commit`, which took 93 s, 6.5 and 9.3 GiB. It had at most
/// 4 GiB of room, and dry runs print up to 19.
#[test]
fn the_readme_has_the_costs_that_dry_runs_print() {
    let readme = include_str!("../../../../README.md");
    let quick: Vec<StudyPlan> =
        studies::all().unwrap().iter().flat_map(|study| plans(&[study.name.as_str()], "quick")).collect();
    let room = |plan: &StudyPlan| room_needed_bytes(std::slice::from_ref(plan));
    let largest = quick.iter().max_by_key(|plan| room(plan)).unwrap();
    let expected = [
        row("syncline check", &plans(&CHECK, CHECK_PROFILE)),
        row("syncline run commit", &plans(&["commit"], "quick")),
        row("syncline run", &plans(studies::ANSWER, studies::ANSWER_PROFILE)),
        format!(
            "The largest study, `{}`, needs {} in its usual profile",
            largest.name,
            format_bytes_approximate(room(largest) as f64)
        ),
    ];
    let missing: Vec<&String> = expected.iter().filter(|text| !readme.contains(text.as_str())).collect();
    assert!(
        missing.is_empty(),
        "README lacks:\n{}",
        missing.iter().map(|text| text.as_str()).collect::<Vec<_>>().join("\n")
    );
}
