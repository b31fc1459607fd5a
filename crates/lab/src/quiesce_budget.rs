//! How long a device is given to go quiet before a trial, under a budget. Pure.
//!
//! A device that others keep busy takes the time of trials and does not go quiet. What the trial before it left is on
//! the device by then: that is waited for whatever it takes (syncfs(2)).

/// What it is given at first, and again once it has been quiet, in seconds.
const WHOLE_S: f64 = 0.2;
/// What it is given at least: enough for one look at an idle device.
const MINIMUM_S: f64 = 0.05;

/// The patience with a device: half as much after every time that it did not go quiet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct QuiesceBudget {
    seconds: f64,
}

impl Default for QuiesceBudget {
    fn default() -> Self {
        Self { seconds: WHOLE_S }
    }
}

impl QuiesceBudget {
    /// Seconds that the next trial waits at most.
    pub(crate) fn seconds(self) -> f64 {
        self.seconds
    }

    /// So long a trial waited that could wait as long as this.
    pub(crate) fn learn(&mut self, waited_s: f64) {
        self.seconds = if waited_s < self.seconds { WHOLE_S } else { (self.seconds / 2.0).max(MINIMUM_S) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_never_goes_quiet_is_waited_for_less_and_less_but_never_not_at_all() {
        let mut quiesce = QuiesceBudget::default();
        let mut allowed = Vec::new();
        for _ in 0..4 {
            allowed.push(quiesce.seconds());
            quiesce.learn(quiesce.seconds() + 0.01);
        }
        assert_eq!(allowed, [0.2, 0.1, 0.05, 0.05]);
        quiesce.learn(0.03);
        assert_eq!(quiesce, QuiesceBudget::default());
    }
}
