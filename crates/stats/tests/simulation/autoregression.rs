//! Studies whose rounds depend on the rounds before.

use crate::random::Source;
use stats::dependence::{Dependence, dependence, of_series};

/// Rounds before the first: an autoregression forgets how it began.
const BURN_IN: usize = 20;

/// The noise of one round.
#[derive(Clone, Copy)]
pub(crate) enum Noise {
    Normal,
    /// Student's t with three degrees of freedom, scaled to a standard deviation of 1.
    HeavyTailed,
}

impl Noise {
    fn draw(self, source: &mut Source) -> f64 {
        match self {
            Self::Normal => source.normal(),
            Self::HeavyTailed => {
                let squares: f64 = (0..3).map(|_| source.normal().powi(2)).sum();
                source.normal() / squares.sqrt()
            }
        }
    }
}

/// A stationary autoregressive series of standard deviation 1, its neighbours correlated by `rho`.
fn series(source: &mut Source, noise: Noise, rho: f64, n: usize) -> Vec<f64> {
    let mut value = noise.draw(source);
    let mut next = || {
        value = rho * value + (1.0 - rho * rho).sqrt() * noise.draw(source);
        value
    };
    (0..BURN_IN + n).map(|_| next()).skip(BURN_IN).collect()
}

/// Equal arms, `[arm][round]`, in logarithms. The first is the baseline, the second the baseline again. Neighbouring
/// rounds correlate by `rho[arm]` in what an arm has for itself, and by 0.7 in what a round does to all.
pub(crate) fn study(source: &mut Source, noise: Noise, rho: &[f64], n: usize) -> Vec<Vec<f64>> {
    let all = series(source, noise, 0.7, n);
    let arm = |rho: &f64| {
        let own = series(source, noise, *rho, n);
        all.iter().zip(own).map(|(all, own)| 0.3 * all + 0.05 * own).collect()
    };
    rho.iter().map(arm).collect()
}

pub(crate) fn assessed(study: &[Vec<f64>], rounds: &[u32]) -> Dependence {
    let n = study[0].len();
    let table: Vec<Vec<f64>> = (0..n).map(|round| study.iter().map(|arm| arm[round]).collect()).collect();
    dependence(rounds, &table).unwrap()
}

/// The log ratios of one arm to the first.
pub(crate) fn log_ratios(study: &[Vec<f64>], arm: usize) -> Vec<f64> {
    study[0].iter().zip(&study[arm]).map(|(first, other)| other - first).collect()
}

/// The correlation that a comparison of these log ratios allows for: that of all arms, or its own if that counts for
/// more.
pub(crate) fn counted(study: &[Vec<f64>], logs: &[f64], rounds: &[u32]) -> f64 {
    let own = of_series(rounds, logs).unwrap().counted();
    assessed(study, rounds).counted().max(own)
}

pub(crate) fn numbers(n: usize) -> Vec<u32> {
    (0..n as u32).collect()
}
