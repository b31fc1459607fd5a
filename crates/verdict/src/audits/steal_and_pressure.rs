//! Whether something else took the CPU: a hypervisor (steal), other tasks on the worker's CPU (run-queue delay), or
//! more runnable tasks than CPUs (pressure stall information, kernel `Documentation/accounting/psi.rst`).
//!
//! A worker also waits for itself: io_uring's kernel threads, which are charged to the worker, take CPUs from its own
//! threads, and so do kernel threads that serve its file system. Neither is another program. The user-mode time of
//! other programs is counted (kernel threads have none), and a thread waits for them no longer than they ran: only that
//! part of its waiting can fail the audit. Records of versions that did not count it are judged by what the worker
//! cannot have caused itself: while a thread waits, its CPU runs something, so the worker's own CPU time accounts for
//! at most that much of its waiting.
//!
//! A control group's CPU quota keeps its own processes from idle CPUs. That is a setting, and the audit reports it as
//! one.

use super::check::Traced;
use super::tally::{Reading, Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial, Use};
use crate::basis::Scope;
use crate::described;
use crate::phrase::percent;
use crate::verdict::Status;
use model::mechanism::Measured;
use model::traced::Stage;
use model::trial::Phase;

/// A stolen share of all CPU time that is worth a warning: it lengthens every latency by about as much.
const STEAL_WARN: f64 = 0.02;
/// Share of the time in which a worker thread was ready but waited for a CPU.
const DELAY_WARN: f64 = 0.05;
/// Twice the 5 % within which two arms are equal. Rates fall by about the share of time that a hypervisor, other
/// programs or a quota takes, and tails by far more (two busy programs on two CPUs took 20 to 40 %, and the p99 was 14
/// times the p99 on an idle machine).
const TAKEN_FAIL: f64 = 0.10;
/// `/proc/stat` counts in ticks: less than this proves nothing.
const OTHERS_MIN_S: f64 = 0.05;
/// If others do little on a machine, or were not counted, the worker may have waited for its own kernel threads on the
/// CPU that it is bound to. Beyond this share of waiting the trial measures the scheduler.
const BOUND_CPU_FAIL: f64 = 0.50;
/// Any quota that takes effect puts a comb of its periods into the latencies.
const QUOTA_WARN: f64 = 0.01;
/// Share of the time in which some task of the machine waited for a CPU. The worker's own kernel threads count, so this
/// causes a warning at most.
const PRESSURE_WARN: f64 = 0.25;

pub(super) const CHECK: Check =
    Check { name: "steal-and-pressure", bearing, moot: "No figure is read from the clock.", judge: check };

pub(super) const TRACED: Traced = Traced {
    audit: CHECK.name,
    shown: |family| {
        let [waiting, unknown] = [Stage::RunQueue, Stage::Unknown].map(|stage| family.all.of_stage(stage));
        let operation = family.operation();
        format!(
            "{} of the time of {operation}s was waiting to run, and {} is unknown",
            percent(waiting),
            percent(unknown)
        )
    },
    caused: |neighbour| {
        let share = neighbour.waiting_share;
        let waited = "of the time in which operations waited to run";
        (share, format!("{} had the CPU for {} {waited}", neighbour.program, percent(share)))
    },
    unseen: "A trace does not show the time that a hypervisor took: it is part of the segment that it interrupted.",
};

/// A time is the storage's only if the worker had its CPU.
fn bearing(used: &Use<'_>) -> Option<Bearing> {
    used.is_timed().then_some(Bearing::Required)
}

