//! Made-up runs of a history whose truth is known.

use super::{DiskHistory, History, Probe, Question, Relation, Series, Unfit, Unused};
use crate::analyse;
use crate::compare::{Gate, LimitOutcome};
use model::Value;
use model::run::Run;
use stats::change_point::VALUES_MIN;
use synthetic::Synthetic;

/// Runs an hour apart. The machine is up to a fifth slower from hour to hour; `direct` of the runs from `at` on is
/// slower by `step`, and everything from `all_at` on by a third.
#[derive(Clone, Copy)]
struct Made {
    runs: usize,
    at: usize,
    step: f64,
    all_at: usize,
    page_size: u64,
}

const NEVER: usize = usize::MAX;

impl Made {
    fn run(self, hour: usize) -> Run {
        let machine = 1000.0 * (1.0 - 0.2 * ((hour * 7) % 11) as f64 / 11.0);
        let machine = if hour >= self.all_at { machine * 0.67 } else { machine };
        let direct = if hour >= self.at { 1.0 - self.step } else { 1.0 };
        let study =
            Synthetic::commit().rounds(6).fix("page_size", Value::Bytes(self.page_size)).scatter(0.0).rate(
                move |configuration, round| {
                    let is_direct = configuration.to_string().contains("mode=direct");
                    let place = configuration.to_string().len() + round as usize * 5 + hour * 3;
                    let scatter = 1.0 + 0.01 * (place % 7) as f64 / 7.0;
                    machine * scatter * if is_direct { direct } else { 1.0 }
                },
            );
        let mut run = study.run();
        run.plan.created_at = format!("2026-11-{:02}T{:02}:00:00Z", 1 + hour / 24, hour % 24);
        let ended_at = format!("2026-11-{:02}T{:02}:01:00Z", 1 + hour / 24, hour % 24);
        run.records.iter_mut().for_each(|record| record.started_at.clone_from(&ended_at));
        run.plan.seed = hour as u64;
        run
    }

    fn all(self) -> Vec<Run> {
        (0..self.runs).map(|hour| self.run(hour)).collect()
    }
}

const STEADY: Made = Made { runs: 60, at: NEVER, step: 0.0, all_at: NEVER, page_size: 4096 };

fn probe(run: &Run) -> Result<Probe, Unfit> {
    Probe::of(format!("run-{}", run.plan.created_at), run, &analyse(run, &|_| None))
}

fn history(runs: &[Run]) -> History {
    let (mut probes, mut unused) = (Vec::new(), Vec::new());
    for run in runs {
        match probe(run) {
            Ok(probe) => probes.push(probe),
            Err(why) => unused.push(Unused { run: run.plan.created_at.clone(), why }),
        }
    }
    History::new(probes, unused)
}

fn only(history: &History) -> &DiskHistory {
    let [disk] = &history.disks[..] else { panic!("{} disks", history.disks.len()) };
    disk
}

fn is_direct(question: &Question) -> bool {
    question.label.contains("mode=direct") && matches!(question.relation, Relation::ToAnchor { .. })
}

fn changed(disk: &DiskHistory) -> Vec<&Series> {
    disk.series.iter().filter(|series| !series.changes.is_empty()).collect()
}

/// The machine's own speed moves by a fifth from hour to hour, and hides 6 % in every absolute figure.
#[test]
fn a_step_of_one_arm_is_found_in_its_ratio_to_the_anchor() {
    let found = history(&Made { at: 40, step: 0.06, ..STEADY }.all());
    let disk = only(&found);
    let changed = changed(disk);
    assert!(!changed.is_empty() && changed.iter().all(|series| is_direct(&series.question)));
    let expected = disk.series.iter().filter(|series| is_direct(&series.question)).count();
    assert_eq!(changed.len(), expected);
    for series in changed {
        let [change] = &series.changes[..] else { panic!("{:?}", series.changes) };
        assert!(change.run.abs_diff(40) <= 1 && change.last_before + 1 == change.run, "{change:?}");
        assert_eq!(change.better, Some(false));
        let rate = series.question.metric == "commits_per_s";
        let point = change.ratio.point.unwrap();
        assert!((if rate { point } else { point.recip() } - 0.94).abs() < 0.01, "{point}");
    }
    assert_eq!(disk.events.len(), 1);
    assert!(disk.events[0].around.is_empty(), "{:?}", disk.events[0].around);
}

#[test]
fn what_slows_the_whole_machine_shows_in_the_anchor_alone() {
    let disk = history(&Made { all_at: 40, ..STEADY }.all());
    let changed = changed(only(&disk));
    assert!(!changed.is_empty());
    assert!(changed.iter().all(|series| series.question.relation == Relation::Absolute));
}

#[test]
fn a_steady_history_has_no_change_and_a_kernel_is_listed_where_one_is() {
    assert!(changed(only(&history(&STEADY.all()))).is_empty());
    let mut runs = Made { at: 40, step: 0.1, ..STEADY }.all();
    runs[40..].iter_mut().for_each(|run| run.host.kernel = "7.0".to_owned());
    let disk = history(&runs);
    let around: Vec<&str> = only(&disk).events[0].around.iter().map(|it| it.what.as_str()).collect();
    assert_eq!(around, ["kernel"]);
}

