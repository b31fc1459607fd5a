//! How many operations are in flight, over time.

/// A number that rises and falls, and its integral.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Gauge {
    level: u64,
    max: u64,
    since_ns: u64,
    /// Level × time, nanoseconds.
    integral_ns: u128,
    /// Time at a level above 0, nanoseconds.
    busy_ns: u64,
}

impl Gauge {
    pub(crate) fn rise(&mut self, time_ns: u64) {
        self.pass(time_ns);
        self.level += 1;
        self.max = self.max.max(self.level);
    }

    pub(crate) fn fall(&mut self, time_ns: u64) {
        self.pass(time_ns);
        self.level = self.level.saturating_sub(1);
    }

    /// The mean over a time and the share of it above 0.
    pub(crate) fn over(mut self, until_ns: u64, duration_ns: u64) -> (f64, f64) {
        self.pass(until_ns);
        if duration_ns == 0 {
            return (0.0, 0.0);
        }
        let duration = duration_ns as f64;
        (self.integral_ns as f64 / duration, (self.busy_ns as f64 / duration).min(1.0))
    }

    /// The number now.
    pub(crate) const fn level(&self) -> u64 {
        self.level
    }

    pub(crate) const fn max(&self) -> u64 {
        self.max
    }

    /// Events of several CPUs may have stamps that go back by a little.
    fn pass(&mut self, time_ns: u64) {
        let passed_ns = time_ns.saturating_sub(self.since_ns);
        if self.level > 0 {
            self.integral_ns += u128::from(self.level) * u128::from(passed_ns);
            self.busy_ns += passed_ns;
        }
        self.since_ns = self.since_ns.max(time_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_weighted_by_time() {
        let mut gauge = Gauge::default();
        gauge.rise(100);
        gauge.rise(150);
        gauge.fall(200);
        gauge.fall(300);
        // One in flight for 150 ns, two for 50 ns, none for 800 ns.
        assert_eq!(gauge.over(1100, 1000), (0.25, 0.2));
        assert_eq!(gauge.max(), 2);
    }

    #[test]
    fn what_is_still_in_flight_counts_until_the_end() {
        let mut gauge = Gauge::default();
        gauge.rise(500);
        assert_eq!(gauge.over(1000, 1000), (0.5, 0.5));
    }
}
