//! Changes of level in a series of measurements that goes on: a disk that is probed every hour, a build every night.
//!
//! A change at a place is judged by moving sums: the mean of the `k` values after the place minus that of up to `4·k`
//! values before it, and the same the other way round, for `k` = 3, 4, 6, 8, 12, … The place and window with the
//! largest t statistic is a change if it exceeds the threshold; then the parts on its two sides are searched.
//!
//! Sources: Eichinger & Kirch, *A MOSUM procedure for the estimation of multiple random change points*, Bernoulli 24
//! (2018); asymmetric windows: Meier, Kirch & Cho, *mosum*, Journal of Statistical Software 97 (2021). E-divisive means
//! (Matteson & James, JASA 109, 2014), which Apache Otava uses, is the same statistic without windows if its exponent
//! is 2. Four things differ from both, because series of shared machines drift, have a daily period and outliers:
//!
//! - **The variance belongs to the window.** That of a mean over `k` values is estimated from what neighbouring blocks
//!   of up to `2·k` values of the same series differ by. A slow drift or a period therefore widens the threshold of
//!   long windows and not that of short ones. (Allan, *Statistics of atomic frequency standards*, Proc. IEEE 54, 1966,
//!   is this variance over the length of a block.)
//! - **The estimate survives the changes.** It is a mean of squares without the differences beyond three robust
//!   standard deviations, which are those across a change.
//! - **One outlier makes no change.** A value counts as at most four standard deviations away from the median of its
//!   eleven neighbours.
//! - **The threshold holds for a whole series**: Student's t with Bonferroni's bound over all places and windows.
//!   A permutation test would resolve such a level only with a million permutations, and assumes that values can change
//!   places, which those of a drifting series cannot.

use crate::distribution::{student_p, student_two_sided, student_upper};
use crate::interval::{Interval, NoInterval};
use crate::sample;

/// Fewest values in which a change is looked for.
pub const VALUES_MIN: usize = 10;
/// Probability that a series without a change, analysed once, seems to have one.
pub const FALSE_ALARM: f64 = 0.001;
/// Fewest values on either side of a change: two alone can be one disturbance.
const SIDE_MIN: usize = 3;
/// Values of the longer side of a window, for one of the shorter.
const REFERENCE: usize = 4;
/// Standard deviations beyond which a value is taken to be that far away.
const CLIP: f64 = 4.0;
/// Values of the shorter side of a window that are compared although no block of twice as many has a known variance:
/// short series have no other windows.
const ASSUMED_MAX: usize = 12;
/// Values on either side of a value whose median it is clipped around.
const NEIGHBOURS: usize = 5;
/// Robust standard deviations beyond which a difference of blocks is one across a change.
const TRIM: f64 = 3.0;
/// Mean square of a standard normal within [`TRIM`].
const TRIMMED_SQUARE: f64 = 0.973_337;
/// Blocks that an estimate of their variance needs. Each change is in two of them and spoils an eighth of the estimate.
const BLOCKS_MIN: usize = 16;
/// Degrees of freedom for each block: successive differences (von Neumann 1941) have two thirds, of which a tenth is
/// trimmed.
const FREEDOM: f64 = 0.6;
/// Smallest standard deviation of a logarithm: equal values, or such as differ by a step of their clock, are not known
/// better.
const DEVIATION_MIN: f64 = 0.005;
/// Normal quantile of the power that [`Changes::smallest`] has.
const POWER_90: f64 = 1.281_55;
/// Level of descriptive intervals.
const LEVEL: f64 = 0.95;

/// A series with its changes.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// In order; one less than [`Self::levels`].
    pub changes: Vec<Change>,
    /// The parts of the series between changes, in order.
    pub levels: Vec<Level>,
    /// The logarithms, outliers clipped.
    values: Vec<f64>,
    noise: Noise,
    /// Comparisons that share [`FALSE_ALARM`].
    tests: f64,
}

/// A change of level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// Index of the first value after it.
    pub at: usize,
    /// Geometric mean of the level after it ÷ that of the level before it, with a descriptive 95 % interval.
    pub ratio: Interval,
    /// Two-sided p-value, adjusted for all places and windows of the series.
    pub p: f64,
}

/// Values between two changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Index of its first value.
    pub first: usize,
    /// Index of the first value behind it.
    pub end: usize,
    /// Geometric mean with a 95 % interval.
    pub mean: Interval,
}