#[test]
fn the_order_of_reading_does_not_matter() {
    let mut runs = Made { at: 40, step: 0.1, ..STEADY }.all();
    let sorted = serde_json::to_string(&history(&runs)).unwrap();
    runs.reverse();
    runs.swap(3, 44);
    assert_eq!(serde_json::to_string(&history(&runs)).unwrap(), sorted);
}

/// One run says what it measured, and nothing of changes.
#[test]
fn few_runs_have_no_changes_and_no_limit_is_kept_by_them() {
    for runs in [1, VALUES_MIN - 1] {
        let found = history(&Made { runs, ..STEADY }.all());
        let disk = only(&found);
        assert!(disk.series.iter().all(|series| series.why_not.is_some() && series.deviation.is_none()));
        let gate = Gate::parse("commits_per_s<-50%", &found.metrics(), "these runs").unwrap();
        assert_eq!(found.judge(&gate).outcome, LimitOutcome::NotJudged);
        assert!(!page::terminal::document(&found.document(&[], &super::Plots::NONE), 100, false).is_empty());
    }
}

#[test]
fn a_limit_is_broken_kept_or_undecided() {
    let fell = history(&Made { at: 40, step: 0.1, ..STEADY }.all());
    let outcome = |history: &History, limit: &str| {
        history.judge(&Gate::parse(limit, &history.metrics(), "these runs").unwrap()).outcome
    };
    assert_eq!(outcome(&fell, "commits_per_s<-5%"), LimitOutcome::Broken);
    assert_eq!(outcome(&fell, "commits_per_s<-50%"), LimitOutcome::Kept);
    let steady = history(&STEADY.all());
    assert_eq!(outcome(&steady, "commits_per_s<-50%"), LimitOutcome::Kept);
    // The anchor alone moves by more from hour to hour.
    assert_eq!(outcome(&steady, "commits_per_s<-0.1%"), LimitOutcome::Undecided);
}

/// A fault of ten hours, which was mended.
#[test]
fn what_was_mended_breaks_no_limit() {
    let mut runs = STEADY.all();
    for (hour, run) in runs.iter_mut().enumerate().skip(20).take(10) {
        *run = Made { at: 0, step: 0.2, ..STEADY }.run(hour);
    }
    let found = history(&runs);
    let direct = changed(only(&found)).into_iter().find(|series| is_direct(&series.question)).unwrap();
    assert_eq!(direct.changes.len(), 2, "{:?}", direct.changes);
    let gate = Gate::parse("commits_per_s<-15%", &found.metrics(), "these runs").unwrap();
    assert_eq!(found.judge(&gate).outcome, LimitOutcome::Kept);
}

#[test]
fn another_disk_and_other_parameters_are_other_histories() {
    let mut runs = STEADY.all();
    for run in &mut runs[30..] {
        run.plan.directory = "/elsewhere".into();
    }
    let found = history(&runs);
    let lengths: Vec<usize> = found.disks.iter().map(|disk| disk.runs.len()).collect();
    assert_eq!(lengths, [30, 30]);
    let mut runs = STEADY.all();
    for (hour, run) in runs.iter_mut().enumerate().skip(50) {
        *run = Made { page_size: 8192, ..STEADY }.run(hour);
    }
    let found = history(&runs);
    let (current, former): (Vec<_>, Vec<_>) =
        only(&found).series.iter().partition(|series: &&Series| series.is_current);
    assert!(current.iter().all(|series| series.points.len() + series.withheld.len() == 10));
    assert!(former.iter().all(|series| series.points.len() + series.withheld.len() == 50));
}

#[test]
fn copies_and_clocks_that_nobody_set_are_named() {
    let mut runs = STEADY.all();
    runs.push(runs[7].clone());
    runs[3].plan.created_at = "1970-01-01T00:00:09Z".to_owned();
    // Set back by two hours: it seems to begin before the last trial of the run before it.
    runs[20].plan.created_at = "2026-11-01T18:00:30Z".to_owned();
    runs[20].records.iter_mut().for_each(|record| record.started_at = "2026-11-01T18:02:00Z".to_owned());
    let found = history(&runs);
    assert!(found.unused.iter().any(|unused| matches!(unused.why, Unfit::CopyOf { .. })));
    assert!(found.unused.iter().any(|unused| matches!(unused.why, Unfit::ClockNotSet { .. })));
    let disk = only(&found);
    assert_eq!((disk.runs.len(), disk.runs.iter().filter(|run| run.is_overlapping).count()), (59, 1));
}

#[test]
fn a_figure_of_a_failed_audit_is_left_out() {
    let run = STEADY.run(0);
    let mut verdict = analyse(&run, &|_| None);
    verdict.studies[0].audits.push(crate::verdict::Audit {
        name: "drift".to_owned(),
        status: crate::Status::Fail,
        summary: String::new(),
        evidence: Vec::new(),
        advice: String::new(),
        about: vec![crate::Scope::Study],
        unassessed: Vec::new(),
    });
    let probe = Probe::of("run".to_owned(), &run, &verdict).unwrap();
    let history = History::new(vec![probe], Vec::new());
    let series = &only(&history).series;
    assert!(series.iter().all(|series| series.points.is_empty() && series.withheld.len() == 1));
}