fn check(context: &Context<'_>) -> Judgement {
    let cpus = context.host.cpus.max(1) as f64;
    // Other programs come and go, and a paired comparison of several rounds tolerates one or two disturbed trials.
    let tally = Tally::read(context, Rule::Disturbance, |trial| read(trial, cpus));
    let status = tally.status();
    let judgement = match status {
        Status::Pass => {
            Judgement::pass("The worker had its CPU: steal, run-queue delay and CPU pressure were low.")
        }
        Status::NotAssessable | Status::NotApplicable => {
            Judgement::not_assessable("Neither steal nor run-queue delay nor pressure could be read.")
        }
        Status::Warn | Status::Fail if is_by_quota(context) => Judgement::new(
            status,
            format!(
                "A CPU quota of the worker's control group kept it from the CPUs in {}{}.",
                tally.share(),
                waited(context, &tally)
            ),
            "Raise or lift the quota for the run (cpu.max or cpu.cfs_quota_us; in Kubernetes limits.cpu), or take the \
             figures as those of this quota and not of the device.",
        ),
        Status::Warn | Status::Fail => Judgement::new(
            status,
            format!(
                "The worker waited for a CPU in {}{}: other programs had it, or the kernel threads that serve the \
                 worker's own operations.",
                tally.share(),
                waited(context, &tally)
            ),
            "Stop other work on this machine, pin the worker to a quiet CPU, or run as root with realtime = true.",
        ),
    };
    tally.tell(judgement)
}

/// One kind of time that was taken from the worker, as a share of the trial's time.
struct Taken {
    share: f64,
    warn_above: f64,
    fail_above: f64,
    words: &'static str,
}

fn read(trial: &Trial<'_>, cpus: f64) -> Option<Reading> {
    let phases = &trial.record.measurement.as_ref()?.phases;
    let duration_s: f64 = phases.iter().map(Phase::counted_s).sum();
    if !(duration_s > 0.0 && duration_s.is_finite()) {
        return None;
    }
    let threads = described::threads(trial.description);
    let share = |seconds: Option<f64>, per: f64| {
        seconds.map(|seconds| seconds / (duration_s * per)).filter(|share| share.is_finite())
    };
    let sum = |of: fn(&Phase) -> Option<f64>| phases.iter().map(of).sum::<Option<f64>>();
    let steal = share(sum(|phase| phase.mechanism.steal_s.value().copied()), cpus);
    let delay_s = sum(|phase| phase.mechanism.run_queue_delay_s.value().copied());
    let throttled_s = sum(throttled_s).unwrap_or(0.0);
    let pressure_s =
        sum(|phase| Measured::map(&phase.mechanism.pressure, |psi| psi.cpu_some_s).value().copied());
    let (others, others_fail, others_words) = match sum(others_user_s) {
        Some(others_s) => {
            let waited_s =
                delay_s.map(|delay_s| for_others_s(delay_s - throttled_s, others_s, threads, cpus));
            // If others do hardly any work, another CPU was free unless the worker was bound to this one.
            let is_shared = others_s / (duration_s * cpus) > TAKEN_FAIL;
            let fail_above = if is_shared { TAKEN_FAIL } else { BOUND_CPU_FAIL };
            (share(waited_s, threads), fail_above, "of the time at most because of others")
        }
        None => {
            let own = if threads >= cpus { own_share(phases, duration_s, threads, cpus) } else { 0.0 };
            let others = share(delay_s, threads).map(|delay| (delay - own).max(0.0));
            (others, BOUND_CPU_FAIL, "of the time at least because of others")
        }
    };
    let others = others.filter(|share| *share > 0.0);
    let quota = Some(throttled_s / (duration_s * threads)).filter(|share| *share > QUOTA_WARN);
    let taken = [
        (steal, STEAL_WARN, TAKEN_FAIL, "of CPU time stolen"),
        (share(delay_s, threads), DELAY_WARN, f64::INFINITY, "of the time ready but not running"),
        (others, others_fail, others_fail, others_words),
        (share(pressure_s, 1.0), PRESSURE_WARN, f64::INFINITY, "of the time some task waited for a CPU"),
        (quota, QUOTA_WARN, TAKEN_FAIL, "of the time kept from the CPUs by a quota"),
    ];
    let known = taken.into_iter().filter_map(|(share, warn_above, fail_above, words)| {
        Some(Taken { share: share?, warn_above, fail_above, words })
    });
    judge(&known.collect::<Vec<_>>())
}