/// Finds the changes in a series of natural logarithms.
///
/// # Errors
/// [`NoInterval`] for fewer than [`VALUES_MIN`] values, or values that are not finite.
pub fn changes(logs: &[f64]) -> Result<Changes, NoInterval> {
    let n = logs.len();
    if n < VALUES_MIN {
        return Err(NoInterval::TooFew { n, needed: VALUES_MIN });
    }
    if logs.iter().any(|log| !log.is_finite() || log.abs() > f64::MAX.ln()) {
        return Err(NoInterval::NotFinite);
    }
    let noise = |values: &[f64]| Noise::of(values).ok_or(NoInterval::NotFinite);
    let values = clipped(logs, noise(logs)?.deviation());
    let mut ends = Search::new(&values, &noise(&values)?)?.all();
    ends.push(n);
    let firsts = [0].into_iter().chain(ends.iter().copied());
    let parts: Vec<(usize, usize)> = firsts.zip(ends.iter().copied()).collect();
    // What is left without the changes is the noise of the levels.
    let noise = noise(&without_levels(&values, &parts))?;
    let search = Search::new(&values, &noise)?;
    let levels = parts.iter().map(|(first, end)| search.level(*first, *end)).collect::<Result<_, _>>()?;
    let changes = parts.windows(2).map(|pair| search.change(pair[0], pair[1]));
    let changes = changes.collect::<Result<_, _>>()?;
    let tests = search.tests;
    Ok(Changes { changes, levels, values, noise, tests })
}

impl Changes {
    /// Standard deviation of the logarithms from one value to the next.
    pub fn deviation(&self) -> f64 {
        self.noise.deviation()
    }

    /// The smallest step, as a logarithm, that `values` values after it show with a probability of 90 %, if the series
    /// goes on as it was; `None` if they show none.
    pub fn smallest(&self, values: usize) -> Option<f64> {
        let n = self.levels.last()?.end;
        let error = self.noise.error(values, (REFERENCE * values).min(n));
        let threshold = threshold(self.noise.at(2 * values).freedom, self.tests)?;
        let step = (threshold + POWER_90) * error;
        (values >= SIDE_MIN && threshold * error < CLIP * self.deviation()).then_some(step)
    }

    /// The last level ÷ the first, at this simultaneous level; without a change the second half ÷ the first.
    ///
    /// # Errors
    /// [`NoInterval`] if `level` has no quantile.
    pub fn now_against_first(&self, level: f64) -> Result<Interval, NoInterval> {
        let n = self.values.len();
        let (first, last) = match &self.levels[..] {
            [first, .., last] => ((first.first, first.end), (last.first, last.end)),
            [] | [_] => ((0, n / 2), (n / 2, n)),
        };
        Search::new(&self.values, &self.noise)?.ratio(first, last, level)
    }
}

/// What blocks of one length differ by.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Scale {
    /// Values in a block.
    values: usize,
    /// Variance of the mean of a block × its values: at independent values that of one.
    variance: f64,
    freedom: f64,
}

/// The variance by the length of a block. That of longer blocks counts where it exceeds that of all shorter ones: their
/// values then depend on each other. It never falls, because a smaller one would be chance.
#[derive(Debug, Clone, PartialEq)]
struct Noise {
    scales: Vec<Scale>,
}

impl Noise {
    fn of(logs: &[f64]) -> Option<Self> {
        let (n, sums) = (logs.len(), Sums::of(logs));
        let mut scales: Vec<Scale> = Vec::new();
        let mut values = 1;
        while values == 1 || n >= BLOCKS_MIN * values {
            let difference = |first: usize| {
                sums.mean(first + values, first + 2 * values) - sums.mean(first, first + values)
            };
            let differences: Vec<f64> = (0..=n - 2 * values).map(|first| difference(first).abs()).collect();
            let variance = values as f64 * mean_square(&differences, values == 1)? / 2.0;
            let freedom = (FREEDOM * (n as f64 / values as f64 - 1.0)).max(1.0);
            let own = Scale { values, variance: variance.max(DEVIATION_MIN * DEVIATION_MIN), freedom };
            // Longer blocks are fewer: what exceeds the shorter ones by no more than its own error may be chance.
            let is_known = |last: &&Scale| own.variance <= last.variance * (1.0 + (2.0 / freedom).sqrt());
            let shorter = scales.last().filter(is_known);
            scales.push(shorter.map_or(own, |last| Scale { values, ..*last }));
            values *= 2;
        }
        Some(Self { scales })
    }

    /// Values of the longest blocks.
    fn longest(&self) -> usize {
        self.scales.last().map_or(1, |scale| scale.values)
    }

