//! Whether somebody else took the CPU: a hypervisor (steal), other tasks on the worker's CPU (run-queue delay), or more
//! runnable tasks than CPUs (pressure stall information, kernel `Documentation/accounting/psi.rst`).
//!
//! A worker with as many threads as there are CPUs waits for itself too: io_uring's kernel threads, which are charged to
//! the worker, take the CPUs from its own threads. While a thread waits its CPU runs something, so what the worker used
//! accounts for at most that much of its waiting; the rest was others'. Only the rest can fail the audit.

use super::tally::{Reading, Tally};
use super::{Context, Judgement, Trial};
use crate::phrase::percent;
use crate::verdict::Status;
use model::mechanism::Measured;
use model::trial::Phase;

/// Share of all CPU time stolen that is worth a warning: it lengthens every latency by about as much.
const STEAL_WARN: f64 = 0.02;
/// Beyond this an effect of 5 % may be the neighbours'.
const STEAL_FAIL: f64 = 0.20;
/// Share of the time in which a worker thread was ready but waited for a CPU.
const DELAY_WARN: f64 = 0.05;
/// Beyond this share of waiting for others the scheduler is what is measured.
const DELAY_FAIL: f64 = 0.50;
/// Share of the time in which some task of the machine waited for a CPU. The worker's own kernel threads count, so this
/// is a warning at most.
const PRESSURE_WARN: f64 = 0.25;

pub(super) fn check(context: &Context<'_>) -> Judgement {
    let cpus = context.host.cpus.max(1) as f64;
    let tally = Tally::of(context, |trial| read(trial, cpus));
    let status = tally.status();
    let judgement = match status {
        Status::Pass => {
            Judgement::pass("The worker had its CPU: steal, run-queue delay and CPU pressure were low.")
        }
        Status::NotAssessable => {
            Judgement::not_assessable("Neither steal nor run-queue delay nor pressure could be read.")
        }
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!(
                "The worker waited for a CPU in {}{}: other programs had it, or the kernel threads that serve the worker's \
                 own operations.",
                tally.share(),
                waited(context)
            ),
            "Stop other work on this machine, pin the worker to a quiet CPU (--cpu), or run as root with realtime = true.",
        ),
    };
    judgement.about(tally.about()).with(tally.evidence())
}

fn read(trial: &Trial<'_>, cpus: f64) -> Option<Reading> {
    let phases = &trial.record.measurement.as_ref()?.phases;
    let duration_s: f64 = phases.iter().map(|phase| phase.duration_s).sum();
    if !(duration_s > 0.0 && duration_s.is_finite()) {
        return None;
    }
    let threads = trial.circumstances.threads;
    let share = |of: fn(&Phase) -> Option<f64>, per: f64| {
        let seconds: Option<f64> = phases.iter().map(of).sum();
        seconds.map(|seconds| seconds / (duration_s * per)).filter(|share| share.is_finite())
    };
    let steal = share(|phase| phase.mechanism.steal_s.value().copied(), cpus);
    let delay = share(|phase| phase.mechanism.run_queue_delay_s.value().copied(), threads);
    let fills_cpus = threads >= cpus;
    let others = delay
        .filter(|_| fills_cpus)
        .map(|delay| (delay - own_share(phases, duration_s, threads, cpus)).max(0.0));
    let delay_fail = if fills_cpus { f64::INFINITY } else { DELAY_FAIL };
    let pressure =
        share(|phase| Measured::map(&phase.mechanism.pressure, |psi| psi.cpu_some_s).value().copied(), 1.0);
    let readings = [
        (steal, STEAL_WARN, STEAL_FAIL, "of CPU time stolen"),
        (delay, DELAY_WARN, delay_fail, "of the time ready but not running"),
        (others, DELAY_FAIL, DELAY_FAIL, "of the time at least because of others"),
        (pressure, PRESSURE_WARN, f64::INFINITY, "of the time some task waited for a CPU"),
    ];
    let known: Vec<(f64, f64, f64, &str)> = readings
        .into_iter()
        .filter_map(|(share, warn, fail, words)| Some((share?, warn, fail, words)))
        .collect();
    let text: Vec<String> =
        known.iter().map(|(share, _, _, words)| format!("{} {words}", percent(*share))).collect();
    let severity = known.iter().map(|(share, warn, _, _)| share / warn).reduce(f64::max)?;
    let failed = known.iter().any(|(share, _, fail, _)| share > fail);
    let fail_above = if failed { 1.0 } else { f64::INFINITY };
    Some(Reading::judged(severity, 1.0, fail_above, text.join(", ")))
}

/// Share of the time in which the threads of a worker that fills all CPUs may have waited for the worker itself: where
/// several share a CPU, one that runs keeps all others waiting.
fn own_share(phases: &[Phase], duration_s: f64, threads: f64, cpus: f64) -> f64 {
    let used_s: f64 =
        phases.iter().map(|phase| phase.mechanism.process.user_s + phase.mechanism.process.system_s).sum();
    let share = used_s * (threads / cpus) / (duration_s * threads);
    if share.is_finite() { share } else { 0.0 }
}

/// ` (18.2 % of the time on average)`: run-queue delay over all trials.
fn waited(context: &Context<'_>) -> String {
    let of_trial = |trial: &Trial<'_>| {
        let phases = &trial.record.measurement.as_ref()?.phases;
        let delay: Option<f64> =
            phases.iter().map(|phase| phase.mechanism.run_queue_delay_s.value().copied()).sum();
        let duration_s: f64 = phases.iter().map(|phase| phase.duration_s).sum();
        Some(delay? / (duration_s * trial.circumstances.threads)).filter(|share| share.is_finite())
    };
    let shares: Vec<f64> = context.trials.iter().flatten().filter_map(of_trial).collect();
    let Some(mean) = stats::sample::mean(&shares) else { return String::new() };
    format!(" ({} of the time on average over all trials)", percent(mean))
}