fn judge(taken: &[Taken]) -> Option<Reading> {
    let text: Vec<String> =
        taken.iter().map(|taken| format!("{} {}", percent(taken.share), taken.words)).collect();
    let severity = taken.iter().map(|taken| taken.share / taken.warn_above).reduce(f64::max)?;
    let failed = taken.iter().any(|taken| taken.share > taken.fail_above);
    let fail_above = if failed { 1.0 } else { f64::INFINITY };
    Some(Reading::judged(severity, 1.0, fail_above, text.join(", ")))
}

/// CPU time in user mode of programs that are neither the worker nor the server that it drives.
fn others_user_s(phase: &Phase) -> Option<f64> {
    let others_s = *phase.mechanism.cpu_contention.others_user_s.value()?;
    let server = phase.mechanism.server.as_ref();
    let server_s = server.and_then(|server| server.user_s.value().copied()).unwrap_or(0.0);
    Some((others_s - server_s).max(0.0))
}

fn throttled_s(phase: &Phase) -> Option<f64> {
    phase.mechanism.cpu_contention.quota.value().map(|quota| quota.throttled_s)
}

/// The part of a delay, summed over threads, that other programs can have caused: while one of them has a CPU, all of
/// the worker's threads that share it wait.
fn for_others_s(delay_s: f64, others_s: f64, threads: f64, cpus: f64) -> f64 {
    let others_s = if others_s > OTHERS_MIN_S { others_s } else { 0.0 };
    delay_s.min(others_s * (threads / cpus).max(1.0)).max(0.0)
}

/// Whether the quota took more from the worker than waiting for CPUs did, over all trials.
fn is_by_quota(context: &Context<'_>) -> bool {
    let phases = || {
        let trials = context.trials.iter().flatten();
        trials
            .filter_map(|trial| trial.record.measurement.as_ref())
            .flat_map(|measurement| &measurement.phases)
    };
    let throttled: f64 = phases().filter_map(throttled_s).sum();
    let waited: f64 = phases().filter_map(|phase| phase.mechanism.run_queue_delay_s.value().copied()).sum();
    // Some kernels count a throttled thread as waiting.
    throttled > 0.0 && throttled > waited - throttled
}

/// Share of the time in which the threads of a worker that fills all CPUs may have waited for the worker itself: if
/// several share a CPU, the running one keeps the others waiting.
fn own_share(phases: &[Phase], duration_s: f64, threads: f64, cpus: f64) -> f64 {
    let used_s: f64 =
        phases.iter().map(|phase| phase.mechanism.process.user_s + phase.mechanism.process.system_s).sum();
    let share = used_s * (threads / cpus) / (duration_s * threads);
    if share.is_finite() { share } else { 0.0 }
}

/// ` (18.2 % of the time on average)`: run-queue delay over the trials of the configurations that the outcome is about.
fn waited(context: &Context<'_>, tally: &Tally) -> String {
    let about = tally.about();
    let concerned = about.iter().filter_map(Scope::configurations).flatten();
    let of_trial = |trial: &Trial<'_>| {
        let phases = &trial.record.measurement.as_ref()?.phases;
        let delay: Option<f64> =
            phases.iter().map(|phase| phase.mechanism.run_queue_delay_s.value().copied()).sum();
        let duration_s: f64 = phases.iter().map(Phase::counted_s).sum();
        Some(delay? / (duration_s * described::threads(trial.description))).filter(|share| share.is_finite())
    };
    let trials = concerned.filter_map(|index| context.trials.get(*index)).flatten();
    let shares: Vec<f64> = trials.filter_map(of_trial).collect();
    let Some(mean) = stats::sample::mean(&shares) else { return String::new() };
    format!(" ({} of the time on average in the configurations concerned)", percent(mean))
}
