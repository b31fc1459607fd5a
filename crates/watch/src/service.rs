//! The loop of the service: wait, decide, probe, record, give up old runs, publish. It acts through [`World`], so a
//! test runs days of it in virtual time.

use crate::budget;
use crate::error::WatchError;
use crate::history_directory::{Ended, HistoryDirectory};
use crate::load::too_busy;
use crate::rotation::Keep;
use crate::schedule::{first_wait, next_due};
use crate::state::{Outcome, SkipReason};
use jiff::Timestamp;
use model::mechanism::Measured;
use std::path::Path;
use std::time::Duration;

/// What the user wants.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// From the beginning of a probe to that of the next one.
    pub interval: Duration,
    /// Ends after this number of probes, those that were skipped included.
    pub attempts_max: Option<u64>,
    /// Whether the first probe waits until an interval has passed since the last one that is recorded.
    pub waits_first: bool,
    /// The share of the time that the disk may be busy before a probe; `None` if nobody looks.
    pub busy_share_max: Option<f64>,
    /// Bytes that all probes of 24 hours may write.
    pub written_bytes_per_day_max: u64,
    pub keep: Keep,
    /// Operations of this length are captured with their cause; `None` if none are.
    pub spike_threshold: Option<Duration>,
}

/// What the service acts through.
pub trait World {
    /// The wall clock, for the record.
    fn now(&self) -> Timestamp;
    /// A clock that never goes back.
    fn elapsed(&self) -> Duration;
    /// Waits until that clock shows this time; `false` if the service is to end.
    fn wait_until(&mut self, time: Duration) -> bool;
    /// Looks for some seconds how busy the disk is; `None` if the service is to end.
    fn busy_share(&mut self) -> Option<Measured<f64>>;
    /// Measures, and makes a run directory there.
    fn probe(&mut self, run: &Path) -> Ended;
    /// Shows the history to monitoring, and what the last attempt was.
    fn publish(&mut self, history: &HistoryDirectory, last: Option<&Attempt>);
}

/// What became of a probe that was due.
#[derive(Clone, Debug, PartialEq)]
pub enum Attempt {
    Finished {
        seconds: f64,
    },
    Failed {
        why: String,
    },
    Skipped {
        reason: SkipReason,
    },
    /// The record cannot be written, as on a full disk: without one there is no probe.
    NotRecorded {
        why: String,
    },
    /// The service is to end.
    Interrupted,
}

/// Probes until the service is to end, or all probes are through: then what the last one was.
pub fn run(options: &Options, history: &mut HistoryDirectory, world: &mut impl World) -> Option<Attempt> {
    world.publish(history, None);
    let last = history.state().probes.last().filter(|_| options.waits_first).map(|probe| probe.began_at);
    let mut due = world.elapsed() + first_wait(last, world.now(), options.interval);
    let mut attempts = 0;
    while world.wait_until(due) {
        let attempt = attempt(options, history, world).unwrap_or_else(|error| {
            // Nothing was decided about the disk, so the next probe may find room again.
            Attempt::NotRecorded { why: error.to_string() }
        });
        world.publish(history, Some(&attempt));
        if attempt == Attempt::Interrupted {
            break;
        }
        attempts += 1;
        if options.attempts_max.is_some_and(|most| attempts >= most) {
            return Some(attempt);
        }
        due = next_due(due, options.interval, world.elapsed());
    }
    None
}

