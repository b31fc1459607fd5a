//! Whether a trial's time has holes in which nothing was measured: the worker was stopped, the machine suspended or paused,
//! the file system frozen. Such time is in every rate and in the longest latencies, and says nothing of the device.
//!
//! Four witnesses, each of which suffices. The lab sees its worker stopped, and sees when it was not run itself.
//! `CLOCK_BOOTTIME` counts suspended time, `CLOCK_MONOTONIC` does not. The driver keeps the longest gap of its loop: what
//! of it neither the device was busy, nor the worker computed, nor anybody waited for a CPU is explained by nothing that
//! is measured. And a window far longer than the runtime that was asked for is not the trial that was planned. A device
//! that stalls is busy all the while, so its stalls are no holes: they are what is measured.

use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::phrase::{count, percent};
use crate::verdict::Status;
use model::mechanism::{Mechanism, Window};
use model::trial::{Pause, PauseCause, Phase};

/// A hole of this share of a phase moves its rate by as much: 5 % is the margin within which two arms are equal.
const SHARE_FAIL: f64 = 0.05;
/// Below this share only the longest latencies tell it.
const SHARE_WARN: f64 = 0.01;
/// Shorter gaps that nothing explains are timers, interrupts and the granularity of the counters they are held against.
const UNEXPLAINED_MIN_S: f64 = 0.1;
/// The lab's absence is a hole if the worker's loop has a gap of at least this share of it: else the worker ran on.
const ABSENT_SHARE_MIN: f64 = 0.8;
/// A phase that takes more than this many times its runtime is another one than was planned …
const OVERLONG_FACTOR: f64 = 2.0;
/// … where it exceeds it by more than this: operations in flight at the end may take their time.
const OVERLONG_MIN_S: f64 = 1.0;

/// What went wrong with a phase's time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hole {
    /// The machine slept for so many seconds.
    Suspended { seconds: f64 },
    /// A signal stopped the worker.
    Stopped { seconds: f64, of_s: f64 },
    /// Neither the lab nor the worker ran.
    Paused { seconds: f64, of_s: f64 },
    /// Nothing completed, and nothing that is counted was done meanwhile.
    Unexplained { seconds: f64, of_s: f64 },
    /// The phase took far longer than asked.
    Overlong { seconds: f64, asked_s: f64 },
}

impl Hole {
    fn status(self) -> Status {
        match self {
            Self::Suspended { .. } | Self::Overlong { .. } => Status::Fail,
            Self::Stopped { seconds, of_s }
            | Self::Paused { seconds, of_s }
            | Self::Unexplained { seconds, of_s } => match seconds / of_s {
                share if share > SHARE_FAIL => Status::Fail,
                share if share > SHARE_WARN => Status::Warn,
                _ => Status::Pass,
            },
        }
    }

    fn words(self) -> String {
        let lost =
            |seconds: f64, of_s: f64| format!("{seconds:.2} s ({} of its window)", percent(seconds / of_s));
        match self {
            Self::Suspended { seconds } => format!("the machine was suspended for {seconds:.2} s"),
            Self::Stopped { seconds, of_s } => {
                format!("a signal stopped the worker for {}", lost(seconds, of_s))
            }
            Self::Paused { seconds, of_s } => format!(
                "neither Syncline nor its worker ran for {}: all of it was stopped, or the machine was paused",
                lost(seconds, of_s)
            ),
            Self::Unexplained { seconds, of_s } => format!(
                "no operation completed for {} while the device was idle and the worker computed nothing: a frozen file \
                 system, a frozen control group or a debugger does that",
                lost(seconds, of_s)
            ),
            Self::Overlong { seconds, asked_s } => {
                format!("the window took {seconds:.2} s where {asked_s:.2} s were asked for")
            }
        }
    }
}

/// A trial with a hole.
struct Hit {
    configuration: usize,
    status: Status,
    sentence: String,
}

pub(super) const CHECK: Check =
    Check { name: "interruption", bearing, moot: "No figure is read from the clock.", judge: check };

/// A hole is in every time. Where nobody watched for one, it is in the longest latencies and in the scatter all the same.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.is_timed().then_some(Bearing::Limiting)
}

fn check(context: &Context<'_>) -> Judgement {
    let trials: Vec<&Trial<'_>> = context.trials.iter().flatten().collect();
    let mut hits: Vec<Hit> = trials.iter().filter_map(|trial| hit(context, trial)).collect();
    let watched = trials.iter().filter(|trial| is_watched(trial)).count();
    let Some(status) = hits.iter().map(|hit| hit.status).min() else {
        return if watched == 0 {
            Judgement::not_assessable(
                "The version of Syncline that made these records did not watch for times in which the worker did not run.",
            )
        } else {
            Judgement::pass(format!("The worker ran all the time, in {}.", count(watched, "trial")))
        };
    };
    let affected = count(trials.len(), "trial");
    let summary = format!(
        "Time without measurement is in {} of {affected}: the worker did not run, or its files were frozen.",
        hits.len()
    );
    let advice = "Run again on a machine that nobody suspends, and without what stops processes or freezes file systems \
                  (snapshots, debuggers, job control, container freezers).";
    hits.sort_by_key(|hit| hit.status);
    let worst = hits.iter().filter(|hit| hit.status == status).map(|hit| hit.configuration);
    Judgement::new(status, summary, advice)
        .at(worst.collect::<Vec<_>>())
        .with(hits.into_iter().map(|hit| hit.sentence))
}

