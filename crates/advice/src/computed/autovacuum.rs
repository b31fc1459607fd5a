//! How fast autovacuum may work: a disk without moving parts takes more than PostgreSQL's default.
//!
//! The cost of a page that VACUUM makes dirty is 20 (`vacuum_cost_page_dirty`), so a limit of 200 for each 2 ms is 5000
//! pages of 8 KiB a second.

use super::formula::{Formula, Found, Machine, Missing};
use super::server::ServerCounters;
use crate::takes_effect::TakesEffect;
use model::units::{KIB, format_bytes_approximate};

const PAGE_BYTES: u64 = 8 * KIB;
const COST_PAGE_DIRTY: u64 = 20;
const DELAYS_PER_S: u64 = 500;
const LIMIT_DEFAULT: u64 = 200;
const LIMIT_NOT_ROTATING: u64 = 1000;

pub(super) const COST_LIMIT: Formula = Formula {
    name: "autovacuum_vacuum_cost_limit",
    found: cost_limit,
    takes_effect: TakesEffect::Reload,
    manual: "https://www.postgresql.org/docs/18/runtime-config-vacuum.html#GUC-AUTOVACUUM-VACUUM-COST-LIMIT",
    source: "the manual has the costs and no figure for a disk; five times the default on a disk that does not \
             rotate is Syncline's choice",
    requires: "autovacuum_vacuum_cost_delay = 2ms",
    risk: "autovacuum takes more of the disk from queries; all workers share the limit",
    is_provable: false,
};

pub(super) const COST_DELAY: Formula = Formula {
    name: "autovacuum_vacuum_cost_delay",
    found: cost_delay,
    takes_effect: TakesEffect::Reload,
    manual: "https://www.postgresql.org/docs/18/runtime-config-vacuum.html#GUC-AUTOVACUUM-VACUUM-COST-DELAY",
    source: "the manual advises to raise the limit and keep the delay small",
    requires: "",
    risk: "none: autovacuum pauses as often as by default",
    is_provable: false,
};

/// Bytes of pages a second that autovacuum may make dirty.
const fn dirty_bytes_per_s(limit: u64) -> u64 {
    limit * DELAYS_PER_S / COST_PAGE_DIRTY * PAGE_BYTES
}

fn cost_limit(machine: Machine, _: Option<&ServerCounters>) -> Found {
    let (limit, disk) = if machine.rotates.ok_or(Missing::Rotation)? {
        (
            LIMIT_DEFAULT,
            "the disk reports that it rotates, as virtual disks may without cause, so it stays as by default",
        )
    } else {
        (LIMIT_NOT_ROTATING, "the disk does not rotate, so 5 × the default of 200")
    };
    let rate = format_bytes_approximate(dirty_bytes_per_s(limit) as f64);
    let formula = format!(
        "{disk}: {limit} every 2 ms ÷ {COST_PAGE_DIRTY} for a dirtied page of 8 KiB = at most {rate}/s of dirtied pages"
    );
    Ok((limit.to_string(), formula))
}

#[expect(clippy::unnecessary_wraps, reason = "every formula has this type")]
fn cost_delay(_: Machine, _: Option<&ServerCounters>) -> Found {
    Ok(("2ms".to_owned(), "the default since PostgreSQL 12: keep it".to_owned()))
}
