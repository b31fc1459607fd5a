//! What is recorded about the probes of a disk, beside their runs: one JSON document, replaced as a whole.

use jiff::{SignedDuration, Timestamp};
use model::spikes::{self, SpikesByCause};
use model::traced::Segment;
use model::units::{format_bytes_approximate, format_significant};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Version of the document.
const FORMAT_VERSION: u32 = 1;
/// Remarks about probes that did not take place or did not finish; older ones are dropped, the totals count them.
const INCIDENTS_MAX: usize = 1000;

/// Everything recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct State {
    format_version: u32,
    /// Since the history was begun.
    pub totals: Totals,
    /// Spikes of all probes that captured them.
    #[serde(default)]
    pub spikes: SpikeTotals,
    /// In the order in which they began: those whose run is kept, and those of the last day.
    pub probes: Vec<ProbeEntry>,
    /// The latest, the oldest first.
    pub incidents: Vec<Incident>,
}

/// Counts since the history was begun.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(expecting = "an object", default)]
pub struct Totals {
    pub finished: u64,
    pub failed: u64,
    /// A signal ended the service.
    pub interrupted: u64,
    /// The service was killed, or the machine went down.
    pub killed: u64,
    pub skipped_busy: u64,
    pub skipped_load_unknown: u64,
    pub skipped_budget: u64,
    /// Bytes that all probes wrote.
    pub written_bytes: u64,
    /// Runs that rotation removed.
    pub removed_runs: u64,
}

/// Spikes since the history was begun.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object", default)]
pub struct SpikeTotals {
    /// How long they were looked for, seconds.
    pub recorded_s: f64,
    /// Their numbers by their cause.
    causes: Vec<SpikesOfCause>,
}

/// Spikes of one cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct SpikesOfCause {
    #[serde(flatten)]
    cause: Segment,
    count: u64,
}

/// The spikes that a probe captured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Captured {
    /// How long they were looked for, seconds.
    pub recorded_s: f64,
    pub by_cause: SpikesByCause,
}

/// One probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct ProbeEntry {
    /// The name of its run directory.
    pub run: String,
    pub began_at: Timestamp,
    /// Bytes that it wrote; those reserved for it until it ends, or if nobody counted them.
    pub written_bytes: u64,
    /// How long it took; zero until it ends.
    pub seconds: f64,
    pub outcome: Outcome,
    /// Whether its run has not been removed.
    pub is_kept: bool,
    /// Spikes that it captured; `None` if nobody looked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spikes: Option<u64>,
}

/// What became of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    UnderWay,
    Finished,
    Failed,
    Interrupted,
    Killed,
}

/// A probe that did not take place, or did not finish.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "an object")]
pub struct Incident {
    pub at: Timestamp,
    #[serde(flatten)]
    pub what: IncidentKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "what")]
pub enum IncidentKind {
    Skipped {
        reason: SkipReason,
    },
    Failed {
        run: String,
        why: String,
    },
    Interrupted {
        run: String,
    },
    Killed {
        run: String,
    },
    /// Rotation left a run whose directory has something that no run has.
    NotRemoved {
        run: String,
        foreign: String,
    },
}

/// Why a probe did not take place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum SkipReason {
    /// Others use the disk: shares of the time.
    Busy { busy_share: f64, limit_share: f64 },
    /// The kernel's counters of the disk cannot be read.
    LoadUnknown { why: String },
    /// It would write more than the budget of a day leaves.
    Budget { spent_bytes: u64, expected_bytes: Option<u64>, limit_bytes: u64 },
}

impl fmt::Display for SkipReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |share: &f64| format_significant(share * 100.0);
        let bytes = |bytes: u64| format_bytes_approximate(bytes as f64);
        match self {
            Self::Busy { busy_share, limit_share } => {
                let (busy, limit) = (percent(busy_share), percent(limit_share));
                write!(formatter, "the disk is busy {busy} % of the time, the limit is {limit} %")
            }
            Self::LoadUnknown { why } => {
                write!(formatter, "nobody knows how busy the disk is: {why}")
            }
            Self::Budget { spent_bytes, expected_bytes, limit_bytes } => {
                let (spent, limit) = (bytes(*spent_bytes), bytes(*limit_bytes));
                let next = expected_bytes.map(|next| format!("a probe writes {}, ", bytes(next)));
                let next = next.unwrap_or_default();
                write!(formatter, "{next}probes wrote {spent} in 24 hours, the budget is {limit}")
            }
        }
    }
}

impl Default for State {
    fn default() -> Self {
        Self {
            format_version: FORMAT_VERSION,
            totals: Totals::default(),
            spikes: SpikeTotals::default(),
            probes: Vec::new(),
            incidents: Vec::new(),
        }
    }
}

