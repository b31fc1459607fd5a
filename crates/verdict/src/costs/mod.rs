//! What the operations of a study on an object store cost by a price table: from the requests that were sent and the
//! bytes that came.
//!
//! Each trial has a cost of its own, as it has a rate of its own, and n counts trials. A price is a number of a date,
//! not a measurement: the interval holds what trials differ by, and nothing of prices.

mod prices;

pub use prices::Prices;

use crate::estimate;
use crate::verdict::{Cell, Cost, StoreCost};
use prices::Taken;

const WRITES: &str = "write_requests_per_operation";
const LISTS: &str = "list_requests_per_operation";
const READS: &str = "read_requests_per_operation";
const DELETES: &str = "delete_requests_per_operation";
const OPERATIONS: &str = "object_operations_per_s";
const BYTES_OUT: &str = "object_read_bytes_per_s";
const SECONDS_PER_HOUR: f64 = 3600.0;

/// What a trial took and how fast it was.
struct Trial {
    taken: Taken,
    deletes: f64,
    operations_per_s: f64,
}

/// One line for each configuration whose trials counted requests; none for files.
pub(crate) fn costs(cells: &[Cell]) -> Vec<Cost> {
    let stores = prices::stores();
    cells.iter().filter_map(|cell| cost(cell, &stores)).collect()
}

fn cost(cell: &Cell, stores: &[Prices]) -> Option<Cost> {
    let trials = trials(cell);
    if trials.is_empty() {
        return None;
    }
    let mean = |of: &dyn Fn(&Trial) -> f64| estimate::mean(&trials.iter().map(of).collect::<Vec<f64>>());
    let of_store = |store: &Prices| {
        let within = |trial: &Trial| store.usd_per_million_within(trial.taken);
        StoreCost {
            store: store.name.clone(),
            usd_per_million: mean(&within),
            usd_per_million_to_internet: mean(&|trial| store.usd_per_million_to_internet(trial.taken)),
            usd_per_hour: mean(&|trial| within(trial) / 1e6 * trial.operations_per_s * SECONDS_PER_HOUR),
        }
    };
    Some(Cost {
        configuration: cell.configuration,
        label: cell.label.clone(),
        writes: mean(&|trial| trial.taken.writes),
        lists: mean(&|trial| trial.taken.lists),
        reads: mean(&|trial| trial.taken.reads),
        deletes: mean(&|trial| trial.deletes),
        bytes_out: mean(&|trial| trial.taken.bytes_out),
        by_store: stores.iter().map(of_store).collect(),
    })
}

/// The trials of a configuration that have all of these figures. A cell has the values of its metrics in one order.
fn trials(cell: &Cell) -> Vec<Trial> {
    let values = |metric: &str| cell.figures.get(metric).map(|figure| figure.values.as_slice());
    let value = |metric: &str, place: usize| values(metric)?.get(place)?.1;
    let trial = |place: usize| {
        let operations_per_s = value(OPERATIONS, place).filter(|rate| *rate > 0.0)?;
        Some(Trial {
            taken: Taken {
                writes: value(WRITES, place)?,
                lists: value(LISTS, place)?,
                reads: value(READS, place)?,
                bytes_out: value(BYTES_OUT, place)? / operations_per_s,
            },
            deletes: value(DELETES, place)?,
            operations_per_s,
        })
    };
    (0..values(WRITES).map_or(0, <[_]>::len)).filter_map(trial).collect()
}

/// The prices behind the costs of a study.
pub(crate) fn prices_of(costs: &[Cost]) -> Vec<Prices> {
    let is_used = |store: &Prices| {
        costs.iter().flat_map(|cost| &cost.by_store).any(|of_store| of_store.store == store.name)
    };
    prices::stores().into_iter().filter(is_used).collect()
}
