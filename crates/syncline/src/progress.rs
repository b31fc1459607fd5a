//! Live progress: how far, how long still, and what the records say so far.

use crate::appearance::{Appearance, Progress, Verbosity};
use crate::launched;
use crate::message::Step;
use crate::output::{appearance, tell, tell_step};
use crate::time_spent;
use indicatif::{ProgressBar, ProgressStyle};
use lab::conduct::Observer;
use lab::next::{Due, progress};
use lab::time_account::TimeAccount;
use model::plan::Plan;
use model::printable;
use model::run::Run;
use model::traced::TracedKey;
use model::trial::{TrialKey, TrialOutcome, TrialRecord};
use model::units::{format_elapsed, format_significant};
use std::time::{Duration, Instant};
use verdict::Finding;

/// Without a terminal, a line at most this often.
const LINE_EVERY: Duration = Duration::from_secs(15);

/// What took less than this in a trial is not printed, seconds.
const SECONDS_SHOWN_MIN: f64 = 0.01;

/// Shows a bar on a terminal, a line now and then elsewhere; on standard error, so that output can be piped.
pub(crate) struct ProgressDisplay {
    bar: ProgressBar,
    appearance: Appearance,
    last_line: Instant,
    estimate: String,
    /// When the time is up, if there is a budget.
    ends: Option<Instant>,
}

impl ProgressDisplay {
    pub(crate) fn new(ends: Option<Instant>) -> Self {
        let appearance = appearance();
        let bar = match appearance.progress {
            Progress::Bar => ProgressBar::new(0),
            Progress::Lines | Progress::Hidden | Progress::Messages => ProgressBar::hidden(),
        };
        let style = ProgressStyle::with_template("{bar:24} {pos}/{len} trials, {wide_msg}\n  {prefix}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Self { bar, appearance, last_line: Instant::now(), estimate: String::new(), ends }
    }

    /// Clears the bar, so that what follows starts on an empty line.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Time until the trials that are known about are through; more of them follow while a budget lasts.
    fn left(&self, expected_s: Option<f64>) -> String {
        let budget = self.ends.map(|ends| ends.saturating_duration_since(Instant::now()).as_secs_f64());
        match (expected_s, budget) {
            (None, None) => "…".to_owned(),
            (Some(left_s), None) => format_elapsed(left_s),
            (None, Some(budget_s)) => format!("at most {}", format_elapsed(budget_s)),
            (Some(left_s), Some(budget_s)) if left_s >= budget_s => format_elapsed(budget_s),
            (Some(left_s), Some(budget_s)) => {
                format!("{} to {}", format_elapsed(left_s), format_elapsed(budget_s))
            }
        }
    }

    fn show(&mut self, run: &Run, now: &str) {
        let progress = progress(&run.plan, &run.records);
        let left = self.left(progress.left_s);
        self.bar.set_length(progress.total as u64);
        self.bar.set_position(progress.done as u64);
        self.bar.set_message(printable(&format!("{left} left: {now}")).into_owned());
        self.bar.set_prefix(shorten(&printable(&self.estimate)));
        tell_step(Step {
            done: progress.done as f64,
            total: progress.total as f64,
            now: printable(&format!("{left} left: {now}")).into_owned(),
        });
        let has_lines = self.appearance.progress == Progress::Lines && launched::reports_progress(&run.plan);
        if has_lines && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            tell(format!("{}/{} trials, {left} left: {now}", progress.done, progress.total));
            if !self.estimate.is_empty() {
                tell(format!("  so far: {}", self.estimate));
            }
        }
    }
}

impl Observer for ProgressDisplay {
    fn trials_start(&mut self, run: &Run, due: &[Due]) {
        let Some(first) = due.first() else { return };
        let (study, round) = (&run.plan.studies[first.study], first.key.round);
        let warmup = if round < study.warmup_rounds { " (warm-up)" } else { "" };
        let what = match due {
            [alone] => study.label(alone.key.configuration),
            _ => format!("{} trials take turns", due.len()),
        };
        let rounds = study.rounds_wanted(round.saturating_sub(study.warmup_rounds) + 1);
        let rounds = study.warmup_rounds.saturating_add(rounds);
        self.show(run, &format!("{} round {} of {rounds}{warmup}: {what}", study.name, round + 1));
    }