impl ProbeEntry {
    /// One that begins, with what is reserved for it.
    pub fn begun(run: String, began_at: Timestamp, reserved_bytes: u64) -> Self {
        Self {
            run,
            began_at,
            written_bytes: reserved_bytes,
            seconds: 0.0,
            outcome: Outcome::UnderWay,
            is_kept: true,
            spikes: None,
        }
    }
}

impl SpikeTotals {
    /// Numbers by cause. A record that somebody changed may have several of one cause.
    pub fn by_cause(&self) -> SpikesByCause {
        let mut sums = SpikesByCause::new();
        for SpikesOfCause { cause, count } in &self.causes {
            spikes::add(&mut sums, &SpikesByCause::from([(*cause, *count)]));
        }
        sums
    }

    fn add(&mut self, captured: &Captured) {
        let mut sums = self.by_cause();
        spikes::add(&mut sums, &captured.by_cause);
        self.causes = sums.into_iter().map(|(cause, count)| SpikesOfCause { cause, count }).collect();
        // JSON has no infinity, and a record that somebody changed may have any number.
        self.recorded_s = (self.recorded_s + captured.recorded_s).min(f64::MAX);
    }
}

impl State {
    /// Reads the document.
    ///
    /// # Errors
    /// What does not fit, as a clause.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let state: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if state.format_version != FORMAT_VERSION {
            return Err(format!(
                "format version {}, but this syncline reads {FORMAT_VERSION}",
                state.format_version
            ));
        }
        match state.probes.iter().find(|probe| !is_name(&probe.run)) {
            Some(probe) => Err(format!("{:?} is not the name of a run", probe.run)),
            None => Ok(state),
        }
    }

    /// The probe that finished last.
    pub fn last_finished(&self) -> Option<&ProbeEntry> {
        self.probes.iter().rev().find(|probe| probe.outcome == Outcome::Finished)
    }

    /// Runs that are kept.
    pub fn kept_runs(&self) -> usize {
        self.probes.iter().filter(|probe| probe.outcome == Outcome::Finished && probe.is_kept).count()
    }

    pub(crate) fn add_incident(&mut self, at: Timestamp, what: IncidentKind) {
        self.incidents.push(Incident { at, what });
        let above = self.incidents.len().saturating_sub(INCIDENTS_MAX);
        self.incidents.drain(..above);
    }

    pub(crate) fn skip(&mut self, at: Timestamp, reason: SkipReason) {
        let total = match reason {
            SkipReason::Busy { .. } => &mut self.totals.skipped_busy,
            SkipReason::LoadUnknown { .. } => &mut self.totals.skipped_load_unknown,
            SkipReason::Budget { .. } => &mut self.totals.skipped_budget,
        };
        *total = total.saturating_add(1);
        self.add_incident(at, IncidentKind::Skipped { reason });
    }

    /// Ends the probe under way; `written_bytes` is `None` if nobody counted them, `captured` if nobody looked for
    /// spikes.
    pub(crate) fn end(
        &mut self,
        at: Timestamp,
        outcome: Outcome,
        why: Option<String>,
        written_bytes: Option<u64>,
        seconds: f64,
        captured: Option<&Captured>,
    ) {
        let Some(probe) = self.probes.iter_mut().rev().find(|probe| probe.outcome == Outcome::UnderWay)
        else {
            return;
        };
        probe.outcome = outcome;
        probe.seconds = seconds;
        probe.written_bytes = written_bytes.unwrap_or(probe.written_bytes);
        probe.spikes =
            captured.map(|captured| captured.by_cause.values().copied().fold(0, u64::saturating_add));
        if let Some(captured) = captured {
            self.spikes.add(captured);
        }
        self.totals.written_bytes = self.totals.written_bytes.saturating_add(probe.written_bytes);
        let run = probe.run.clone();
        let (total, incident) = match outcome {
            Outcome::UnderWay | Outcome::Finished => (&mut self.totals.finished, None),
            Outcome::Failed => {
                let why = why.unwrap_or_default();
                (&mut self.totals.failed, Some(IncidentKind::Failed { run, why }))
            }
            Outcome::Interrupted => (&mut self.totals.interrupted, Some(IncidentKind::Interrupted { run })),
            Outcome::Killed => (&mut self.totals.killed, Some(IncidentKind::Killed { run })),
        };
        *total = total.saturating_add(1);
        if let Some(incident) = incident {
            self.add_incident(at, incident);
        }
    }

    /// Drops probes that neither have a run nor count for the budget.
    pub(crate) fn forget_old(&mut self, now: Timestamp) {
        self.probes.retain(|probe| {
            let has_run = probe.outcome == Outcome::Finished && probe.is_kept;
            has_run || probe.outcome == Outcome::UnderWay || is_within_a_day(probe.began_at, now)
        });
    }
}

/// Whether two times are less than 24 hours apart, whichever comes first.
pub(crate) fn is_within_a_day(one: Timestamp, other: Timestamp) -> bool {
    const DAY: SignedDuration = SignedDuration::from_hours(24);
    other.duration_since(one).abs() < DAY
}

