//! The first measurement: limits of each stratum, and the disks that lie beyond them.

use crate::figures::Answers;
use crate::rule::{ALPHA, LEVEL, MARGIN};
use stats::family::holm;
use stats::interval::mean_interval;
use stats::screening::Spread;

/// What the first measurements show.
pub(crate) struct Screened {
    /// The limit of each distribution as a speed; `None` if it cannot be judged.
    pub(crate) limits: Vec<Option<f64>>,
    /// Disks and questions that were tested together.
    pub(crate) tests: usize,
    pub(crate) suspects: Vec<Suspicion>,
}

/// A disk beyond a limit.
pub(crate) struct Suspicion {
    pub(crate) distribution: usize,
    pub(crate) disk: usize,
    pub(crate) p: f64,
}

/// One disk in one distribution that can be judged.
struct Test<'a> {
    distribution: usize,
    disk: usize,
    logs: &'a [f64],
    p: f64,
}

/// Tests every disk in every question against the spread of its stratum.
pub(crate) fn screen(answers: &[Answers<'_>]) -> Screened {
    let spreads: Vec<Option<Spread>> = answers.iter().map(spread).collect();
    let mut tests = Vec::new();
    for (distribution, (answers, spread)) in answers.iter().zip(&spreads).enumerate() {
        let Some(spread) = spread else { continue };
        for (disk, logs) in &answers.disks {
            let Some(speed) = answers.speed(logs) else { continue };
            let is_within = speed >= spread.median - MARGIN.ln();
            let p = if is_within { 1.0 } else { spread.below_p(speed) };
            tests.push(Test { distribution, disk: *disk, logs, p });
        }
    }
    let p_values: Vec<f64> = tests.iter().map(|test| test.p).collect();
    // Every p-value is a probability; without adjusted ones nobody is a suspect.
    let adjusted = holm(&p_values).unwrap_or_else(|_| vec![1.0; tests.len()]);
    let rejected = adjusted.iter().filter(|p| **p <= ALPHA).count();
    // Where Holm's procedure stopped: every disk beyond this limit is one that it rejected.
    let p_limit = ALPHA / (tests.len() - rejected).max(1) as f64;
    let limit = |spread: &Option<Spread>| {
        let spread = spread.as_ref()?;
        Some(spread.lower_limit(p_limit)?.min(spread.median - MARGIN.ln()))
    };
    let limits: Vec<Option<f64>> = spreads.iter().map(limit).collect();
    let suspects = tests.iter().zip(&adjusted).filter(|(test, _)| {
        let limit = limits[test.distribution];
        let highest = highest_speed(test.logs, answers[test.distribution].sign);
        limit.zip(highest).is_some_and(|(limit, highest)| highest < limit)
    });
    let suspicion =
        |(test, p): (&Test<'_>, &f64)| Suspicion { distribution: test.distribution, disk: test.disk, p: *p };
    let suspects = suspects.map(suspicion).collect();
    Screened { limits, tests: tests.len(), suspects }
}

/// The spread over the disks that have enough rounds.
fn spread(answers: &Answers<'_>) -> Option<Spread> {
    let speeds: Vec<f64> = answers.disks.iter().filter_map(|(_, logs)| answers.speed(logs)).collect();
    Spread::of(&speeds).ok()
}

/// The fast end of a disk's own interval.
fn highest_speed(logs: &[f64], sign: f64) -> Option<f64> {
    let interval = mean_interval(logs, LEVEL).ok().filter(|interval| interval.reaches(LEVEL))?;
    Some((sign * interval.low).max(sign * interval.high))
}
