//! What a run would do, printed instead of doing it: `--dry-run`.

mod notes;
mod sizes;

pub(crate) use sizes::Sizes;

use crate::arguments::ResultFormat;
use crate::document;
use crate::failure::Failure;
use crate::machine::machine;
use crate::output;
use crate::premises::room_needed_bytes;
use lab::capacity::memory_needed_bytes;
use lab::estimate::{Estimate, estimate};
use lab::traced::TRACED_S;
use model::figure::count;
use model::plan::{Blocks, Skipped, StudyPlan, Turns};
use model::units::{format_bytes_approximate, format_elapsed};
use notes::Notes;
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
    /// The stage that these studies are, if they are not all of what the command does.
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<PlannedStage>,
    /// Most time that these studies may take; without a budget, every round is run.
    budget_s: Option<f64>,
    /// All studies together; files that two of them share are counted once.
    room_bytes: u64,
    room_available_bytes: u64,
    /// The most that trials which are alive together take: for themselves, and the page cache that they may fill.
    memory_bytes: u64,
    /// `None` if the kernel does not report it.
    memory_available_bytes: Option<u64>,
    /// All rounds of all studies, one after another.
    total: Estimate,
    /// The same of the rounds that a budget does not cut short; `None` without a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_of_first_rounds: Option<Estimate>,
    studies: Vec<PlannedStudy>,
    skipped: Vec<Skipped>,
}

/// A stage of several. What a later one does follows from the results of those before it, so no plan has it.
#[derive(Serialize)]
pub(crate) struct PlannedStage {
    pub(crate) name: String,
    /// Every stage that the whole may have, in order.
    pub(crate) of: Vec<String>,
    /// Most time that the whole may take, seconds.
    pub(crate) whole_budget_s: f64,
}

#[derive(Serialize)]
struct PlannedStudy {
    name: String,
    question: String,
    profile: String,
    configurations: usize,
    /// The parameters that its room follows from.
    #[serde(skip_serializing_if = "Sizes::is_empty")]
    sizes: Sizes,
    warmup_rounds: u32,
    /// Rounds that run whatever they show; under a budget, further ones follow while the study is undecided.
    rounds_first: u32,
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
    /// What the text has below all studies because of it.
    #[serde(skip)]
    notes: Notes,
    /// Traced trials, after all others.
    #[serde(skip_serializing_if = "is_none")]
    traced: usize,
    /// All rounds.
    #[serde(flatten)]
    estimate: Estimate,
    /// The first rounds; `None` if all of them run.
    #[serde(skip_serializing_if = "Option::is_none")]
    first_rounds: Option<Estimate>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_none(trials: &usize) -> bool {
    *trials == 0
}

impl PlannedStudy {
    fn new(plan: &StudyPlan) -> Self {
        Self {
            name: plan.name.clone(),
            question: plan.question.clone(),
            profile: plan.profile.clone(),
            configurations: plan.configurations.len(),
            sizes: Sizes::of(plan),
            warmup_rounds: plan.warmup_rounds,
            rounds_first: plan.rounds_first(),
            rounds: plan.rounds,
            turns: plan.turns,
            blocks: plan.blocks,
            baselines: 1 + plan.trials_per_round().saturating_sub(plan.configurations.len()),
            in_turns: (0..plan.configurations.len()).filter(|index| plan.takes_turns(*index)).collect(),
            way: verdict::turns::planned(plan),
            notes: Notes::of(plan),
            traced: plan.traced as usize * plan.configurations.len(),
            estimate: estimate(plan),
            first_rounds: first_rounds(plan).map(|first| estimate(&first)),
        }
    }
}

/// The plan without the rounds that a budget may cut; `None` if there are none.
fn first_rounds(plan: &StudyPlan) -> Option<StudyPlan> {
    let rounds = plan.rounds_first();
    (rounds < plan.rounds).then(|| StudyPlan { rounds, ..plan.clone() })
}

/// What these plans do one after another.
fn total<'a>(plans: impl Iterator<Item = &'a StudyPlan>) -> Estimate {
    plans.map(estimate).reduce(|total, next| total.then(&next)).unwrap_or_default()
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
        let of_first: Vec<StudyPlan> =
            plans.iter().map(|plan| first_rounds(plan).unwrap_or_else(|| plan.clone())).collect();
        let is_cut = plans.iter().any(|plan| first_rounds(plan).is_some());
        let machine = machine(disk::files::space_available(directory).map_err(Failure::runtime)?);
        Ok(Self {
            directory: std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned()),
            stage: None,
            budget_s: budget.map(|budget| budget.as_secs_f64()),
            room_bytes,
            room_available_bytes: machine.room_bytes,
            memory_bytes: plans.iter().map(memory_needed_bytes).max().unwrap_or(0),
            memory_available_bytes: machine.memory_bytes,
            total: Estimate { room_bytes, ..total(plans.iter()) },
            total_of_first_rounds: is_cut.then(|| Estimate { room_bytes, ..total(of_first.iter()) }),
            studies: plans.iter().map(PlannedStudy::new).collect(),
            skipped,
        })
    }

    /// The same, if these studies are one stage of several.
    pub(crate) fn of_stage(self, stage: PlannedStage) -> Self {
        Self { stage: Some(stage), ..self }
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
        if let Some(stage) = &self.stage {
            line(&mut text, "stage", &stage.text());
        }
        let size = |bytes: u64| format_bytes_approximate(bytes as f64);
        let of = |needed: u64, available: Option<u64>| {
            let available =
                available.map_or_else(String::new, |bytes| format!(", {} available", size(bytes)));
            format!("at most {} needed{available}", size(needed))
        };
        line(&mut text, "room", &of(self.room_bytes, Some(self.room_available_bytes)));
        line(&mut text, "memory", &of(self.memory_bytes, self.memory_available_bytes));
        line(&mut text, "time", &self.time());
        let is_alone = self.studies.len() == 1;
        if !is_alone {
            let studies = match &self.stage {
                Some(stage) => format!("all {} studies of the stage {}", self.studies.len(), stage.name),
                None => format!("all {} studies", self.studies.len()),
            };
            match &self.total_of_first_rounds {
                None => amounts(&mut text, &format!("Total of {studies}"), &self.total),
                Some(first) => {
                    amounts(&mut text, &format!("Total of the first rounds of {studies}"), first);
                    let all = format!("Total of all rounds of {studies}, if the budget lasts");
                    amounts(&mut text, &all, &self.total);
                }
            }
        }
        for study in &self.studies {
            text.push_str(&study.text(is_alone));
        }
        for Skipped { study, why } in &self.skipped {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "\nskipped: {study}: {why}");
        }
        let notes = self.studies.iter().map(|study| study.notes).fold(Notes::default(), Notes::and);
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n{}", notes.text());
        text
    }

    fn time(&self) -> String {
        let Some(budget_s) = self.budget_s else { return "no budget: every round runs".to_owned() };
        let most = format_elapsed(budget_s);
        let most = match &self.stage {
            Some(stage) => {
                format!("at most {most} for this stage, {} for all", format_elapsed(stage.whole_budget_s))
            }
            None => format!("at most {most} for everything"),
        };
        format!(
            "{most}; the first rounds of each study run, and the further rounds of a study run while it is undecided \
             and time is left"
        )
    }
}

