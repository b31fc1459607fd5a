//! An observation in words and drawings: a section for each of its parts.

mod against;
mod cells;
mod devices;
mod files;
mod not_seen;
mod operations;
mod spikes;
mod waterfall;

use crate::class::Class;
use crate::observation::{ClassFigures, Explanation, Observation, Part};
use crate::plot;
use model::figure::{elapsed, exact_percent, percent, round};
use page::{Block, Document, Forms, Section};

impl Observation {
    /// The observation as a document, with what follows for the settings of its databases if that is known.
    pub fn document(&self, settings: Option<Section>) -> Document {
        let mut sections = Vec::new();
        sections.extend(operations::section(self));
        sections.extend(self.over_time());
        sections.extend(files::section(self));
        sections.extend(waterfall::section(&self.explanations));
        sections.extend(spikes::section(self));
        sections.extend(devices::section(self));
        sections.extend(self.against.as_ref().map(|run| against::section(self, run)));
        sections.extend(settings);
        sections.extend(not_seen::section(&self.not_seen));
        let conclusion = self.conclusion();
        Document {
            title: format!("Operations of {}", self.target).into(),
            lead: vec![self.lead().into(), conclusion.as_str().into()],
            sections,
            closing: Some(conclusion.into()),
            footer: concat!("Syncline ", env!("CARGO_PKG_VERSION")).into(),
            ..Document::default()
        }
    }

    /// The result in a few sentences.
    pub fn conclusion(&self) -> String {
        let rate = |class: Class| {
            let of = self.class(class)?;
            let rate = cells::estimated(round(of.operations_per_s), of.is_estimate());
            Some(format!("{rate} {}/s", class.plural()))
        };
        let rates: Vec<String> = Class::ALL.into_iter().filter_map(rate).collect();
        if rates.is_empty() {
            let seconds = if self.is_sampled() { self.recording.seconds } else { self.duration_s };
            return format!("In {} s nothing was read, written or synced.", round(seconds));
        }
        let mut sentences = vec![format!("{}.", rates.join(", "))];
        if self.classes.iter().any(ClassFigures::is_estimate) {
            let share = percent(self.recording.share);
            sentences
                .push(format!("Rates with ≈ are estimates: calls were recorded for {share} of the time."));
        }
        if let Some(syncs) = self.class(Class::Sync).filter(|of| of.operations > 0) {
            let latency = syncs.latency.as_ref().map_or(0.0, |latency| latency.mean_us);
            sentences.push(format!(
                "A sync takes {} on average; at least one is under way in {} of the time.",
                elapsed(latency),
                percent(syncs.busy_share)
            ));
        }
        sentences.extend(self.explanations.iter().rev().find_map(Explanation::sentence));
        sentences.join(" ")
    }

    fn lead(&self) -> String {
        let databases: Vec<String> =
            self.databases.iter().map(|(name, root)| format!("{name} in {root}")).collect();
        let databases = match databases.as_slice() {
            [] => "no database that Syncline knows by its files".to_owned(),
            some => some.join(", "),
        };
        let processes = match self.processes {
            1 => "1 process".to_owned(),
            more => format!("{more} processes"),
        };
        format!("{} s, {processes}: {databases}.", round(self.duration_s))
    }

    /// A drawing alone, which only a page has.
    fn over_time(&self) -> Option<Section> {
        let spikes = self.spikes.as_ref().map_or(&[][..], |spikes| spikes.slowest.as_slice());
        let figure = plot::over_time(&self.over_time, spikes, self.duration_s)?;
        Some(Section::new("over-time", "Over time", vec![Block::Figure(figure)]).only(Forms::Html))
    }
}

impl Explanation {
    /// The biggest part of the mean.
    fn sentence(&self) -> Option<String> {
        let biggest = |parts: &[Part]| {
            let biggest = parts.iter().max_by(|one, other| one.share.total_cmp(&other.share))?;
            Some(format!("{} ({})", biggest.segment.name(), percent(biggest.share)))
        };
        let (mean, slowest) = (biggest(&self.parts)?, biggest(&self.slowest_parts)?);
        Some(format!(
            "Most of the time of a {}: {mean}. For the slowest {}: {slowest}.",
            self.class.singular(),
            exact_percent(0.01)
        ))
    }
}
