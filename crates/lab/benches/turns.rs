//! What turns are worth, by simulation: how often the 95 % interval of a ratio covers the truth, how wide it is, how
//! far the estimate is off, and how often the audit's statistics find that turns carry something over; in turns, and
//! with trials one after another.

#[path = "../tests/it/turns/simulation.rs"]
mod simulation;

use model::plan::Turns;
use simulation::{CarryOver, Cut, Factor, Performance, SERVICE_S, Study};

const STUDIES: u64 = 1000;
/// Three standard errors of a share of 0.95 among these intervals, of which the four of a study hang together.
const SLACK: f64 = 0.02;

fn main() {
    let left = |seconds| Some(CarryOver { by: 4, seconds, slowdown: 1.5 });
    println!(
        "| device | trials | intervals that cover, % | half width, % | largest bias, % | carry-over found, % |"
    );
    println!("|---|---|---|---|---|---|");
    let noisy = Study {
        factor: Factor::Service,
        service_s: SERVICE_S,
        cut: Cut::Whole,
        sigma: 0.2,
        is_quiet: false,
        carry_over: None,
        turns: Turns::Auto,
        blocks: 1,
        reference: 0,
    };
    let alone = Study::ONE_AFTER_ANOTHER;
    let devices = [
        ("drift and a neighbour", noisy, true),
        ("the same, operations of equal length", Study { sigma: 0.01, ..noisy }, true),
        ("quiet", Study { is_quiet: true, ..noisy }, true),
        ("quiet, operations of equal length", Study { sigma: 0.01, is_quiet: true, ..noisy }, true),
        ("drift and a neighbour, open loop", Study { factor: Factor::Arrivals, ..noisy }, true),
        ("an arm slows the next for 32 ms", Study { carry_over: left(0.032), ..noisy }, false),
        ("an arm slows the next within the settle", Study { carry_over: left(0.008), ..noisy }, true),
    ];
    for (device, study, is_honest) in devices {
        row(device, "in turns", &study, is_honest);
        row(device, "one after another", &Study { turns: alone, ..study }, is_honest);
    }
    let device = devices[0].0;
    row(device, "in turns, in 2 blocks", &Study { blocks: 2, ..noisy }, true);
    let through = Study { blocks: 4, reference: 1, ..noisy };
    row(device, "in turns, in 4 blocks, compared through the baseline", &through, true);
    let slow = Study { service_s: 0.02, ..noisy };
    let even = Study { sigma: 0.01, is_quiet: true, ..slow };
    for (device, study) in
        [("drift and a neighbour, operations of 20 ms", slow), ("quiet, of 20 ms each", even)]
    {
        row(device, "in turns", &study, true);
        row(device, "in turns, cut operations by their share", &Study { cut: Cut::Shared, ..study }, true);
    }
}

fn row(device: &str, how: &str, study: &Study, is_honest: bool) {
    let studies = Performance::of(study, 0..STUDIES);
    let largest = studies.biases().into_iter().map(f64::abs).fold(0.0, f64::max);
    let alarms = f64::from(studies.alarms) / STUDIES as f64;
    let found = if study.turns == Turns::Auto { format!("{:.1}", 100.0 * alarms) } else { String::new() };
    println!(
        "| {device} | {how} | {:.1} | {:.2} | {:.2} | {found} |",
        100.0 * studies.coverage(),
        100.0 * studies.half_width(),
        100.0 * largest
    );
    assert!(!is_honest || studies.coverage() >= 0.95 - SLACK, "{:?}", studies.covering);
}
