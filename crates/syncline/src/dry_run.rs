//! What a run would do, printed instead of doing it: `--dry-run`.

use crate::arguments::ResultFormat;
use crate::document;
use crate::failure::Failure;
use crate::output;
use crate::premises::room_needed_bytes;
use lab::estimate::{Estimate, estimate};
use model::figure::count;
use model::plan::{Blocks, Skipped, StudyPlan, Turns};
use model::units::{format_bytes_approximate, format_elapsed};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Columns of the text in a file.
const WIDTH: usize = 100;

/// The plan of a run that is not made.
#[derive(Serialize)]
pub(crate) struct DryRun {
    #[serde(serialize_with = "model::path_text::serialize")]
    directory: PathBuf,
    /// Most time that the run may take; without a budget, every round is run.
    budget_s: Option<f64>,
    /// All studies together; files that two of them share are counted once.
    room_bytes: u64,
    room_available_bytes: u64,
    /// All studies, one after another.
    total: Estimate,
    studies: Vec<PlannedStudy>,
    skipped: Vec<Skipped>,
}

#[derive(Serialize)]
struct PlannedStudy {
    name: String,
    question: String,
    profile: String,
    configurations: usize,
    warmup_rounds: u32,
    /// At most, if a budget may end the study earlier.
    rounds: u32,
    turns: Turns,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Blocks>,
    /// How many times a round has the baseline: twice, and once more in every further block.
    #[serde(skip)]
    baselines: usize,
    /// Indices of the configurations that take turns; the others run one after another.
    in_turns: Vec<usize>,
    /// The same in words.
    #[serde(skip)]
    way: String,
    #[serde(flatten)]
    estimate: Estimate,
}

impl PlannedStudy {
    fn new(plan: &StudyPlan) -> Self {
        Self {
            name: plan.name.clone(),
            question: plan.question.clone(),
            profile: plan.profile.clone(),
            configurations: plan.configurations.len(),
            warmup_rounds: plan.warmup_rounds,
            rounds: plan.rounds,
            turns: plan.turns,
            blocks: plan.blocks,
            baselines: 1 + plan.trials_per_round().saturating_sub(plan.configurations.len()),
            in_turns: (0..plan.configurations.len()).filter(|index| plan.takes_turns(*index)).collect(),
            way: verdict::turns::planned(plan),
            estimate: estimate(plan),
        }
    }
}

impl DryRun {
    /// What these plans would do below this directory, which is only looked at.
    pub(crate) fn new(
        directory: &Path,
        plans: &[StudyPlan],
        skipped: Vec<Skipped>,
        budget: Option<Duration>,
    ) -> Result<Self, Failure> {
        let room_bytes = room_needed_bytes(plans);
        let total = plans.iter().map(estimate).reduce(|total, next| total.then(&next)).unwrap_or_default();
        Ok(Self {
            directory: std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned()),
            budget_s: budget.map(|budget| budget.as_secs_f64()),
            room_bytes,
            room_available_bytes: disk::files::space_available(directory).map_err(Failure::runtime)?,
            total: Estimate { room_bytes, ..total },
            studies: plans.iter().map(PlannedStudy::new).collect(),
            skipped,
        })
    }

    pub(crate) fn print(&self, format: ResultFormat) -> Result<ExitCode, Failure> {
        match format {
            ResultFormat::Text => output::print_words(&self.text(), WIDTH),
            ResultFormat::Json => document::print(self),
        }
    }

    fn text(&self) -> String {
        let mut text = String::from(
            "Dry run: nothing was measured or written. All figures are estimates from the plan.\n\n",
        );
        line(&mut text, "directory", &self.directory.display().to_string());
        let room = |bytes: u64| format_bytes_approximate(bytes as f64);
        let available = room(self.room_available_bytes);
        line(&mut text, "room", &format!("at most {} needed, {available} available", room(self.room_bytes)));
        let budget = self.budget_s.map_or_else(
            || "no budget: every round runs".to_owned(),
            |seconds| {
                format!(
                    "at most {} for everything: a study may end before its last round",
                    format_elapsed(seconds)
                )
            },
        );
        line(&mut text, "time", &budget);
        if self.studies.len() > 1 {
            let trials = format!("{} in {} studies", self.total.trials, self.studies.len());
            line(&mut text, "trials", &trials);
            work(&mut text, &self.total);
        }
        for study in &self.studies {
            text.push_str(&study.text());
        }
        for Skipped { study, why } in &self.skipped {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "\nskipped: {study}: {why}");
        }
        text.push_str(
            "\nStarting workers, making files and waiting for a quiet device take more time. Metadata, journals, a \
             server's own files and an engine's compaction are more bytes. Direct I/O and PostgreSQL were not \
             tried.\n",
        );
        text
    }
}

