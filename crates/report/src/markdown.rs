//! The page to publish for a measurement: host, method, tables with intervals, findings, what could not be trusted, how
//! to repeat it. Plain GitHub-flavoured Markdown.

use crate::beside::Beside;
use crate::{facts, wording};
use advice::Advice;
use model::run::Run;
use page::Section;
use page::markdown::{Lines, code_block, text};
use proof::Plots;
use std::collections::BTreeMap;
use verdict::study::Plots as StudyPlots;
use verdict::{Status, Verdict, explanation};

/// Renders the page; `commands` are the command lines that repeat the run, and sentences about them.
///
/// Names from the records are escaped: they can neither contain markup nor end a table's cell.
pub fn markdown(run: &Run, verdict: &Verdict, advice: &[Advice], commands: &Repeat) -> String {
    markdown_with(run, verdict, advice, Beside::default(), commands)
}

/// [`markdown()`], with the proof that lies beside the run.
pub fn markdown_with(
    run: &Run,
    verdict: &Verdict,
    advice: &[Advice],
    beside: Beside<'_>,
    commands: &Repeat,
) -> String {
    let mut page = Lines::default();
    page.line(&format!("# {}", text(&wording::title(run))));
    let host = &run.host;
    page.paragraph(&format!(
        "Measured by Syncline {} on {} (Linux {}), {}.",
        text(&run.plan.program_version),
        text(&host.name),
        text(&host.kernel),
        text(&run.plan.created_at)
    ));
    answers(&mut page, verdict);
    trust(&mut page, verdict);
    page.heading(2, "Host");
    page.facts(&facts::host(run));
    for placement in facts::placements(run) {
        let heading = format!("Files on {}, {}", placement.filesystem, facts::known(&placement.device));
        page.heading(3, &heading);
        page.facts(&facts::placement(placement));
    }
    let studies: Vec<Section> = (verdict.studies.iter().enumerate())
        .map(|(place, study)| study.section(run, place, StudyPlots::none()))
        .collect();
    if !studies.is_empty() {
        page.paragraph(page::markdown::sections(&studies, 2).trim());
    }
    let explained = explanation::sections(beside.explanations, &|_| None);
    if !explained.is_empty() {
        page.paragraph(page::markdown::sections(&explained, 2).trim());
    }
    // A page to publish has what was decided.
    let advised: Vec<Advice> =
        advice.iter().filter(|advice| advice.advised().next().is_some()).cloned().collect();
    if let Some(section) = advice::section(&advised) {
        page.paragraph(page::markdown::sections(&[section], 2).trim());
    }
    if let Some(proof) = beside.proof {
        page.paragraph(page::markdown::sections(&[proof.section(&Plots::NONE)], 2).trim());
    }
    page.heading(2, "How to repeat it");
    for remark in &commands.remarks {
        page.paragraph(&text(remark));
    }
    page.paragraph("In a directory on the disk to be measured:");
    page.paragraph(&code_block("console", &commands.lines));
    page.paragraph(
        "The records (`plan.json`, `host.json`, `trials.jsonl`, `sidecars/`) rebuild this page: \
         `syncline export RUN --format markdown`.",
    );
    page.into_text()
}

/// How to repeat a run.
#[derive(Clone, Debug, Default)]
pub struct Repeat {
    pub lines: Vec<String>,
    /// What they leave out.
    pub remarks: Vec<String>,
    /// By study, the command that repeats it with another number of rounds: the number is appended.
    pub in_rounds: BTreeMap<String, String>,
}

fn answers(page: &mut Lines, verdict: &Verdict) {
    page.heading(2, "Answers");
    for study in &verdict.studies {
        page.item(0, &format!("**{}**: {}", text(&study.name), text(&study.answer_text())));
    }
    page.gap();
}

/// Audits that failed or warned over all studies, and remarks about the run as a whole.
fn trust(page: &mut Lines, verdict: &Verdict) {
    page.heading(2, "What could not be trusted");
    let mut open: Vec<_> = verdict
        .studies
        .iter()
        .flat_map(|study| study.audits.iter().map(move |audit| (audit, study)))
        .filter(|(audit, _)| matches!(audit.status, Status::Fail | Status::Warn))
        .collect();
    open.sort_by_key(|(audit, _)| audit.status);
    if open.is_empty() && verdict.remarks.is_empty() {
        page.paragraph("No audit failed or warned.");
        return;
    }
    for (audit, study) in open {
        let word = if audit.status == Status::Fail { "**FAIL**" } else { "warn" };
        let said =
            format!("{word}, {} in {}: {}", text(&audit.name), text(&study.name), text(&audit.summary));
        page.item(0, &said);
        if !audit.advice.is_empty() {
            page.item(1, &format!("what to do: {}", text(&audit.advice)));
        }
    }
    for remark in &verdict.remarks {
        page.item(0, &text(&remark.text()));
    }
    page.gap();
}
