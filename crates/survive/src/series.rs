//! The crashes of a promise one after the other: which they are, and what is left of them when some are known.

use crate::crash::{Crash, End};
use std::collections::HashSet;

/// The crashes that a promise gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The first crashes have it; each later one adds 1.
    pub seed: u64,
    /// Seeds: each of them crashes the server once in each way.
    pub seeds: u32,
    /// The one way in which servers end; `None` for all ways.
    pub only: Option<End>,
}

/// The ways in which servers end, in the order in which they take turns.
const ENDS: [End; 2] = [End::PowerLoss, End::Kill];

impl Series {
    /// Every crash, in order.
    pub fn planned(&self) -> impl Iterator<Item = (End, u64)> {
        let ends = ENDS.into_iter().filter(|end| self.only.is_none_or(|only| only == *end));
        let seeds = (0..self.seeds).map(|place| self.seed.wrapping_add(u64::from(place)));
        seeds.flat_map(move |seed| ends.clone().map(move |end| (end, seed)))
    }

    /// Those that are not known, in order.
    pub fn missing(&self, known: &[Crash]) -> Vec<(End, u64)> {
        let known: HashSet<(End, u64)> = known.iter().map(|crash| (crash.end, crash.seed)).collect();
        self.planned().filter(|planned| !known.contains(planned)).collect()
    }

    /// Makes the missing crashes, adds each to the known ones and notes it, until one cannot be made or noted.
    ///
    /// # Errors
    /// Why the series ended early. Every crash that was made before is known.
    pub fn conduct<E>(
        &self,
        known: &mut Vec<Crash>,
        make: &mut dyn FnMut(End, u64) -> Result<Crash, E>,
        note: &mut dyn FnMut(&Crash) -> Result<(), E>,
    ) -> Result<(), E> {
        for (end, seed) in self.missing(known) {
            let crash = make(end, seed)?;
            let noted = note(&crash);
            known.push(crash);
            noted?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SurviveError;
    use crate::fate::Fate;

    fn crash(end: End, seed: u64) -> Crash {
        Crash {
            end,
            seed,
            moment_ms: 100.0,
            kept: None,
            unflushed_bytes: None,
            crashes_in_recovery: 0,
            acknowledged_commits: 10,
            fate: Fate::Kept,
            recovery_ms: None,
            complaints: Vec::new(),
        }
    }

    #[test]
    fn seeds_count_from_the_first_and_both_ends_share_them() {
        let series = Series { seed: u64::MAX, seeds: 2, only: None };
        let planned: Vec<(End, u64)> = series.planned().collect();
        let expected =
            [(End::PowerLoss, u64::MAX), (End::Kill, u64::MAX), (End::PowerLoss, 0), (End::Kill, 0)];
        assert_eq!(planned, expected);
        let cuts = Series { only: Some(End::PowerLoss), ..series };
        assert_eq!(cuts.planned().collect::<Vec<_>>(), [(End::PowerLoss, u64::MAX), (End::PowerLoss, 0)]);
    }

    /// A busy mount after 84 of 1,000 crashes ended a series without a table.
    #[test]
    fn what_is_known_survives_the_end_of_a_series_which_goes_on_there() {
        let busy = || -> SurviveError {
            let error = std::io::Error::from(std::io::ErrorKind::ResourceBusy);
            SurviveError::Disk(disk::Failure::on("unmount", "/disk".as_ref())(error).into())
        };
        let series = Series { seed: 5, seeds: 10, only: None };
        for after in 0..20 {
            let mut known = Vec::new();
            let mut made = 0;
            let mut make = |end, seed| {
                made += 1;
                if made > after { Err(busy()) } else { Ok(crash(end, seed)) }
            };
            let ended = series.conduct(&mut known, &mut make, &mut |_| Ok(()));
            assert!(matches!(ended, Err(SurviveError::Disk(_))), "{ended:?}");
            assert_eq!(known.len(), after);
            // A file that takes no more ends it too, and the crash that it did not take is known.
            let mut make = |end, seed| Ok(crash(end, seed));
            let ended = series.conduct(&mut known, &mut make, &mut |_| Err(busy()));
            assert!(matches!(ended, Err(SurviveError::Disk(_))), "{ended:?}");
            assert_eq!(known.len(), after + 1);
            assert!(series.conduct(&mut known, &mut make, &mut |_| Ok(())).is_ok());
            let all: Vec<(End, u64)> = known.iter().map(|crash| (crash.end, crash.seed)).collect();
            assert_eq!(all, series.planned().collect::<Vec<_>>());
        }
    }
}
