//! What could not be trusted, over all studies of a run: one entry for each kind, worst first.

use crate::headline::{Conclusion, Headline};
use crate::label::label;
use crate::markdown::Repeat;
use crate::quantity;
use model::run::Run;
use model::study::ROUNDS_MAX;
use std::borrow::Cow;
use verdict::{Audit, Cell, Finding, RunRemark, Status, StudyVerdict, Verdict};

/// The maximum number of configurations that are named.
const CONFIGURATIONS_MAX: usize = 4;

/// An audit that failed or warned, or that an answer requires and that could not be carried out, with every study
/// concerned.
#[derive(Clone, Debug)]
pub(crate) struct Doubt<'a> {
    pub(crate) status: Status,
    pub(crate) audit: &'a str,
    /// Whether it bears on a decided answer of one of these studies.
    pub(crate) limits_answers: bool,
    /// Indices in the verdict of the studies concerned; the summary is that of the first.
    pub(crate) studies: Vec<usize>,
    /// Its summary there; which configurations it could not judge, if it judged others.
    pub(crate) summary: Cow<'a, str>,
    pub(crate) advice: &'a str,
}

/// Failures before warnings; among those, the audits that concern most studies first. A study that measured nothing is
/// listed elsewhere.
pub(crate) fn doubts(verdict: &Verdict) -> Vec<Doubt<'_>> {
    let mut doubts: Vec<Doubt<'_>> = Vec::new();
    let measured = verdict.studies.iter().enumerate().filter(|(_, study)| study.trials.ok > 0);
    for (place, audit) in
        measured.flat_map(|(place, study)| study.audits.iter().map(move |audit| (place, audit)))
    {
        let Some(status) = doubted(&verdict.studies[place], audit) else { continue };
        let limits_answers = verdict.studies[place].limits_answers(audit);
        let summary = summary(&verdict.studies[place], audit, status);
        // Each study on which an answer rests has its own summary; the names of the others are enough.
        let is_alike = |known: &&mut Doubt<'_>| {
            known.summary == summary || (status == Status::Warn && !known.limits_answers && !limits_answers)
        };
        let alike = doubts.iter_mut().filter(|known| (known.status, known.audit) == (status, &audit.name));
        match alike.into_iter().find(is_alike) {
            Some(known) => {
                known.studies.push(place);
                known.limits_answers |= limits_answers;
            }
            None => doubts.push(Doubt {
                status,
                audit: &audit.name,
                limits_answers,
                studies: vec![place],
                summary,
                advice: &audit.advice,
            }),
        }
    }
    doubts.sort_by_key(|doubt| (doubt.status, usize::MAX - doubt.studies.len()));
    doubts
}

/// How an audit reduces trust; `None` if it does not. An audit that judged some configurations, but not those of an
/// answer that requires it, counts as not carried out there.
fn doubted(study: &StudyVerdict, audit: &Audit) -> Option<Status> {
    match audit.status {
        Status::Fail | Status::Warn => Some(audit.status),
        Status::NotAssessable | Status::Pass | Status::NotApplicable => {
            let is_required = |finding| study.unproven(finding).any(|open| open.name == audit.name);
            study.findings.iter().any(is_required).then_some(Status::NotAssessable)
        }
    }
}

/// "Not assessable: the device saw as many flushes as acknowledged syncs need" was printed of an audit that had passed
/// for other configurations.
fn summary<'a>(study: &StudyVerdict, audit: &'a Audit, status: Status) -> Cow<'a, str> {
    if status == audit.status {
        return Cow::Borrowed(&audit.summary);
    }
    let is_open = |cell: &&Cell| audit.unassessed.contains(&cell.configuration);
    let open: Vec<String> = study.cells.iter().filter(is_open).map(|cell| label(study, cell)).collect();
    let shown = open.iter().take(CONFIGURATIONS_MAX).cloned().collect::<Vec<_>>().join("; ");
    let more = match open.len().saturating_sub(CONFIGURATIONS_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Cow::Owned(format!("It could not be carried out for {shown}{more}."))
}

/// A study whose answer is undecided.
#[derive(Clone, Debug)]
pub(crate) struct Undecided<'a> {
    /// Its index in the verdict.
    pub(crate) study: usize,
    pub(crate) name: &'a str,
    /// What is undecided: `commits/s, dsync against fdatasync`.
    pub(crate) subject: String,
    /// What would decide it, or why that is unknown, as a clause.
    pub(crate) way_out: String,
    /// The command that runs that many rounds, if the number is known.
    pub(crate) command: Option<String>,
}