    /// Standard deviation of one value.
    fn deviation(&self) -> f64 {
        self.at(1).variance.sqrt()
    }

    /// That of blocks of at most this many values.
    fn at(&self, values: usize) -> &Scale {
        let place = self.scales.partition_point(|scale| scale.values <= values);
        &self.scales[place.saturating_sub(1)]
    }

    /// Standard error of the difference of two means beside each other.
    fn error(&self, one: usize, other: usize) -> f64 {
        let variance = self.at(2 * one.min(other)).variance;
        (variance * (1.0 / one as f64 + 1.0 / other as f64)).sqrt()
    }
}

/// Mean of the squares of these sizes, without those that a change made. Single values may be equal for the most part,
/// as multiples of a clock's step are: their noise is that of the others.
fn mean_square(sizes: &[f64], are_single: bool) -> Option<f64> {
    let usual = sample::median(sizes)? / 0.674_49;
    let robust = if are_single { usual.max(sample::quantile(sizes, 0.8)? / 1.281_55) } else { usual };
    let squares: Vec<f64> =
        sizes.iter().filter(|size| **size <= TRIM * robust).map(|size| size * size).collect();
    Some(sample::mean(&squares)? / TRIMMED_SQUARE)
}

/// Means of parts of a series, each in one step.
struct Sums(Vec<f64>);

impl Sums {
    fn of(values: &[f64]) -> Self {
        let mut sum = 0.0;
        let sums = values.iter().map(|value| {
            sum += value;
            sum
        });
        Self([0.0].into_iter().chain(sums).collect())
    }

    /// Mean of the values from `first` to before `end`.
    fn mean(&self, first: usize, end: usize) -> f64 {
        (self.0[end] - self.0[first]) / (end - first) as f64
    }
}

/// A window, and how far its statistic exceeds the threshold.
#[derive(Clone, Copy)]
struct Candidate {
    from: usize,
    to: usize,
    times: f64,
}

/// A shorter side with the threshold of its t statistic.
struct Window {
    values: usize,
    threshold: f64,
}

struct Search<'a> {
    n: usize,
    sums: Sums,
    noise: &'a Noise,
    windows: Vec<Window>,
    tests: f64,
}

impl<'a> Search<'a> {
    fn new(values: &[f64], noise: &'a Noise) -> Result<Self, NoInterval> {
        let n = values.len();
        let lengths: Vec<usize> = lengths(n, noise.longest()).collect();
        let tests = (2 * n * lengths.len()) as f64;
        let window = |values: usize| {
            let threshold = threshold(noise.at(2 * values).freedom, tests).ok_or(NoInterval::OutOfRange)?;
            Ok(Window { values, threshold })
        };
        let windows = lengths.into_iter().map(window).collect::<Result<_, _>>()?;
        Ok(Self { n, sums: Sums::of(values), noise, windows, tests })
    }

    /// The first index after each change, in order.
    fn all(&self) -> Vec<usize> {
        let (mut found, mut parts) = (Vec::new(), vec![(0, self.n)]);
        while let Some((first, end)) = parts.pop() {
            let Some(at) = self.strongest(first, end).map(|window| self.place(window)) else { continue };
            found.push(at);
            parts.extend([(first, at), (at, end)]);
        }
        found.sort_unstable();
        found
    }

