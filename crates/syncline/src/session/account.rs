//! What a session's wall time went into, in two sentences.

use crate::time_spent;
use lab::time_account::TimeAccount;
use model::units::format_elapsed;

/// Where the time went, in and around the trials.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Account {
    /// From the first trial being chosen to the last one's record.
    pub(crate) time: TimeAccount,
    /// Removing files, mounts and servers afterwards, seconds.
    pub(crate) closing_s: f64,
}

impl Account {
    /// The share of this wall time that went into measuring and into preparing files, and what into the rest.
    ///
    /// Waiting for the device to go quiet is neither: it is what measuring one trial after another costs.
    pub(crate) fn sentences(&self, reporting_s: f64, wall_s: f64) -> String {
        let Account { time, closing_s } = self;
        let percent = |seconds: f64| format!("{:.0} %", 100.0 * seconds / wall_s.max(f64::MIN_POSITIVE));
        let named = |(name, seconds): &(&str, f64)| format!("{name} {}", percent(*seconds));
        let told = |parts: &[(&str, f64)]| {
            let worth_telling = parts.iter().filter(|(_, seconds)| *seconds >= wall_s / 200.0);
            worth_telling.map(named).collect::<Vec<_>>().join(", ")
        };
        let [useful @ .., quiescing, working, recording, deciding, tracing] = time_spent::named(time);
        let rest = [
            quiescing,
            working,
            recording,
            deciding,
            tracing,
            ("getting ready", wall_s - time.total_s() - closing_s - reporting_s),
            ("cleaning up", *closing_s),
            ("the report", reporting_s),
        ];
        // A run that was complete before has none.
        let parts = told(&useful);
        let parts = if parts.is_empty() { parts } else { format!(" ({parts})") };
        format!(
            "Measuring or preparing files: {} of {}{}.\nThe rest: {}.",
            percent(time.useful_s()),
            format_elapsed(wall_s),
            parts,
            told(&rest)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_second_has_its_place_and_what_is_nothing_is_not_told() {
        let time = TimeAccount {
            measuring_s: 130.0,
            settling_s: 6.0,
            aftermath_s: 4.0,
            preparing_s: 20.0,
            caching_s: 10.0,
            quiescing_s: 12.0,
            working_s: 10.0,
            recording_s: 2.0,
            deciding_s: 0.1,
            tracing_s: 0.0,
        };
        let told = Account { time, closing_s: 1.9 }.sentences(2.0, 200.0);
        assert_eq!(
            told,
            "Measuring or preparing files: 85 % of 3 min 20 s (measuring 65 %, settling and draining 3 %, kills and \
             flushes 2 %, preparing files 10 %, filling and emptying the page cache 5 %).\nThe rest: waiting for a \
             quiet device 6 %, worker processes 5 %, records 1 %, getting ready 1 %, cleaning up 1 %, the report 1 %."
        );
        let nothing_due = Account::default().sentences(2.0, 2.0);
        assert_eq!(nothing_due, "Measuring or preparing files: 0 % of 2 s.\nThe rest: the report 100 %.");
    }
}