    fn traced_trial_starts(&mut self, key: &TracedKey, number: usize, of: usize) {
        self.bar.set_length(of as u64);
        self.bar.set_position(number as u64 - 1);
        let now = format!("traced trial of {}, configuration {}", key.study, key.configuration);
        self.bar.set_message(printable(&now).into_owned());
        tell_step(Step { done: number as f64 - 1.0, total: of as f64, now: printable(&now).into_owned() });
        let has_lines = self.appearance.progress == Progress::Lines;
        if has_lines && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            tell(format!("traced trial {number} of {of}"));
        }
    }

    fn trial_recorded(&mut self, run: &Run) {
        let Some(record) = run.records.last() else { return };
        if self.appearance.verbosity == Verbosity::Verbose {
            let line = trial_line(record, factors(run, record));
            self.bar.suspend(|| tell(line));
        } else if let TrialOutcome::Failed(why) | TrialOutcome::Unsupported(why) = &record.outcome {
            self.bar.suspend(|| {
                tell(format!(
                    "{}: {} did not measure: {why}",
                    record.key.study,
                    record.values.label(factors(run, record))
                ));
            });
        }
        let study = run.plan.studies.iter().find(|study| study.name == record.key.study);
        if study.is_some_and(|study| record.position as usize + 1 == study.trials_per_round()) {
            self.estimate = running_estimate(run, &record.key.study);
        }
    }
}

/// A trial, its outcome, and what its time was spent on: `commit, round 3, mode=direct: ok; 1.31 s measuring, 0.2 s …`.
fn trial_line(record: &TrialRecord, factors: Vec<&str>) -> String {
    let TrialKey { study, round, configuration: _, duplicate, block: _ } = &record.key;
    let label = record.values.label(factors);
    let again = if *duplicate { " again" } else { "" };
    let warmup = if record.warmup { " (warm-up)" } else { "" };
    let outcome = match &record.outcome {
        TrialOutcome::Ok => "ok".to_owned(),
        TrialOutcome::Failed(why) => format!("failed: {why}"),
        TrialOutcome::Unsupported(why) => format!("unsupported: {why}"),
        TrialOutcome::Killed(deadline_s) => format!("killed after {}", format_elapsed(*deadline_s)),
    };
    let parts = time_spent::named(&TimeAccount::of_trial(record)).into_iter().enumerate();
    // The first is the measurement itself, which may be short.
    let parts = parts
        .filter(|(index, (_, seconds))| *seconds >= SECONDS_SHOWN_MIN || (*index == 0 && *seconds > 0.0));
    let parts: Vec<String> =
        parts.map(|(_, (what, seconds))| format!("{what} {} s", format_significant(seconds))).collect();
    let parts = if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) };
    let round = round.saturating_add(1);
    format!("{study} round {round}{warmup}: {label}{again}: {outcome}{parts}")
}

fn factors<'a>(run: &'a Run, record: &TrialRecord) -> Vec<&'a str> {
    let study = run.plan.studies.iter().find(|study| study.name == record.key.study);
    study.map(|study| study.factors.iter().map(|factor| factor.name.as_str()).collect()).unwrap_or_default()
}

/// A line that wraps would be left behind when the bar is drawn again.
fn shorten(text: &str) -> String {
    const WIDTH_MAX: usize = 76;
    if text.chars().count() <= WIDTH_MAX {
        return text.to_owned();
    }
    text.chars().take(WIDTH_MAX - 1).chain(['…']).collect()
}

/// The first finding of the study under way, from the rounds so far. It is shown, never acted upon.
fn running_estimate(run: &Run, study: &str) -> String {
    let Some(plan) = run.plan.studies.iter().find(|plan| plan.name == study) else { return String::new() };
    let run = Run {
        plan: Plan { studies: vec![plan.clone()], skipped: Vec::new(), ..run.plan.clone() },
        host: run.host.clone(),
        records: run.of_study(plan).cloned().collect(),
        remarks: Vec::new(),
    };
    let verdict = verdict::analyse(&run, &|_| None);
    let findings = verdict.studies.first().map(|study| study.findings.as_slice()).unwrap_or_default();
    let estimate =
        findings.iter().find(|finding| finding.ratio.as_ref().is_some_and(|ratio| ratio.point.is_some()));
    estimate.map(Finding::brief).unwrap_or_default()
}