    /// The window that exceeds its threshold by most.
    fn strongest(&self, first: usize, end: usize) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        for at in first + SIDE_MIN..=end.saturating_sub(SIDE_MIN) {
            let (before, after) = (at - first, end - at);
            for window in self.windows.iter().take_while(|window| window.values <= before.max(after)) {
                let (short, long) = (window.values, REFERENCE * window.values);
                for (before, after) in [(long.min(before), short), (short, long.min(after))] {
                    if before > at - first || after > end - at {
                        continue;
                    }
                    let (from, to) = (at - before, at + after);
                    let difference = self.sums.mean(at, to) - self.sums.mean(from, at);
                    let times = difference.abs() / self.noise.error(before, after) / window.threshold;
                    if times > best.map_or(1.0, |best| best.times) {
                        best = Some(Candidate { from, to, times });
                    }
                }
            }
        }
        best
    }

    /// The most likely place of the change in a window: that of the largest between-parts sum of squares.
    fn place(&self, Candidate { from, to, .. }: Candidate) -> usize {
        let gain = |at: usize| {
            let difference = self.sums.mean(at, to) - self.sums.mean(from, at);
            difference * difference * (at - from) as f64 * (to - at) as f64
        };
        let places = from + SIDE_MIN..=to - SIDE_MIN;
        places.max_by(|one, other| gain(*one).total_cmp(&gain(*other))).unwrap_or(from + SIDE_MIN)
    }

    fn level(&self, first: usize, end: usize) -> Result<Level, NoInterval> {
        let n = end - first;
        let Scale { variance, freedom, .. } = *self.noise.at(n);
        let mean = self.sums.mean(first, end);
        let mean = interval(mean, (variance / n as f64).sqrt(), freedom, LEVEL, n)?;
        Ok(Level { first, end, mean })
    }

    fn change(&self, before: (usize, usize), after: (usize, usize)) -> Result<Change, NoInterval> {
        let ratio = self.ratio(before, after, LEVEL)?;
        let (one, other) = (before.1 - before.0, after.1 - after.0);
        let t = ratio.estimate.ln() / self.noise.error(one, other);
        let p = student_p(t, self.noise.at(2 * one.min(other)).freedom) * self.tests;
        Ok(Change { at: after.0, ratio, p: p.min(1.0) })
    }

    /// The mean of one part ÷ that of another.
    fn ratio(
        &self,
        before: (usize, usize),
        after: (usize, usize),
        level: f64,
    ) -> Result<Interval, NoInterval> {
        let (one, other) = (before.1 - before.0, after.1 - after.0);
        let difference = self.sums.mean(after.0, after.1) - self.sums.mean(before.0, before.1);
        let freedom = self.noise.at(2 * one.min(other)).freedom;
        interval(difference, self.noise.error(one, other), freedom, level, one + other)
    }
}

/// Lengths of the shorter side of a window: 3, 4, 6, 8, 12, …, as long as the variance of such a window is known from
/// blocks of up to `longest` values. Beyond it, a drift would look like a change.
fn lengths(n: usize, longest: usize) -> impl Iterator<Item = usize> {
    let most = (longest / 2).max(ASSUMED_MAX).min(n / 2);
    let powers = (0..usize::BITS).map(|power| 1_usize << power).take_while(move |power| *power <= n);
    let pairs = powers.flat_map(|power| [power, power + power / 2]);
    pairs.filter(move |length| (SIDE_MIN..=most).contains(length))
}

fn threshold(freedom: f64, tests: f64) -> Option<f64> {
    student_upper(FALSE_ALARM / (2.0 * tests), freedom)
}

fn interval(log: f64, error: f64, freedom: f64, level: f64, n: usize) -> Result<Interval, NoInterval> {
    let half = error * student_two_sided(level, freedom).ok_or(NoInterval::OutOfRange)?;
    Interval { estimate: log, low: log - half, high: log + half, level, n }.exp()
}

/// The series with every value at most [`CLIP`] standard deviations away from the median of its neighbours.
fn clipped(logs: &[f64], deviation: f64) -> Vec<f64> {
    let reach = CLIP * deviation;
    let clip = |(place, log): (usize, &f64)| {
        let around = &logs[place.saturating_sub(NEIGHBOURS)..logs.len().min(place + NEIGHBOURS + 1)];
        sample::median(around).map_or(*log, |median| log.clamp(median - reach, median + reach))
    };
    logs.iter().enumerate().map(clip).collect()
}

