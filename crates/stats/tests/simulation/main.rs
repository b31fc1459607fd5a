//! What the statistics promise, measured: seeded simulations, so every run gives the same figures.
//!
//! Bounds leave three standard errors of the simulation itself; `docs/statistics.md` carries the figures.

#![allow(clippy::unwrap_used)] // In a test a panic is the report.

mod autoregression;
mod carry_over;
mod coverage;
mod dependence;
mod dependent_families;
mod designs;
mod documented;
mod error_rates;
mod families;
mod limits;
mod proportions;
mod random;
mod rounds;
mod shapes;
mod stopping;
mod two_runs;

/// Share of `runs` simulated studies in which `event` happens, each study drawing from one stream of numbers.
fn share(seed: u64, runs: u32, mut event: impl FnMut(&mut random::Source) -> bool) -> f64 {
    let mut source = random::Source::new(seed);
    let count: u32 = (0..runs).map(|_| u32::from(event(&mut source))).sum();
    f64::from(count) / f64::from(runs)
}

/// Three standard errors of a simulated share near `share`.
fn slack(share: f64, runs: u32) -> f64 {
    3.0 * (share * (1.0 - share) / f64::from(runs)).sqrt()
}