/// Whether the record tells of holes at all.
fn is_watched(trial: &Trial<'_>) -> bool {
    trial.record.pauses.is_some()
        && phases(trial).iter().any(|phase| phase.mechanism.continuity.window.value().is_some())
}

fn phases<'a>(trial: &Trial<'a>) -> &'a [Phase] {
    trial.record.measurement.as_ref().map_or(&[], |measurement| &measurement.phases)
}

/// What is wrong with a trial's time: the worst hole of each phase.
fn hit(context: &Context<'_>, trial: &Trial<'_>) -> Option<Hit> {
    let key = &trial.record.key;
    let pauses = trial.record.pauses.as_deref().unwrap_or_default();
    let holes: Vec<Hole> = phases(trial)
        .iter()
        .flat_map(|phase| holes(phase, pauses, trial.description.runtime_s()))
        .filter(|hole| hole.status() < Status::Pass)
        .collect();
    let status = holes.iter().map(|hole| hole.status()).min()?;
    let label = context.observations.plan.label(key.configuration);
    let arm = if key.duplicate { " (A/A arm)" } else { "" };
    let words: Vec<String> = holes.into_iter().map(Hole::words).collect();
    let sentence = format!("{label}{arm}, round {}: {}.", key.round, words.join("; "));
    let sentence = sentence.trim_start_matches([',', ' ']).to_owned();
    Some(Hit { configuration: key.configuration, status, sentence })
}

fn holes(phase: &Phase, pauses: &[Pause], runtime_s: Option<f64>) -> Vec<Hole> {
    let of_s = phase.duration_s;
    if !(of_s > 0.0 && of_s.is_finite()) {
        return Vec::new();
    }
    let continuity = &phase.mechanism.continuity;
    let suspended = continuity.suspended_s.value().filter(|seconds| **seconds > 0.0);
    let suspended = suspended.map(|seconds| Hole::Suspended { seconds: *seconds });
    let overlong = runtime_s
        .filter(|asked_s| of_s > OVERLONG_FACTOR * asked_s && of_s > asked_s + OVERLONG_MIN_S)
        .map(|asked_s| Hole::Overlong { seconds: of_s, asked_s });
    // One of them: a worker that is stopped has a gap that nothing else explains.
    let stood_still = stopped(phase, pauses).or_else(|| paused(phase, pauses)).or_else(|| unexplained(phase));
    suspended.into_iter().chain(stood_still).chain(overlong).collect()
}

fn stopped(phase: &Phase, pauses: &[Pause]) -> Option<Hole> {
    let window = phase.mechanism.continuity.window.value()?;
    let seconds = shared_s(*window, pauses, PauseCause::Stopped);
    (seconds > 0.0).then(|| Hole::Stopped { seconds: seconds.min(phase.duration_s), of_s: phase.duration_s })
}

fn paused(phase: &Phase, pauses: &[Pause]) -> Option<Hole> {
    let continuity = &phase.mechanism.continuity;
    let absent_s = shared_s(*continuity.window.value()?, pauses, PauseCause::LabAbsent);
    let gap_s = *continuity.longest_gap_s.value()?;
    let seconds = absent_s.min(gap_s);
    (absent_s > 0.0 && gap_s >= ABSENT_SHARE_MIN * absent_s)
        .then(|| Hole::Paused { seconds: seconds.min(phase.duration_s), of_s: phase.duration_s })
}

/// Time of pauses with this cause that lies within a window.
fn shared_s(window: Window, pauses: &[Pause], cause: PauseCause) -> f64 {
    pauses.iter().filter(|pause| pause.cause == cause).map(|pause| pause.window.overlap_s(window)).sum()
}

/// The part of the longest gap for which there is no explanation, at least: all that was counted over the phase may have
/// been in it.
fn unexplained(phase: &Phase) -> Option<Hole> {
    let mechanism = &phase.mechanism;
    let gap_s = *mechanism.continuity.longest_gap_s.value()?;
    let computed_s = mechanism.process.user_s + mechanism.process.system_s;
    let seconds = gap_s - device_busy_s(mechanism)? - computed_s - waited_for_cpu_s(mechanism)?;
    (seconds > UNEXPLAINED_MIN_S)
        .then(|| Hole::Unexplained { seconds: seconds.min(phase.duration_s), of_s: phase.duration_s })
}

/// `None` where the device does not count: nothing of what the worker moved is in its counters.
fn device_busy_s(mechanism: &Mechanism) -> Option<f64> {
    let device = mechanism.device.value()?;
    let own = mechanism.process_io.value()?;
    let moved_nothing = own.read_bytes == 0 && own.written_bytes == 0;
    let counts = device.reads > 0 || device.writes > 0 || moved_nothing;
    counts.then_some(device.busy_s)
}

/// The worker's own threads, or anybody: kernel threads that serve the worker wait too. `None` where neither is known.
fn waited_for_cpu_s(mechanism: &Mechanism) -> Option<f64> {
    let delay_s = mechanism.run_queue_delay_s.value().copied();
    let pressure_s = mechanism.pressure.value().map(|pressure| pressure.cpu_some_s);
    delay_s.into_iter().chain(pressure_s).reduce(f64::max)
}