impl PlannedStage {
    /// `bundle, the first of bundle, settings and mended; …`.
    fn text(&self) -> String {
        let Self { name, of, .. } = self;
        match &of[..] {
            [] | [_] => format!("{name}, the only one"),
            [others @ .., last] => format!(
                "{name}, the first of {} and {last}: every figure below is of {name} alone; which stages follow \
                 depends on its results",
                others.join(", ")
            ),
        }
    }
}

impl PlannedStudy {
    /// The amounts of the first rounds, and of all rounds if no total has them.
    fn text(&self, has_all_rounds: bool) -> String {
        let mut text = format!("\n{} (profile {}): {}\n", self.name, self.profile, self.question);
        line(&mut text, "trials", &self.trials());
        if !self.sizes.is_empty() {
            line(&mut text, "sizes", &self.sizes.text());
        }
        if self.estimate.trials > 1 {
            line(&mut text, "order", &self.way);
        }
        if self.traced > 0 {
            let trials = count(self.traced, "trial");
            line(
                &mut text,
                "traced",
                &format!("{trials} more of {TRACED_S} s a phase, after all others; no figure here has them"),
            );
        }
        let Some(first) = &self.first_rounds else {
            work(&mut text, &self.estimate);
            return text;
        };
        let heading = |text: &mut String, rounds: String, trials: usize| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  {rounds}: {}", count(trials, "trial"));
        };
        heading(&mut text, format!("first {}", count(self.rounds_first as usize, "round")), first.trials);
        work(&mut text, first);
        if has_all_rounds {
            heading(
                &mut text,
                format!("all {} rounds, if the budget lasts", self.rounds),
                self.estimate.trials,
            );
            work(&mut text, &self.estimate);
        }
        text
    }

    /// `42: 6 configurations in 6 rounds, the baseline twice in each`.
    fn trials(&self) -> String {
        let warmups = match self.warmup_rounds {
            0 => String::new(),
            rounds => format!("{rounds} warm-up and "),
        };
        let configurations = count(self.configurations, "configuration");
        let baseline = match self.baselines {
            1 => String::new(),
            2 => ", the baseline twice in each".to_owned(),
            times => format!(", the baseline {times} times in each"),
        };
        let rounds = count(self.rounds as usize, "round");
        let (trials, rounds) = match &self.first_rounds {
            None => (self.estimate.trials.to_string(), rounds),
            Some(first) => (
                format!("{} to {}", first.trials, self.estimate.trials),
                format!("{} to {rounds}", self.rounds_first),
            ),
        };
        format!("{trials}: {configurations} in {warmups}{rounds}{baseline}")
    }
}

/// A block of amounts below a heading.
fn amounts(text: &mut String, heading: &str, estimate: &Estimate) {
    // Writing to a String cannot fail.
    let _ = writeln!(text, "\n{heading}: {}", count(estimate.trials, "trial"));
    work(text, estimate);
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
    if parts.is_empty() {
        "what an engine or server takes, if it has one".to_owned()
    } else {
        parts.join(", ")
    }
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
