//! What the loads of a proof need of the machine and of the budget.

use crate::budget::time_for_trials;
use crate::dry_run::Sizes;
use crate::premises::room_needed_bytes;
use lab::capacity::{Machine, lacking_alone, memory_needed_bytes};
use lab::minimum::{Minimum, minimum};
use model::description::Direction;
use model::plan::StudyPlan;
use model::units::format_bytes_approximate;
use proof::Obstacle;
use std::path::Path;
use std::time::Duration;

/// Tables of up to this size are part of what every trial takes.
const SMALL_TABLES_BYTES: u64 = 400 << 20;
/// Bytes of tables and indexes that a server makes of rows in a second.
const LOADED_BYTES_PER_S: f64 = 60e6;
/// Bytes that are copied, and written out before a trial, in a second.
const COPIED_BYTES_PER_S: f64 = 200e6;

/// What loading larger tables, and copying them for the rounds of a first look, takes more than that of small ones,
/// seconds. A trial that only reads gives its copy back to the next one.
pub(super) fn tables_s(plan: &StudyPlan, first: &Minimum) -> f64 {
    let writes = plan.descriptions.iter().any(|description| description.stream(Direction::Write).is_some());
    let copies = if writes { first.trials } else { plan.trials_per_round() };
    let more = tables_bytes(plan).saturating_sub(SMALL_TABLES_BYTES) as f64;
    more / LOADED_BYTES_PER_S + more * copies as f64 / COPIED_BYTES_PER_S
}

fn tables_bytes(plan: &StudyPlan) -> u64 {
    plan.descriptions.iter().filter_map(|description| description.data_bytes).max().unwrap_or(0)
}

/// Why a load cannot be measured here: the machine or the budget does not have what it needs.
pub(super) fn obstacle(plan: &StudyPlan, machine: Machine, budget: Duration) -> Option<Obstacle> {
    if let Some(shortage) = lacking_alone(plan, machine) {
        return Some(Obstacle::Shortage(shortage));
    }
    let needed_s = tables_s(plan, &minimum(plan));
    (needed_s > time_for_trials(budget).as_secs_f64()).then(|| Obstacle::Time {
        tables_bytes: tables_bytes(plan),
        needed_s: needed_s.ceil() as u64,
        budget_s: budget.as_secs(),
    })
}

/// The room and the memory that stages with these studies need at most, and their largest tables: a line.
pub(super) fn text(stages: &[Vec<StudyPlan>], machine: Machine, directory: &Path) -> String {
    let size = |bytes: u64| format_bytes_approximate(bytes as f64);
    let room = stages.iter().map(|plans| room_needed_bytes(plans)).max().unwrap_or(0);
    let plans = || stages.iter().flatten();
    let memory = plans().map(memory_needed_bytes).max().unwrap_or(0);
    let has = machine.memory_bytes.map_or_else(String::new, |bytes| format!(" (available: {})", size(bytes)));
    let largest = plans().max_by_key(|plan| tables_bytes(plan)).map_or_else(String::new, |plan| {
        format!("; most data: {} for {} ({})", size(tables_bytes(plan)), plan.name, Sizes::of(plan).text())
    });
    format!(
        "needs at most {} of room in {} (available: {}) and {} of memory{has}{largest}",
        size(room),
        directory.display(),
        size(machine.room_bytes),
        size(memory)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use lab::plan::{Overrides, resolve};
    use model::plan::{Resource, Shortage, Turns};
    use model::units::GIB;
    use proof::Design;

    const MACHINE: Machine =
        Machine { memory_bytes: Some(64 * GIB), locked_bytes: None, room_bytes: 256 * GIB, open_files: None };
    const BUDGET: Duration = Duration::from_mins(10);

    /// The plans of `queries`, which only reads, and of `tpcb_like`, if what runs now has these `shared_buffers`.
    fn plans(shared_buffers: &str) -> [StudyPlan; 2] {
        let changes = [("random_page_cost", "1.1"), ("huge_pages", "on")];
        let changes = changes.map(|(name, value)| serde_json::json!({ "name": name, "value": value }));
        let design = serde_json::json!({
            "format_version": 1, "program_version": "", "created_at": "", "database": "postgresql",
            "current": { "settings": { "shared_buffers": shared_buffers } }, "asked": { "changes": changes },
            "budget_s": BUDGET.as_secs(), "runtime_s": 2.0, "seed": 1,
        });
        let design = Design::parse(design.to_string().as_bytes()).unwrap();
        let stage = proof::next(&design, &[]).unwrap();
        let overrides = Overrides { turns: Turns::Auto, ..Overrides::default() };
        let studies = stage
            .studies(&design)
            .into_iter()
            .map(|study| resolve(&study, workload::schema(&study.workload).unwrap(), &overrides).unwrap());
        studies.collect::<Vec<_>>().try_into().unwrap()
    }

    #[test]
    fn large_tables_take_time_and_more_of_it_if_every_trial_changes_them() {
        let seconds = |plan: &StudyPlan| tables_s(plan, &minimum(plan));
        assert!(plans("128MB").iter().all(|plan| seconds(plan) <= 0.0));
        let [small, large] = ["2GB", "4GB"].map(|size| plans(size).each_ref().map(seconds));
        assert!(0.0 < small[0] && small[0] < small[1], "{small:?}");
        assert!(small[0] < large[0] && small[1] < large[1], "{small:?} {large:?}");
    }

    #[test]
    fn what_a_load_lacks_is_named_and_a_machine_that_has_it_is_not() {
        let lacks = |shared_buffers: &str, machine: Machine, budget: Duration| {
            obstacle(&plans(shared_buffers)[1], machine, budget)
        };
        assert_eq!(lacks("128MB", MACHINE, BUDGET), None);
        assert_eq!(lacks("8GB", MACHINE, Duration::from_hours(2)), None);
        let Some(Obstacle::Time { tables_bytes, needed_s, budget_s: 600 }) = lacks("8GB", MACHINE, BUDGET)
        else {
            panic!("ten minutes hold no six rounds of copies of 9 GiB")
        };
        assert!(tables_bytes > 8 * GIB && needed_s > 600);
        let short = |found: Option<Obstacle>| match found {
            Some(Obstacle::Shortage(Shortage { short, needed, available })) if needed > available => short,
            other => panic!("{other:?}"),
        };
        let without_memory = Machine { memory_bytes: Some(8 * GIB), ..MACHINE };
        assert_eq!(short(lacks("8GB", without_memory, Duration::from_hours(2))), Resource::Memory);
        let without_room = Machine { room_bytes: 20 * GIB, ..MACHINE };
        assert_eq!(short(lacks("8GB", without_room, Duration::from_hours(2))), Resource::Room);
        assert_eq!(lacks("128MB", without_room, BUDGET), None);
    }
}