/// What the values differ by from the mean of their part.
fn without_levels(values: &[f64], parts: &[(usize, usize)]) -> Vec<f64> {
    let of_part = |(first, end): &(usize, usize)| {
        let part = &values[*first..*end];
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        part.iter().map(move |value| value - mean)
    };
    parts.iter().flat_map(of_part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand_xoshiro::SplitMix64;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// Close to standard normal: a sum of twelve uniform figures.
    fn normal(random: &mut SplitMix64) -> f64 {
        (0..12).map(|_| (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64).sum::<f64>() - 6.0
    }

    fn noise(n: usize, deviation: f64, seed: u64) -> Vec<f64> {
        let mut random = SplitMix64::seed_from_u64(seed);
        (0..n).map(|_| deviation * normal(&mut random)).collect()
    }

    fn stepped(mut logs: Vec<f64>, at: usize, step: f64) -> Vec<f64> {
        logs[at..].iter_mut().for_each(|log| *log += step);
        logs
    }

    fn places(logs: &[f64]) -> Vec<usize> {
        changes(logs).unwrap().changes.iter().map(|change| change.at).collect()
    }

    #[test]
    fn a_step_is_found_at_its_place_with_its_size() {
        let found = changes(&stepped(noise(200, 0.02, 1), 120, -0.1)).unwrap();
        let [change] = found.changes[..] else { panic!("{found:?}") };
        assert!(change.at.abs_diff(120) <= 1, "{change:?}");
        assert!(change.ratio.contains((-0.1_f64).exp()) && change.p < FALSE_ALARM, "{change:?}");
        assert_eq!((found.levels.len(), found.levels[1].end), (2, 200));
    }

    /// A fault that was mended: the whole series has no change of its mean.
    #[test]
    fn a_fall_and_a_rise_do_not_hide_each_other() {
        let logs = stepped(stepped(noise(300, 0.02, 2), 150, -0.15), 170, 0.15);
        let found = places(&logs);
        assert!(found.len() == 2 && found[0].abs_diff(150) <= 2 && found[1].abs_diff(170) <= 2, "{found:?}");
    }

    #[test]
    fn three_values_show_a_step_of_a_fifth_and_one_outlier_shows_nothing() {
        let logs = noise(200, 0.02, 3);
        assert_eq!(places(&stepped(logs.clone(), 197, -0.223)), [197]);
        assert_eq!(places(&stepped(logs.clone(), 199, -3.0)), [0; 0]);
        let mut outliers = logs;
        for place in (5..200).step_by(23) {
            outliers[place] -= 2.0;
        }
        assert_eq!(places(&outliers), [0; 0]);
    }

    #[test]
    fn equal_values_have_no_change_and_a_count_that_doubles_has_one() {
        assert_eq!(places(&[0.0; 50]), [0; 0]);
        assert_eq!(places(&stepped(vec![0.0; 50], 30, std::f64::consts::LN_2)), [30]);
    }

    /// Noise, a daily period of 5 %, and a drift that wanders by a tenth: analysed once, hardly one in a hundred has a
    /// change.
    #[test]
    fn a_period_and_a_drift_seldom_look_like_a_change() {
        let mut alarms = 0;
        for seed in 0..60 {
            let mut random = SplitMix64::seed_from_u64(seed);
            let mut drift = 0.0;
            let logs: Vec<f64> = (0..600)
                .map(|hour| {
                    drift += 0.003 * normal(&mut random);
                    let day = std::f64::consts::TAU * f64::from(hour) / 24.0;
                    drift + 0.05 * day.sin() + 0.02 * normal(&mut random)
                })
                .collect();
            alarms += usize::from(!places(&logs).is_empty());
        }
        assert!(alarms <= 1, "{alarms} of 60");
    }

    #[test]
    fn chance_seldom_looks_like_a_change() {
        for n in [10, 30, 100, 400] {
            let alarms = (0..200).filter(|seed| !places(&noise(n, 0.03, *seed)).is_empty()).count();
            assert!(alarms <= 2, "{alarms} of 200 at n = {n}");
        }
    }

    #[test]
    fn more_values_show_smaller_steps() {
        let found = changes(&noise(400, 0.02, 7)).unwrap();
        let steps: Vec<f64> = [4, 8, 16, 32].map(|values| found.smallest(values).unwrap()).to_vec();
        assert!(steps.windows(2).all(|pair| pair[1] < pair[0]), "{steps:?}");
        assert_eq!(found.smallest(1), None);
    }

    #[test]
    fn few_values_and_such_as_are_no_numbers_have_a_reason() {
        assert_eq!(changes(&[0.0; 9]), Err(NoInterval::TooFew { n: 9, needed: VALUES_MIN }));
        assert_eq!(changes(&[f64::NAN; 20]), Err(NoInterval::NotFinite));
        assert_eq!(changes(&[f64::MAX; 20]), Err(NoInterval::NotFinite));
    }

    proptest! {
        /// A change has its place whatever the unit is.
        #[test]
        fn a_factor_moves_no_change(seed in 0_u64..50, factor in -20.0..20.0_f64) {
            let logs = stepped(noise(80, 0.02, seed), 50, 0.3);
            let moved: Vec<f64> = logs.iter().map(|log| log + factor).collect();
            prop_assert_eq!(places(&logs), places(&moved));
        }

        #[test]
        fn never_panics(logs in proptest::collection::vec(any::<f64>(), 0..60)) {
            let _ = changes(&logs);
        }

        #[test]
        fn never_panics_on_logarithms(
            logs in proptest::collection::vec(-709.0..709.0_f64, 0..80),
            level in any::<f64>(),
        ) {
            if let Ok(found) = changes(&logs) {
                let _ = (found.now_against_first(level), found.smallest(5), found.deviation());
            }
        }
    }
}
