//! All requests of the disks.

use super::cells::{NONE, latency, share, sizes};
use crate::observation::{DeviceFigures, Observation};
use model::figure::{percent, round, round_figure};
use model::metric::Unit;
use page::{Block, Cell, Column, Section, Table};

pub(super) fn section(seen: &Observation) -> Option<Section> {
    let devices = &seen.devices;
    if devices.is_empty() {
        return None;
    }
    let columns = vec![
        Column::Words("disk".into()),
        Column::Words("requests".into()),
        Column::Figures("per s".into()),
        Column::Figures("bandwidth".into()),
        Column::Words("sizes".into()),
        Column::Figures("sequential".into()),
        Column::Figures("in flight".into()),
        Column::Figures("busy".into()),
        Column::Figures("p50 µs".into()),
        Column::Figures("p99 µs".into()),
        Column::Figures("max µs".into()),
    ];
    let mut table = Table::new("requests of the disks", columns).with_keys(2);
    for of in devices {
        table.row(cells(of));
    }
    let note = "All requests of the disk, also of other programs, from the driver to their completion.";
    let windows =
        "Rates and bandwidths are the kernel's counts of the whole time. The rest is of the windows.";
    let windows = seen.is_sampled().then(|| Block::note(windows));
    let blocks = [Block::Table(table), Block::note(note)].into_iter().chain(windows).collect();
    Some(Section::new("devices", "The disk", blocks))
}

fn cells(of: &DeviceFigures) -> Vec<Cell> {
    let [p50, p99, max] = latency(of.latency.as_ref());
    let has_bytes = of.bytes_per_s > 0.0;
    let or_none = |text: String| if has_bytes { text } else { NONE.to_owned() };
    vec![
        Cell::of(of.disk.as_str()),
        Cell::of(of.requests.as_str()),
        Cell::of(round(of.requests_per_s)),
        Cell::of(or_none(round_figure(of.bytes_per_s, Unit::BytesPerSecond))),
        Cell::of(or_none(sizes(&of.sizes))),
        Cell::of(share(of.sequential_share)),
        Cell::of(round(of.depth_by_littles_law)),
        Cell::of(percent(of.busy_share)),
        Cell::of(p50),
        Cell::of(p99),
        Cell::of(max),
    ]
}
