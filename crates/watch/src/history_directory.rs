//! The folder of a history: a run directory for each probe, and the record of the probes.
//!
//! A probe is written to a hidden directory. [`HistoryDirectory::end`] gives it its name, and then records it. If the
//! service is killed between the two, the next one finds the run under its name, and records it.

use crate::budget::{ASSUMED_BYTES, expected_bytes};
use crate::error::{WatchError, io_error};
use crate::rotation::{Keep, expired};
use crate::state::{Captured, IncidentKind, Outcome, ProbeEntry, SkipReason, State, name};
use jiff::Timestamp;
use lab::open_directory::{OpenDirectory, hold};
use lab::run_directory::{Removal, clear, remove};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

const RECORD: &str = "watch.json";
const LOCK: &str = "watch.lock";
/// The run of a probe that is under way.
const UNFINISHED: &str = ".syncline-watch-probe";
/// A run that is being removed.
const ASIDE: &str = ".syncline-watch-removed";
/// A record has a few hundred bytes for each run.
const RECORD_BYTES_MAX: u64 = 1 << 28;

/// The folder of a history, held by this process.
#[derive(Debug)]
pub struct HistoryDirectory {
    directory: OpenDirectory,
    state: State,
    _held: File,
}

/// How a probe ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// Finished, failed or interrupted.
    pub outcome: Outcome,
    /// Why it failed.
    pub why: Option<String>,
    /// `None` if the kernel does not count them.
    pub written_bytes: Option<u64>,
    pub seconds: f64,
    /// `None` if nobody looked for spikes.
    pub captured: Option<Captured>,
}