impl PlannedStudy {
    fn text(&self) -> String {
        let Estimate { trials, .. } = self.estimate;
        let mut text = format!("\n{} (profile {}): {}\n", self.name, self.profile, self.question);
        let warmups = match self.warmup_rounds {
            0 => String::new(),
            rounds => format!("{rounds} warm-up and "),
        };
        let configurations = count(self.configurations, "configuration");
        let rounds = count(self.rounds as usize, "round");
        let baseline = match self.baselines {
            1 => "the baseline once".to_owned(),
            2 => "the baseline twice".to_owned(),
            times => format!("the baseline {times} times"),
        };
        let trials = format!("{trials}: {configurations} in {warmups}{rounds}, {baseline}");
        line(&mut text, "trials", &trials);
        line(&mut text, "order", &self.way);
        work(&mut text, &self.estimate);
        text
    }
}

/// The time, the bytes and the memory of a study, or of several.
fn work(text: &mut String, estimate: &Estimate) {
    line(text, "measuring", &measuring(estimate));
    if let Some(stated_s) = estimate.stated_s {
        line(text, "ends", &format!("within {}, as the profile states", format_elapsed(stated_s)));
    }
    let Estimate { counted_read_bytes, timed_reading_s, .. } = *estimate;
    let read = moved(&[("by a count of operations or passes", counted_read_bytes)], timed_reading_s);
    line(text, "reads", &read);
    line(text, "writes", &written(estimate));
    line(text, "memory", &memory(estimate));
}

fn written(estimate: &Estimate) -> String {
    let Estimate {
        files_written_bytes, counted_written_bytes, killed_written_bytes, timed_writing_s, ..
    } = *estimate;
    let written = [
        ("to make files", files_written_bytes),
        ("by a count of operations or a load", counted_written_bytes),
    ];
    let mut written = moved(&written, timed_writing_s);
    if killed_written_bytes > 0 {
        let room = format_bytes_approximate(killed_written_bytes as f64);
        // Writing to a String cannot fail.
        let _ = write!(written, ", what processes write in 50 ms until they are killed (room: {room})");
    }
    written
}

fn measuring(estimate: &Estimate) -> String {
    let Estimate { trials_counted, measuring_s_min, measuring_s_max, .. } = *estimate;
    let (least, most) = (format_elapsed(measuring_s_min), format_elapsed(measuring_s_max));
    let timed = match (measuring_s_min > 0.0, least == most) {
        (_, true) => least,
        (true, false) => format!("{least} to {most}"),
        (false, false) => format!("at most {most}"),
    };
    match (measuring_s_max > 0.0, trials_counted) {
        (false, _) => "until their operations are done".to_owned(),
        (true, 0) => timed,
        (true, trials) => {
            format!("{timed}, and until the operations of {} are done", count(trials, "trial"))
        }
    }
}

fn memory(estimate: &Estimate) -> String {
    let size = |bytes: u64| format_bytes_approximate(bytes as f64);
    let Estimate { buffers_bytes, page_cache_bytes, .. } = *estimate;
    let parts = [("of blocks in flight", buffers_bytes), ("of page cache", page_cache_bytes)];
    let parts = parts.iter().filter(|(_, bytes)| *bytes > 0);
    let parts: Vec<String> = parts.map(|(what, bytes)| format!("{} {what}", size(*bytes))).collect();
    if parts.is_empty() { "what its engine takes".to_owned() } else { parts.join(", ") }
}

/// Bytes by what they are for, and the time in which the disk decides how many there are.
fn moved(counted: &[(&str, u64)], timed_s: f64) -> String {
    let counted = counted.iter().filter(|(_, bytes)| *bytes > 0);
    let mut parts: Vec<String> = counted
        .map(|(what, bytes)| format!("at most {} {what}", format_bytes_approximate(*bytes as f64)))
        .collect();
    if timed_s > 0.0 {
        parts.push(format!("as much as the disk moves in {}", format_elapsed(timed_s)));
    }
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}

fn line(text: &mut String, name: &str, value: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "  {name:10} {value}");
}

#[cfg(test)]
mod readme;