/// The undecided findings at the start of a study's answer and of its questions on the first screen, in the verdict's
/// order.
pub(crate) fn undecided<'a>(
    verdict: &'a Verdict,
    headlines: &'a [Headline<'a>],
    repeat: &Repeat,
) -> Vec<Undecided<'a>> {
    let mut undecided = Vec::new();
    for (place, study) in verdict.studies.iter().enumerate() {
        let on_screen = headlines.iter().filter(|headline| headline.study == place);
        let mut topics: Vec<&Finding> = study.findings.first().into_iter().collect();
        for finding in on_screen.filter_map(|headline| headline.finding) {
            if !topics.iter().any(|topic| topic.is_of_topic(finding)) {
                topics.push(finding);
            }
        }
        undecided.extend(topics.into_iter().filter_map(|topic| of_topic(repeat, place, study, topic)));
    }
    undecided
}

/// The undecided findings of an ask about a metric.
fn of_topic<'a>(
    repeat: &Repeat,
    place: usize,
    study: &'a StudyVerdict,
    topic: &Finding,
) -> Option<Undecided<'a>> {
    let of_topic = study.findings.iter().filter(|finding| finding.is_of_topic(topic));
    let open = of_topic.filter_map(|finding| Some((finding, finding.outlook.as_ref()?)));
    // With several levels, the one that needs most rounds determines how long the study takes.
    let (open, outlook) = open.max_by_key(|(finding, _)| finding.rounds_needed())?;
    let done = study.cells.iter().map(|cell| cell.n).max().unwrap_or(0);
    let rounds = open.rounds_needed().map(|more| done.saturating_add(more));
    // If more rounds are needed than a run accepts, there is no command.
    let rounds = rounds.filter(|rounds| *rounds <= ROUNDS_MAX as usize);
    let command = repeat.in_rounds.get(&study.name).zip(rounds);
    let command = command.map(|(again, rounds)| format!("{again} {rounds}"));
    Some(Undecided {
        study: place,
        name: &study.name,
        subject: format!("{}, {}", quantity::named(&open.metric).title, open.about()),
        way_out: outlook.text(),
        command,
    })
}

/// Studies without a successful trial, by name.
pub(crate) fn unmeasured(verdict: &Verdict) -> Vec<&StudyVerdict> {
    verdict.studies.iter().filter(|study| study.trials.ok == 0).collect()
}

/// The remarks on the run that no other part of "what could not be trusted" contains.
pub(crate) fn remarks(verdict: &Verdict) -> impl Iterator<Item = String> {
    let is_unmeasured = |name: &str| unmeasured(verdict).into_iter().any(|study| study.name == name);
    let is_told = move |remark: &&RunRemark| match remark {
        RunRemark::Skipped { .. } => true,
        RunRemark::Missing { study, .. } => is_unmeasured(study),
        RunRemark::Read(_)
        | RunRemark::Resumed { .. }
        | RunRemark::Repeated { .. }
        | RunRemark::Unplanned { .. }
        | RunRemark::OfNoStudy { .. } => false,
    };
    verdict.remarks.iter().filter(move |remark| !is_told(remark)).map(RunRemark::text)
}

/// The number of answers, doubts and gaps, each with its tone: the page's first line.
pub(crate) fn tally(run: &Run, verdict: &Verdict, headlines: &[Headline<'_>]) -> Vec<(&'static str, String)> {
    let doubts = doubts(verdict);
    let of = |status| doubts.iter().filter(|doubt| doubt.status == status).count();
    let decided = headlines.iter().filter(|it| it.conclusion == Conclusion::Decided);
    let (sound, doubtful): (Vec<&Headline<'_>>, Vec<&Headline<'_>>) =
        decided.partition(|it| it.failed.is_empty() && it.unproven.is_empty());
    let (unproven, doubtful): (Vec<&Headline<'_>>, Vec<&Headline<'_>>) =
        doubtful.into_iter().partition(|it| it.failed.is_empty());
    let open = headlines.iter().filter(|it| it.conclusion == Conclusion::Undecided).count();
    let is_measured = |it: &&Headline<'_>| verdict.studies[it.study].trials.ok > 0;
    let unanswered = headlines.iter().filter(|it| it.conclusion == Conclusion::Unanswered);
    let parts = [
        ("pass", sound.len(), "answered", "answered"),
        ("fail", doubtful.len(), "doubtful", "doubtful"),
        ("warn", unproven.len(), "not proven", "not proven"),
        ("warn", open, "undecided", "undecided"),
        ("unknown", unanswered.filter(is_measured).count(), "without an answer", "without an answer"),
        ("fail", of(Status::Fail), "audit failed", "audits failed"),
        ("warn", of(Status::Warn), "audit warns", "audits warn"),
        ("warn", of(Status::NotAssessable), "audit not carried out", "audits not carried out"),
        ("unknown", unmeasured(verdict).len(), "study not measured", "studies not measured"),
        ("unknown", run.plan.skipped.len(), "study skipped", "studies skipped"),
    ];
    let word = |(tone, count, one, many): (_, usize, _, _)| (tone, model::figure::counted(count, one, many));
    parts.into_iter().filter(|(_, count, _, _)| *count > 0).map(word).collect()
}