impl HistoryDirectory {
    /// Makes the folder or takes it, and removes what a killed service left in it.
    pub fn open(path: &Path, now: Timestamp) -> Result<Self, WatchError> {
        let directory = OpenDirectory::make(path).map_err(io_error(path, "make the directory"))?;
        let in_folder = |name: &str| path.join(name);
        let held = directory.file_to_append(LOCK).map_err(io_error(&in_folder(LOCK), "open"))?;
        if !hold(&held).map_err(io_error(&in_folder(LOCK), "lock"))? {
            return Err(WatchError::HistoryInUse { path: path.to_owned() });
        }
        let state = read(&directory)?;
        directory.remove_parts().map_err(io_error(path, "clear"))?;
        let mut history = Self { directory, state, _held: held };
        history.clear_unfinished()?;
        history.clear(ASIDE)?;
        history.recover(now)?;
        Ok(history)
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    pub fn state(&self) -> &State {
        &self.state
    }

    /// Where the run of the latest finished probe is.
    pub fn latest_run(&self) -> Option<PathBuf> {
        self.state.last_finished().filter(|probe| probe.is_kept).map(|probe| self.path().join(&probe.run))
    }

    /// Records that a probe does not take place.
    pub fn skip(&mut self, now: Timestamp, reason: SkipReason) -> Result<(), WatchError> {
        self.change(|state| state.skip(now, reason))
    }

    /// Records that a probe begins; returns where its run is to be made.
    pub fn begin(&mut self, now: Timestamp) -> Result<PathBuf, WatchError> {
        self.clear_unfinished()?;
        let is_taken = |name: &str| {
            self.state.probes.iter().any(|probe| probe.run == name)
                || !matches!(self.directory.directory(name), Err(error) if error.kind() == io::ErrorKind::NotFound)
        };
        let run = name(now, is_taken);
        let reserved_bytes = expected_bytes(&self.state.probes).unwrap_or(ASSUMED_BYTES);
        self.change(|state| state.probes.push(ProbeEntry::begun(run, now, reserved_bytes)))?;
        Ok(self.path().join(UNFINISHED))
    }

    /// Records how the probe under way ended. The run of a finished one gets its name, any other is removed.
    pub fn end(&mut self, now: Timestamp, ended: Ended) -> Result<(), WatchError> {
        let Ended { mut outcome, mut why, written_bytes, seconds, captured } = ended;
        let run = self.state.probes.last().map(|probe| probe.run.clone()).unwrap_or_default();
        if outcome == Outcome::Finished
            && let Err(error) = self.directory.rename_directory(UNFINISHED, &run)
        {
            outcome = Outcome::Failed;
            why = Some(io_error(&self.path().join(run), "give the run its name")(error).to_string());
        }
        if outcome != Outcome::Finished {
            self.clear_unfinished()?;
        }
        self.change(|state| {
            let written_bytes = written_bytes.filter(|bytes| *bytes > 0);
            state.end(now, outcome, why, written_bytes, seconds, captured.as_ref());
            state.forget_old(now);
        })
    }

    /// Removes the runs that are no longer kept.
    pub fn rotate(&mut self, keep: Keep, now: Timestamp) -> Result<(), WatchError> {
        for run in expired(&self.state.probes, keep, now) {
            let path = self.path().join(&run);
            let removal = remove(&self.directory, &run, ASIDE).map_err(io_error(&path, "remove"))?;
            self.change(|state| {
                for probe in state.probes.iter_mut().filter(|probe| probe.run == run) {
                    probe.is_kept = false;
                }
                let totals = &mut state.totals;
                match removal {
                    Removal::Removed => totals.removed_runs = totals.removed_runs.saturating_add(1),
                    Removal::Kept { foreign } => {
                        state.add_incident(now, IncidentKind::NotRemoved { run, foreign });
                    }
                }
            })?;
        }
        Ok(())
    }

    /// A probe that is recorded as under way finished if its run has its name, and was killed otherwise.
    fn recover(&mut self, now: Timestamp) -> Result<(), WatchError> {
        let is_under_way = |probe: &&ProbeEntry| probe.outcome == Outcome::UnderWay;
        let Some(probe) = self.state.probes.iter().rev().find(is_under_way) else { return Ok(()) };
        let is_there = self.directory.directory(&probe.run).is_ok();
        let outcome = if is_there { Outcome::Finished } else { Outcome::Killed };
        self.change(|state| state.end(now, outcome, None, None, 0.0, None))?;
        // A record that somebody changed may have several.
        self.recover(now)
    }

    fn clear_unfinished(&self) -> Result<(), WatchError> {
        self.clear(UNFINISHED)
    }

    fn clear(&self, name: &'static str) -> Result<(), WatchError> {
        let path = self.path().join(name);
        match clear(&self.directory, name).map_err(io_error(&path, "remove"))? {
            Removal::Removed => Ok(()),
            Removal::Kept { foreign } => {
                let why = format!("it has {foreign}, which syncline did not make: move that away");
                Err(io_error(&path, "remove")(io::Error::other(why)))
            }
        }
    }

    /// Changes the record on the disk, and then in memory.
    fn change(&mut self, change: impl FnOnce(&mut State)) -> Result<(), WatchError> {
        let mut state = self.state.clone();
        change(&mut state);
        let path = self.path().join(RECORD);
        let bytes = serde_json::to_vec(&state).map_err(|error| io_error(&path, "write")(error.into()))?;
        self.directory.replace(RECORD, &bytes).map_err(io_error(&path, "write"))?;
        self.state = state;
        Ok(())
    }
}

fn read(directory: &OpenDirectory) -> Result<State, WatchError> {
    let path = directory.path().join(RECORD);
    let mut file = match directory.file(RECORD) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(State::default()),
        other => other.map_err(io_error(&path, "read"))?.take(RECORD_BYTES_MAX),
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(io_error(&path, "read"))?;
    State::parse(&bytes).map_err(|what| WatchError::Foreign { path, what })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::Duration;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn ended(outcome: Outcome) -> Ended {
        Ended { outcome, why: None, written_bytes: Some(100), seconds: 1.0, captured: None }
    }

    fn write_run(path: &Path) {
        fs::create_dir_all(path.join("sidecars")).unwrap();
        for name in ["plan.json", "host.json", "trials.jsonl", "sidecars/a.json"] {
            fs::write(path.join(name), "{}").unwrap();
        }
    }

    fn probe(history: &mut HistoryDirectory, second: i64) {
        write_run(&history.begin(at(second)).unwrap());
        history.end(at(second + 1), ended(Outcome::Finished)).unwrap();
    }

    fn names(path: &Path) -> Vec<String> {
        let entries = fs::read_dir(path).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| ![RECORD, LOCK].contains(&name.as_str()));
        names.sort();
        names
    }

