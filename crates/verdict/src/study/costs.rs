//! What the operations of a study cost on object stores, as tables, with what that holds for.

use super::estimated::{cell, name, note};
use crate::costs::{Prices, prices_of};
use crate::estimate::Estimate;
use crate::verdict::{Cost, StoreCost, StudyVerdict};
use model::metric::Unit;
use page::{Block, Column, Details, Item, List, Section, Table};

const HEADING: &str = "Costs";
const COUNTED: &str = "The client counted the requests below its own repetitions, so a repeated request counts as often \
    as it was sent. A put in parts is its begin, its parts and its end.";
const REQUIRES: &str = "The costs are those of these requests and bytes at list prices, without free allowances, \
    discounts, taxes and storage. Another store may refuse more of the requests, and repeated requests cost as much as \
    others.";

/// `None` if nothing was requested of a store.
pub(super) fn part(study: &StudyVerdict) -> Option<Section> {
    let costs = &study.costs;
    if costs.is_empty() {
        return None;
    }
    let stores = prices_of(costs);
    let blocks = vec![
        Block::Table(requests(costs)),
        Block::note(format!("{COUNTED} {}", note(costs.iter().flat_map(per_operation)))),
        Block::Table(by_store(
            "US dollars for a million operations, bytes stay near the store",
            costs,
            |of| &of.usd_per_million,
        )),
        Block::Table(by_store(
            "US dollars for a million operations, bytes go to the internet",
            costs,
            |of| &of.usd_per_million_to_internet,
        )),
        Block::Table(by_store(
            "US dollars for an hour at the measured rate, bytes stay near the store",
            costs,
            |of| &of.usd_per_hour,
        )),
        Block::note(format!("{REQUIRES} The prices were read on {}.", dates(&stores))),
        Block::Details(Details {
            summary: "Prices and their sources".into(),
            blocks: vec![Block::List(List::of(stores.iter().map(price).collect()))],
        }),
    ];
    Some(Section::new("", HEADING, blocks).folded("requests and bytes by a price table"))
}

fn per_operation(cost: &Cost) -> [&Estimate; 5] {
    [&cost.writes, &cost.lists, &cost.reads, &cost.deletes, &cost.bytes_out]
}

fn requests(costs: &[Cost]) -> Table {
    let headings = [
        "writes per operation",
        "lists per operation",
        "reads per operation",
        "deletes per operation",
        "bytes out per operation",
    ];
    let columns = headings.map(|heading| Column::Figures(heading.into()));
    let columns = [Column::Words("configuration".into())].into_iter().chain(columns).collect();
    let mut table = Table::new("Requests and bytes per operation", columns);
    for cost in costs {
        let [counts @ .., bytes_out] = per_operation(cost);
        let mut row = vec![name(&cost.label)];
        row.extend(counts.map(|count| cell(&mut table, count, Unit::Count)));
        row.push(cell(&mut table, bytes_out, Unit::Bytes));
        table.row(row);
    }
    table
}

fn by_store(title: &str, costs: &[Cost], usd: impl Fn(&StoreCost) -> &Estimate) -> Table {
    let names = costs.first().map(|cost| cost.by_store.as_slice()).unwrap_or_default();
    let names = names.iter().map(|of| Column::Figures(of.store.as_str().into()));
    let mut table = Table::new(title, [Column::Words(title.into())].into_iter().chain(names).collect());
    for cost in costs {
        let mut row = vec![name(&cost.label)];
        for of in &cost.by_store {
            let usd = cell(&mut table, usd(of), Unit::Count);
            row.push(usd);
        }
        table.row(row);
    }
    table
}

/// The days on which the prices were read.
fn dates(stores: &[Prices]) -> String {
    let mut dates: Vec<&str> = stores.iter().map(|store| store.read_on.as_str()).collect();
    dates.sort_unstable();
    dates.dedup();
    dates.join(", ")
}

/// `AWS S3: Standard, us-east-1: …`.
fn price(store: &Prices) -> Item {
    let secondary = if store.is_secondary { ", a secondary source" } else { "" };
    Item::labelled(
        store.name.as_str(),
        format!(
            "{}: {} $ for a million writes, {} $ for a million lists, {} $ for a million reads, nothing for deletes; \
             a GB of {} bytes costs {} $ {}, and {} $ to the internet ({}{secondary}, read on {})",
            store.tier,
            store.usd_per_million_writes,
            store.usd_per_million_lists,
            store.usd_per_million_reads,
            store.gb_bytes,
            store.usd_per_gb_within,
            store.within,
            store.usd_per_gb_to_internet,
            store.source,
            store.read_on
        ),
    )
}
