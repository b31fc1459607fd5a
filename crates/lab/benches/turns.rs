//! Turns, proven at length.

#[path = "../tests/it/turns/simulation.rs"]
mod simulation;

use model::plan::Turns;
use simulation::{Factor, Performance, Study};

const RATIOS: [f64; 4] = [1.0, 1.05, 1.2, 2.0];

fn main() {
    for (factor, sigma, is_quiet) in [
        (Factor::Service, 0.2, false),
        (Factor::Service, 0.01, false),
        (Factor::Service, 0.2, true),
        (Factor::Service, 0.01, true),
        (Factor::Arrivals, 0.2, false),
    ] {
        for turns in [Turns::Auto, Study::ONE_AFTER_ANOTHER] {
            let study = Study { factor, ratios: &RATIOS, sigma, is_quiet, carry_over: None, turns };
            let began = std::time::Instant::now();
            let all = Performance::of(&study, 0..500);
            println!(
                "{factor:?} {sigma} {is_quiet} {turns:?}: {:?} {:.3} half width {:.4} biases {:.4?} {:?}",
                all.covering,
                all.coverage(),
                all.half_width(),
                all.biases(),
                began.elapsed()
            );
        }
    }
}