    #[test]
    fn a_finished_probe_has_its_name_and_every_other_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = HistoryDirectory::open(folder.path(), at(0)).unwrap();
        probe(&mut history, 10);
        for outcome in [Outcome::Failed, Outcome::Interrupted] {
            write_run(&history.begin(at(20)).unwrap());
            history.end(at(21), ended(outcome)).unwrap();
        }
        assert_eq!(names(folder.path()), ["1970-01-01T00-00-10-watch"]);
        assert_eq!(history.latest_run(), Some(folder.path().join("1970-01-01T00-00-10-watch")));
        let totals = history.state().totals;
        assert_eq!((totals.finished, totals.failed, totals.interrupted), (1, 1, 1));
    }

    /// The service is killed before the run has its name, and after it has its name and before it is recorded.
    #[test]
    fn a_kill_loses_no_finished_probe_and_its_rest_is_removed() {
        for has_its_name in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let mut history = HistoryDirectory::open(folder.path(), at(0)).unwrap();
            probe(&mut history, 10);
            let unfinished = history.begin(at(20)).unwrap();
            write_run(&unfinished);
            write_run(&folder.path().join(ASIDE));
            fs::write(folder.path().join(".syncline-part-1-1"), "half").unwrap();
            let run = history.state().probes[1].run.clone();
            if has_its_name {
                fs::rename(&unfinished, folder.path().join(&run)).unwrap();
            }
            drop(history);
            let history = HistoryDirectory::open(folder.path(), at(30)).unwrap();
            let first = "1970-01-01T00-00-10-watch".to_owned();
            let (outcome, expected) = if has_its_name {
                (Outcome::Finished, vec![first, run])
            } else {
                (Outcome::Killed, vec![first])
            };
            assert_eq!(names(folder.path()), expected);
            assert_eq!(history.state().probes[1].outcome, outcome);
            assert_eq!(history.state().probes[1].written_bytes, 100, "what was reserved counts");
        }
    }

    #[test]
    fn rotation_removes_its_own_runs_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let mut history = HistoryDirectory::open(folder.path(), at(0)).unwrap();
        let theirs = ["0000-watch", "2020-01-01T00-00-00-watch", "syncline-runs"];
        for name in theirs {
            write_run(&folder.path().join(name));
        }
        for second in 0..6 {
            probe(&mut history, second * 10);
        }
        fs::write(folder.path().join("1970-01-01T00-00-00-watch/notes.txt"), "mine").unwrap();
        let keep = Keep { runs: 3, time: Duration::from_hours(1) };
        (0..3).for_each(|_| history.rotate(keep, at(100)).unwrap());
        let left: Vec<String> =
            names(folder.path()).into_iter().filter(|name| !theirs.contains(&name.as_str())).collect();
        assert_eq!(
            left,
            [
                "1970-01-01T00-00-00-watch",
                "1970-01-01T00-00-30-watch",
                "1970-01-01T00-00-40-watch",
                "1970-01-01T00-00-50-watch"
            ]
        );
        assert!(theirs.iter().all(|name| folder.path().join(name).join("plan.json").exists()));
        assert_eq!(history.state().totals.removed_runs, 2);
        assert!(matches!(history.state().incidents[0].what, IncidentKind::NotRemoved { .. }));
        assert_eq!(history.state().kept_runs(), 3);
    }

    #[test]
    fn a_history_has_one_watcher_and_a_foreign_record_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let history = HistoryDirectory::open(folder.path(), at(0)).unwrap();
        let second = HistoryDirectory::open(folder.path(), at(0));
        assert!(matches!(second, Err(WatchError::HistoryInUse { .. })), "{second:?}");
        drop(history);
        fs::write(folder.path().join(RECORD), "{\"probes\": 1}").unwrap();
        let spoiled = HistoryDirectory::open(folder.path(), at(0));
        assert!(matches!(spoiled, Err(WatchError::Foreign { .. })), "{spoiled:?}");
        assert_eq!(fs::read(folder.path().join(RECORD)).unwrap(), b"{\"probes\": 1}");
    }

    #[test]
    fn what_somebody_put_into_the_unfinished_run_is_not_removed() {
        let folder = tempfile::tempdir().unwrap();
        write_run(&folder.path().join(UNFINISHED));
        fs::write(folder.path().join(UNFINISHED).join("notes.txt"), "mine").unwrap();
        assert!(HistoryDirectory::open(folder.path(), at(0)).is_err());
        assert!(folder.path().join(UNFINISHED).join("notes.txt").exists());
    }
}
