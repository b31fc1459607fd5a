//! Whether a trial has gaps in which nothing was measured: the worker was stopped, the machine suspended or paused, the
//! file system frozen. Such time is in every rate and in the longest latencies, and is not the device's.
//!
//! There are four kinds of evidence, each sufficient. The lab sees that its worker was stopped, and that it did not run
//! itself. `CLOCK_BOOTTIME` counts suspended time, `CLOCK_MONOTONIC` does not. The driver keeps the longest gap of its
//! loop; the part in which the device was not busy, the worker did not compute and nobody waited for a CPU has no
//! explanation. A window far longer than the configured runtime is not the planned trial. A device that stalls is busy
//! meanwhile, so its stalls are not gaps but results.

use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::phrase::{count, percent};
use crate::verdict::Status;
use model::mechanism::{Mechanism, Window};
use model::trial::{Pause, PauseCause, Phase};

/// A gap of this share of a phase changes its rate by as much: 5 % is the margin within which two arms are equal.
const SHARE_FAIL: f64 = 0.05;
/// Below this share only the longest latencies show it.
const SHARE_WARN: f64 = 0.01;
/// Shorter unexplained gaps come from timers, interrupts and the granularity of the counters.
const UNEXPLAINED_MIN_S: f64 = 0.1;
/// The lab's absence is a gap if the worker's loop has a gap of at least this share of it; otherwise the worker
/// continued.
const ABSENT_SHARE_MIN: f64 = 0.8;
/// A phase that takes more than this multiple of its runtime is not the planned one …
const OVERLONG_FACTOR: f64 = 2.0;
/// … if it exceeds the runtime by more than this: operations in flight at the end may take their time.
const OVERLONG_MIN_S: f64 = 1.0;

/// What went wrong with a phase's time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hole {
    /// The machine was suspended for this time.
    Suspended { seconds: f64 },
    /// A signal stopped the worker.
    Stopped { seconds: f64, of_s: f64 },
    /// Neither the lab nor the worker ran.
    Paused { seconds: f64, of_s: f64 },
    /// Nothing completed, and no counter advanced meanwhile.
    Unexplained { seconds: f64, of_s: f64 },
    /// The phase took far longer than configured.
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
                "neither Syncline nor its worker ran for {}: both were stopped, or the machine was paused",
                lost(seconds, of_s)
            ),
            Self::Unexplained { seconds, of_s } => format!(
                "no operation completed for {} while the device was idle and the worker computed nothing: possible \
                 causes are a frozen file system, a frozen control group or a debugger",
                lost(seconds, of_s)
            ),
            Self::Overlong { seconds, asked_s } => {
                format!("the window took {seconds:.2} s instead of {asked_s:.2} s")
            }
        }
    }
}

/// A trial with a gap.
struct Hit {
    configuration: usize,
    status: Status,
    sentence: String,
}

pub(super) const CHECK: Check =
    Check { name: "interruption", bearing, moot: "No figure is read from the clock.", judge: check };

/// A gap is in every time. If it was not watched for, it is still in the longest latencies and in the scatter.
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
                "The version of Syncline that made these records did not watch for times in which the worker did not \
                 run.",
            )
        } else {
            Judgement::pass(format!("The worker ran without interruption in {}.", count(watched, "trial")))
        };
    };
    let affected = count(trials.len(), "trial");
    let summary = format!(
        "{} of {affected} contain time without measurement: the worker did not run, or its files were frozen.",
        hits.len()
    );
    let advice = "Run again on a machine that is not suspended, and without anything that stops processes or freezes \
                  file systems (snapshots, debuggers, job control, container freezers).";
    hits.sort_by_key(|hit| hit.status);
    let worst = hits.iter().filter(|hit| hit.status == status).map(|hit| hit.configuration);
    Judgement::new(status, summary, advice)
        .at(worst.collect::<Vec<_>>())
        .with(hits.into_iter().map(|hit| hit.sentence))
}

