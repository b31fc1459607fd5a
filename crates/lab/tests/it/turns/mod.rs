//! Turns, proven: intervals cover the truth and are far narrower than those of trials one after another on the same device.

mod simulation;

use model::plan::Turns;
use simulation::{Factor, Performance, Study};

const RATIOS: [f64; 4] = [1.0, 1.05, 1.2, 2.0];

#[test]
fn explore() {
    for (factor, sigma, turns) in [
        (Factor::Service, 0.2, Turns::Auto),
        (Factor::Service, 0.2, Study::ONE_AFTER_ANOTHER),
        (Factor::Service, 0.01, Turns::Auto),
        (Factor::Arrivals, 0.2, Turns::Auto),
        (Factor::Arrivals, 0.2, Study::ONE_AFTER_ANOTHER),
    ] {
        let study = Study { factor, ratios: &RATIOS, sigma, is_quiet: false, carry_over: None, turns };
        let began = std::time::Instant::now();
        let all = Performance::of(&study, 0..20);
        println!(
            "{factor:?} {sigma} {turns:?}: {:?} {:.3} half width {:.4} biases {:.4?} {:?}",
            all.covering,
            all.coverage(),
            all.half_width(),
            all.biases(),
            began.elapsed()
        );
    }
}