/// The end of the name of every run of a history.
const SUFFIX: &str = "-watch";

/// The name of the run of a probe that begins then; `2036-11-28T06-00-00-watch`, with a number if that is taken.
pub(crate) fn name(at: Timestamp, is_taken: impl Fn(&str) -> bool) -> String {
    let time = at.strftime("%Y-%m-%dT%H-%M-%S");
    let numbers = (2_u64..).map(|number| format!("{time}-{number}{SUFFIX}"));
    let mut names = std::iter::once(format!("{time}{SUFFIX}")).chain(numbers);
    // The numbers do not end before one is free.
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// Whether a run of a history can have this name: a plain one, that is not hidden.
fn is_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    name.strip_suffix(SUFFIX).is_some_and(|time| !time.is_empty()) && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::traced::Stage;
    use proptest::prelude::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    const FLUSH: Segment = Segment { stage: Stage::Flush, journal: true };

    fn full() -> State {
        let mut state = State::default();
        let outcomes = [Outcome::Finished, Outcome::Failed, Outcome::Interrupted, Outcome::Killed];
        for outcome in outcomes {
            state.probes.push(ProbeEntry::begun(name(at(0), |_| false), at(0), 7));
            let by_cause = SpikesByCause::from([(FLUSH, 2)]);
            let captured = Captured { recorded_s: 4.0, by_cause };
            state.end(at(1), outcome, Some("no room".to_owned()), Some(5), 1.5, Some(&captured));
        }
        state.probes.push(ProbeEntry::begun(name(at(9), |_| false), at(9), 7));
        state.skip(at(2), SkipReason::Busy { busy_share: 0.5, limit_share: 0.2 });
        state.skip(at(2), SkipReason::LoadUnknown { why: "no line".to_owned() });
        let budget = SkipReason::Budget { spent_bytes: 1, expected_bytes: None, limit_bytes: 2 };
        state.skip(at(2), budget);
        state
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_counts_each_outcome_once() {
        let state = full();
        let bytes = serde_json::to_vec(&state).unwrap();
        assert_eq!(State::parse(&bytes).unwrap(), state);
        let expected = Totals {
            finished: 1,
            failed: 1,
            interrupted: 1,
            killed: 1,
            skipped_busy: 1,
            skipped_load_unknown: 1,
            skipped_budget: 1,
            written_bytes: 20,
            removed_runs: 0,
        };
        assert_eq!(state.totals, expected);
        assert_eq!(state.incidents.len(), 6);
        assert_eq!(state.spikes.by_cause(), SpikesByCause::from([(FLUSH, 8)]));
        assert_eq!((state.spikes.recorded_s, state.probes[0].spikes), (16.0, Some(2)));
    }

    #[test]
    fn a_path_is_not_the_name_of_a_run() {
        for run in
            ["../../etc-watch", ".hidden-watch", "2036-11-28T06-00-00-commit", "-watch", "a/b-watch", ""]
        {
            let mut state = full();
            run.clone_into(&mut state.probes[0].run);
            assert!(State::parse(&serde_json::to_vec(&state).unwrap()).is_err(), "{run}");
        }
        let taken = name(at(0), |_| false);
        assert_eq!(taken, "1970-01-01T00-00-00-watch");
        let next = name(at(0), |name| name == taken);
        assert!(is_name(&taken) && is_name(&next) && next != taken, "{next}");
    }

    #[test]
    fn another_version_is_refused() {
        let text = serde_json::to_string(&full()).unwrap();
        let newer = text.replace("\"format_version\":1", "\"format_version\":2");
        assert!(newer != text && State::parse(newer.as_bytes()).is_err());
    }

    #[test]
    fn the_record_stays_bounded() {
        let mut state = State::default();
        for second in 0..5000 {
            state.probes.push(ProbeEntry::begun(name(at(second), |_| false), at(second), 7));
            state.end(at(second), Outcome::Failed, None, None, 0.0, None);
        }
        assert_eq!(state.incidents.len(), INCIDENTS_MAX);
        state.forget_old(at(100 * 86_400));
        assert_eq!(state.probes, []);
        assert_eq!(state.totals.failed, 5000);
    }

    proptest! {
        /// A record may have been written by anybody: it is a value, and then a sound one, or a line.
        #[test]
        fn a_spoiled_record_is_a_value_or_a_line(place in 0_usize..2000, byte in any::<u8>(), cut in 0_usize..2000) {
            let mut bytes = serde_json::to_vec(&full()).unwrap();
            let length = bytes.len();
            bytes[place % length] = byte;
            bytes.truncate(length - cut % 3 * (cut % length) / 3);
            match State::parse(&bytes) {
                Ok(state) => prop_assert!(state.probes.iter().all(|probe| is_name(&probe.run))),
                Err(why) => prop_assert!(!why.is_empty()),
            }
        }
    }
}
