//! The result of a study as a document: the answer, the findings, what could not be believed, the figures and the
//! method.

mod answer;
mod audits;
mod classes;
mod costs;
mod estimated;
mod extent;
mod figures;
mod findings;
mod in_numbers;
mod method;
mod precision;
mod replayed;
mod shown;
mod sized;

pub use audits::audits_in_full;

use crate::verdict::StudyVerdict;
use model::plan::StudyPlan;
use model::run::Run;
use page::{Block, Figure, Section};

/// The drawings of a page about one study.
pub struct Plots<'a> {
    /// The study's metrics by configuration, or why there is no drawing.
    pub headline: Option<Figure>,
    /// Further drawings, each a part of the study.
    pub parts: Vec<Section>,
    /// How to read the drawings of findings.
    pub legend: Option<Figure>,
    /// Draws the ratios of the finding at this place.
    pub ratios: &'a dyn Fn(usize) -> Option<Figure>,
    /// The kernel's counters by configuration.
    pub counters: Option<Figure>,
    /// Metrics of the kernel's counters, in order.
    pub counted: Vec<&'static str>,
}

impl Plots<'_> {
    /// No drawings, for a form without them.
    pub fn none() -> Plots<'static> {
        Plots {
            headline: None,
            parts: Vec::new(),
            legend: None,
            ratios: &|_| None,
            counters: None,
            counted: Vec::new(),
        }
    }
}

impl StudyVerdict {
    /// The study at this place of a run, as a chapter with these drawings.
    pub fn section(&self, run: &Run, place: usize, plots: Plots<'_>) -> Section {
        let plan = run.plan.studies.iter().find(|plan| plan.name == self.name);
        let mut parts: Vec<Section> = figures::against_best(self).into_iter().collect();
        parts.push(figures::asked(self, plan));
        parts.extend(replayed::part(self));
        parts.extend(sized::part(self));
        parts.extend(costs::part(self));
        if self.is_asked(plan) {
            parts.push(findings::part(self, plots.legend, plots.ratios));
        }
        parts.extend(plots.parts);
        parts.extend(figures::counters(self, plots.counters, &plots.counted));
        parts.push(audits::part(self, place));
        parts.push(figures::every(self, run, plan));
        parts.extend(plan.map(|plan| method::part(run, plan)));
        let mut blocks = self.head(plan);
        blocks.extend(plots.headline.map(Block::Figure));
        self.chapter(place, blocks).with_sections(parts)
    }

    /// One study among several: the question, its answer, its figures, what failed.
    pub fn in_short(&self, run: &Run, place: usize) -> Section {
        let plan = run.plan.studies.iter().find(|plan| plan.name == self.name);
        let mut blocks = self.head(plan);
        blocks.extend(figures::few(self, plan));
        blocks.extend(findings::conditions(self));
        self.chapter(place, blocks)
    }

    /// What failed and what the audits say, without the question: below a table of figures.
    pub fn trust_section(&self, place: usize) -> Section {
        let Section { blocks, .. } = audits::part(self, place);
        let failures = self.failures.iter().map(|failure| Block::remark(format!("Not measured: {failure}")));
        Section::new(format!("audits-{place}"), "Audits", failures.chain(blocks).collect())
    }

    /// Whether the study has a question: that of a job file has none, only figures and audits.
    fn is_asked(&self, plan: Option<&StudyPlan>) -> bool {
        !self.findings.is_empty() || plan.is_none_or(|plan| !plan.asks.is_empty())
    }

    /// Every audit with its evidence, for a reader who asked for it.
    pub fn audits_section(&self) -> Section {
        let audits = Section::new("", "Audits", audits_in_full(&self.audits));
        Section::new("", self.question.as_str(), Vec::new())
            .with_kicker(self.name.as_str())
            .with_sections(vec![audits])
    }

    fn chapter(&self, place: usize, blocks: Vec<Block>) -> Section {
        Section::new(format!("study-{place}"), self.question.as_str(), blocks)
            .with_kicker(format!("Study {}", self.name))
    }

    /// The answer, the extent, and what was not measured.
    fn head(&self, plan: Option<&StudyPlan>) -> Vec<Block> {
        let is_answered = self.is_asked(plan) || self.trials.ok == 0;
        let answer = is_answered.then(|| Block::answer(self.answer_text()));
        let head = answer.into_iter().chain([Block::note(extent::extent(self, plan))]);
        let failures = self.failures.iter().map(|failure| Block::remark(format!("Not measured: {failure}")));
        head.chain(failures).collect()
    }
}