/// Whether the record reports gaps.
fn is_watched(trial: &Trial<'_>) -> bool {
    trial.record.pauses.is_some()
        && phases(trial).iter().any(|phase| phase.mechanism.continuity.window.value().is_some())
}

fn phases<'a>(trial: &Trial<'a>) -> &'a [Phase] {
    trial.record.measurement.as_ref().map_or(&[], |measurement| &measurement.phases)
}

/// What is wrong with a trial's time: the worst gap of each phase.
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
    // Only one of them: a stopped worker has a gap that has no other explanation.
    let stood_still = stopped(phase, pauses).or_else(|| paused(phase, pauses)).or_else(|| unexplained(phase));
    suspended.into_iter().chain(stood_still).chain(overlong).collect()
}

fn stopped(phase: &Phase, pauses: &[Pause]) -> Option<Hole> {
    let window = phase.mechanism.continuity.window.value()?;
    let stopped_s = shared_s(*window, pauses, PauseCause::Stopped);
    // A worker that waits for its turn loses nothing: only a gap in its own turns does.
    let gap_s = phase.turns.as_ref().and_then(|_| phase.mechanism.continuity.longest_gap_s.value());
    let seconds = gap_s.map_or(stopped_s, |gap_s| gap_s.min(stopped_s));
    (seconds > 0.0)
        .then(|| Hole::Stopped { seconds: seconds.min(phase.counted_s()), of_s: phase.counted_s() })
}

fn paused(phase: &Phase, pauses: &[Pause]) -> Option<Hole> {
    let continuity = &phase.mechanism.continuity;
    let absent_s = shared_s(*continuity.window.value()?, pauses, PauseCause::LabAbsent);
    let gap_s = *continuity.longest_gap_s.value()?;
    let seconds = absent_s.min(gap_s);
    (absent_s > 0.0 && gap_s >= ABSENT_SHARE_MIN * absent_s)
        .then(|| Hole::Paused { seconds: seconds.min(phase.counted_s()), of_s: phase.counted_s() })
}

/// Time of pauses with this cause within a window.
fn shared_s(window: Window, pauses: &[Pause], cause: PauseCause) -> f64 {
    pauses.iter().filter(|pause| pause.cause == cause).map(|pause| pause.window.overlap_s(window)).sum()
}

/// The smallest possible unexplained part of the longest gap: everything that was counted over the phase may have
/// happened in it.
fn unexplained(phase: &Phase) -> Option<Hole> {
    let mechanism = &phase.mechanism;
    let gap_s = *mechanism.continuity.longest_gap_s.value()?;
    let computed_s = mechanism.process.user_s + mechanism.process.system_s;
    let seconds = gap_s - device_busy_s(mechanism)? - computed_s - waited_for_cpu_s(mechanism)?;
    (seconds > UNEXPLAINED_MIN_S)
        .then(|| Hole::Unexplained { seconds: seconds.min(phase.counted_s()), of_s: phase.counted_s() })
}

/// `None` if the device does not count: its counters then show nothing of the worker's I/O.
fn device_busy_s(mechanism: &Mechanism) -> Option<f64> {
    let device = mechanism.device.value()?;
    let own = mechanism.process_io.value()?;
    let moved_nothing = own.read_bytes == 0 && own.written_bytes == 0;
    let counts = device.reads > 0 || device.writes > 0 || moved_nothing;
    counts.then_some(device.busy_s)
}

/// For the worker's own threads, or for all tasks, because kernel threads that serve the worker wait too. `None` if
/// neither is known.
fn waited_for_cpu_s(mechanism: &Mechanism) -> Option<f64> {
    let delay_s = mechanism.run_queue_delay_s.value().copied();
    let pressure_s = mechanism.pressure.value().map(|pressure| pressure.cpu_some_s);
    delay_s.into_iter().chain(pressure_s).reduce(f64::max)
}
