//! `syncline check`: half a minute, one screen, no reading needed.

use crate::arguments::CheckArguments;
use crate::failure::Failure;
use crate::launched;
use crate::output;
use crate::publish::publish_session;
use crate::request::{Request, TracedTrials};
use crate::servers::Wanted;
use crate::session::Finished;
use crate::signals::interrupted_by_signals;
use crate::studies::{self, CHECK, CHECK_COMMITS as COMMITS, CHECK_PROFILE as PROFILE};
use advice::Advice;
use lab::plan::Overrides;
use model::host::Placement;
use model::plan::Turns;
use model::printable;
use model::run::Run;
use model::study::Study;
use std::fmt::Write as _;
use std::process::ExitCode;
use verdict::Verdict;
use verdict::explanation::{self, Explanation};

/// Columns of the screen.
const WIDTH: usize = 100;
/// Measures, prints one screen, and writes the report like any run.
pub(crate) fn run(arguments: &CheckArguments) -> Result<ExitCode, Failure> {
    let interrupted = interrupted_by_signals()?;
    let studies: Vec<Study> = CHECK.into_iter().map(studies::find).collect::<Result<_, _>>()?;
    let overrides = Overrides {
        profile: Some(PROFILE.to_owned()),
        rounds: arguments.rounds,
        turns: Turns::Auto,
        ..Overrides::default()
    };
    let request = Request {
        studies: &studies,
        database: None,
        overrides: &overrides,
        dir: arguments.place.path(),
        out: arguments.out.as_deref(),
        rank: launched::rank(&arguments.rank)?,
        sharers: 1,
        again: arguments.rank.again,
        seed: arguments.seed,
        wanted: Wanted::default(),
        // Fewer rounds than the profile has would rate nothing, so it takes the time that they take.
        budget: None,
        what_is_possible: true,
        traced: TracedTrials::OfStudy(COMMITS),
        interrupted: &interrupted,
    };
    if arguments.dry_run {
        return request.rehearse()?.print(arguments.format);
    }
    let session = request.begin()?;
    let Finished { directory, closed, account: _ } = session.conduct(&interrupted)?;
    let code = publish_session(directory.files(), directory.run(), arguments.format, screen);
    closed.and(code)
}

/// Everything that is printed.
fn screen(run: &Run, verdict: &Verdict, advice: &[Advice], explanations: &[Explanation]) -> String {
    let colour = output::appearance().colour;
    let mut text = format!("{}\n\n", printable(&title(run)));
    text.push_str(&report::rated(run, verdict, output::width(WIDTH), colour));
    let figures = format!("{}{}", over(verdict), longer(verdict));
    text.push_str(&report::items(&[("etcd", etcd(advice)), ("figures", figures)], output::width(WIDTH)));
    text.push('\n');
    // What to distrust comes with the figures, before the published ones.
    text.push_str(&report::distrust(verdict, output::width(WIDTH), colour));
    text.push_str(&report::among_published(run, verdict));
    for skipped in &run.plan.skipped {
        let why = format!("{}: {}", skipped.study, skipped.why);
        let _ = writeln!(text, "\n  skipped: {}", printable(&why));
    }
    if let Some(traced) = traced(explanations) {
        text.push('\n');
        text.push_str(&report::items(&[("trace", traced)], output::width(WIDTH)));
    }
    text
}

/// Where the time of a commit went, or why that is not known.
fn traced(explanations: &[Explanation]) -> Option<String> {
    let found = explanations.first()?;
    let Some(arm) = found.arms.first() else {
        return found
            .unsupported
            .as_ref()
            .map(|why| format!("where the time of a commit goes is not known: {why}"));
    };
    Some(explanation::arm_in_words(arm))
}

fn title(run: &Run) -> String {
    let measured = run.records.iter().find_map(|record| record.measurement.as_ref());
    let place = measured.map_or_else(String::new, |measurement| device(&measurement.placement));
    format!("{}{place} · Linux {}", run.plan.directory.display(), run.host.kernel)
}

fn device(placement: &Placement) -> String {
    let name = placement.model.value().or(placement.device.value());
    name.map_or_else(String::new, |name| format!(" · {} on {}", placement.filesystem, name.trim()))
}

/// What the figures are.
fn over(verdict: &Verdict) -> String {
    let cells = verdict.studies.iter().filter_map(|study| study.cells.first());
    let counts = cells
        .flat_map(|cell| cell.figures.values())
        .map(|figure| figure.values.iter().filter(|(_, value)| value.is_some()).count())
        .filter(|trials| *trials > 0);
    let (fewest, most) =
        counts.fold((usize::MAX, 0), |(low, high), trials| (low.min(trials), high.max(trials)));
    match (fewest, most) {
        (_, 0 | 1) => "of 1 trial".to_owned(),
        (fewest, most) if fewest == most => format!("means over {most} trials with their t intervals"),
        (fewest, most) => format!("means over {fewest} to {most} trials with their t intervals"),
    }
}

/// How to have a p99 on a disk that is too slow for one: it takes a thousand commits a trial, and some to spare.
fn longer(verdict: &Verdict) -> String {
    const COMMITS_WANTED: f64 = 1200.0;
    let study = verdict.studies.iter().find(|found| found.name == COMMITS);
    let figures = study.and_then(|study| study.cells.first()).map(|cell| &cell.figures);
    let point = |metric: &str| figures?.get(metric)?.mean.point;
    match (point("commit_latency_p99_us"), point("commits_per_s").filter(|rate| *rate > 0.0)) {
        (None, Some(rate)) => {
            let seconds = (COMMITS_WANTED / rate).ceil();
            format!(
                "; for a p99 of commits, run syncline run {COMMITS} --profile {PROFILE} --fix runtime={seconds}s"
            )
        }
        (_, _) => String::new(),
    }
}

/// What the advice for etcd says: its rule, its bound and the audits that it requires are one everywhere.
fn etcd(advice: &[Advice]) -> String {
    let advice = advice.iter().find(|advice| advice.database == "etcd");
    let decision = advice.and_then(|advice| advice.settings.first()).map(|setting| &setting.decision);
    match decision.map(|decision| (decision.recommended(), decision.open())) {
        Some((Some(found), _)) => format!("{}: {}", found.value, found.statement.text()),
        Some((None, Some(none))) => format!("no judgement: {}", none.cause.text()),
        Some((None, None)) | None => "not measured".to_owned(),
    }
}