fn attempt(
    options: &Options,
    history: &mut HistoryDirectory,
    world: &mut impl World,
) -> Result<Attempt, WatchError> {
    let state = history.state();
    if let Some(reason) = budget::exceeded(&state.probes, options.written_bytes_per_day_max, world.now()) {
        history.skip(world.now(), reason.clone())?;
        return Ok(Attempt::Skipped { reason });
    }
    if let Some(busy_share_max) = options.busy_share_max {
        let Some(busy_share) = world.busy_share() else { return Ok(Attempt::Interrupted) };
        if let Some(reason) = too_busy(&busy_share, busy_share_max) {
            history.skip(world.now(), reason.clone())?;
            return Ok(Attempt::Skipped { reason });
        }
    }
    let run = history.begin(world.now())?;
    let ended = world.probe(&run);
    history.end(world.now(), ended.clone())?;
    history.rotate(options.keep, world.now())?;
    Ok(match history.state().probes.last().map_or(ended.outcome, |probe| probe.outcome) {
        Outcome::Finished => Attempt::Finished { seconds: ended.seconds },
        Outcome::Interrupted => Attempt::Interrupted,
        Outcome::Failed | Outcome::UnderWay | Outcome::Killed => {
            Attempt::Failed { why: ended.why.unwrap_or_else(|| "its run cannot be kept".to_owned()) }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::spent_bytes;
    use std::fs;

    const HOUR: Duration = Duration::from_hours(1);

    /// A machine whose time passes when somebody waits.
    struct Virtual {
        elapsed: Duration,
        probes: u64,
        published: usize,
        ends_at: Duration,
        busy_share: fn(u64) -> Measured<f64>,
        outcome: fn(u64) -> Outcome,
        limit_bytes: u64,
    }

    const PROBE_BYTES: u64 = 300 << 20;

    impl Virtual {
        fn new() -> Self {
            Self {
                elapsed: Duration::ZERO,
                probes: 0,
                published: 0,
                ends_at: Duration::MAX,
                busy_share: |_| Measured::Value(0.0),
                outcome: |_| Outcome::Finished,
                limit_bytes: u64::MAX,
            }
        }
    }

    impl World for Virtual {
        fn now(&self) -> Timestamp {
            Timestamp::from_second(2_000_000_000 + self.elapsed.as_secs() as i64).unwrap()
        }

        fn elapsed(&self) -> Duration {
            self.elapsed
        }

        fn wait_until(&mut self, time: Duration) -> bool {
            self.elapsed = self.elapsed.max(time);
            self.elapsed < self.ends_at
        }

        fn busy_share(&mut self) -> Option<Measured<f64>> {
            self.elapsed += Duration::from_secs(5);
            Some((self.busy_share)(self.elapsed.as_secs() / 3600))
        }

        fn probe(&mut self, run: &Path) -> Ended {
            self.probes += 1;
            self.elapsed += Duration::from_secs(10);
            fs::create_dir(run).unwrap();
            fs::write(run.join("plan.json"), "{}").unwrap();
            let outcome = (self.outcome)(self.probes);
            let why = (outcome == Outcome::Failed).then(|| "no room".to_owned());
            Ended { outcome, why, written_bytes: Some(PROBE_BYTES), seconds: 10.0, captured: None }
        }

        fn publish(&mut self, history: &HistoryDirectory, _: Option<&Attempt>) {
            self.published += 1;
            assert!(spent_bytes(&history.state().probes, self.now()) <= self.limit_bytes);
        }
    }

    fn options(attempts: u64) -> Options {
        Options {
            interval: HOUR,
            attempts_max: Some(attempts),
            waits_first: true,
            busy_share_max: Some(0.2),
            written_bytes_per_day_max: u64::MAX,
            keep: Keep { runs: 50, time: Duration::from_hours(24 * 365) },
            spike_threshold: None,
        }
    }

    fn history(folder: &Path, world: &Virtual) -> HistoryDirectory {
        HistoryDirectory::open(folder, world.now()).unwrap()
    }

    #[test]
    fn four_days_of_probes_keep_the_last_fifty() {
        let (folder, mut world) = (tempfile::tempdir().unwrap(), Virtual::new());
        let mut history = history(folder.path(), &world);
        let last = run(&options(96), &mut history, &mut world);
        assert!(matches!(last, Some(Attempt::Finished { .. })), "{last:?}");
        assert_eq!((world.probes, world.published), (96, 97));
        assert_eq!(world.elapsed.as_secs(), 95 * 3600 + 15);
        assert_eq!((history.state().totals.finished, history.state().kept_runs()), (96, 50));
        let runs =
            fs::read_dir(folder.path()).unwrap().filter(|entry| entry.as_ref().unwrap().path().is_dir());
        assert_eq!(runs.count(), 50);
    }

    #[test]
    fn a_budget_of_three_probes_gives_three_a_day_and_each_skip_has_its_reason() {
        let (folder, mut world) = (tempfile::tempdir().unwrap(), Virtual::new());
        world.limit_bytes = 3 * PROBE_BYTES;
        let mut history = history(folder.path(), &world);
        let options = Options { written_bytes_per_day_max: world.limit_bytes, ..options(96) };
        run(&options, &mut history, &mut world);
        assert!((12..=13).contains(&world.probes), "{}", world.probes);
        assert_eq!(history.state().totals.skipped_budget + world.probes, 96);
    }

    #[test]
    fn a_busy_disk_and_an_unknown_one_are_not_probed() {
        let (folder, mut world) = (tempfile::tempdir().unwrap(), Virtual::new());
        world.busy_share = |hour| match hour % 3 {
            0 => Measured::Value(0.1),
            1 => Measured::Value(0.9),
            _ => Measured::unsupported("no line"),
        };
        let mut history = history(folder.path(), &world);
        run(&options(30), &mut history, &mut world);
        let totals = history.state().totals;
        assert_eq!((totals.finished, totals.skipped_busy, totals.skipped_load_unknown), (10, 10, 10));
        assert_eq!(history.state().incidents.len(), 20);
    }

    #[test]
    fn failed_probes_are_recorded_and_the_service_goes_on() {
        let (folder, mut world) = (tempfile::tempdir().unwrap(), Virtual::new());
        world.outcome = |probe| if probe % 2 == 0 { Outcome::Failed } else { Outcome::Finished };
        let mut history = history(folder.path(), &world);
        let last = run(&options(10), &mut history, &mut world);
        assert_eq!(last, Some(Attempt::Failed { why: "no room".to_owned() }));
        let totals = history.state().totals;
        assert_eq!((totals.finished, totals.failed, history.state().kept_runs()), (5, 5, 5));
    }

    #[test]
    fn a_signal_ends_it_while_it_waits_and_while_it_probes() {
        let (folder, mut world) = (tempfile::tempdir().unwrap(), Virtual::new());
        world.ends_at = 5 * HOUR;
        let mut kept = history(folder.path(), &world);
        assert_eq!(run(&options(10), &mut kept, &mut world), None);
        assert_eq!(world.probes, 5);
        world.ends_at = Duration::MAX;
        world.outcome = |_| Outcome::Interrupted;
        assert_eq!(run(&options(10), &mut kept, &mut world), None);
        assert_eq!((world.probes, kept.state().totals.interrupted), (6, 1));
    }

    /// The record's place is taken by a directory, as a file system that fails would.
    #[test]
    fn without_a_record_there_is_no_probe() {
        let (folder, mut world) = (tempfile::tempdir().unwrap(), Virtual::new());
        let mut history = history(folder.path(), &world);
        fs::create_dir(folder.path().join("watch.json")).unwrap();
        let last = run(&options(2), &mut history, &mut world);
        assert!(matches!(last, Some(Attempt::NotRecorded { .. })), "{last:?}");
        assert_eq!(world.probes, 0);
        fs::remove_dir(folder.path().join("watch.json")).unwrap();
        assert!(matches!(run(&options(1), &mut history, &mut world), Some(Attempt::Finished { .. })));
    }

    #[test]
    fn a_restart_waits_for_the_rest_of_the_interval_and_a_timer_does_not() {
        let (folder, mut world) = (tempfile::tempdir().unwrap(), Virtual::new());
        let mut history = history(folder.path(), &world);
        run(&options(1), &mut history, &mut world);
        run(&options(1), &mut history, &mut world);
        let second = world.elapsed;
        assert!(second > HOUR, "{second:?}");
        run(&Options { waits_first: false, ..options(1) }, &mut history, &mut world);
        assert!(world.elapsed < second + HOUR);
        assert_eq!(world.probes, 3);
    }
}
