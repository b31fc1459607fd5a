//! A history in words: what changed and when, the series, and what the runs can show at all.

use super::event::Event;
use super::gather::{DiskHistory, History, RunOfHistory, Unused};
use super::limit::{HistoryRuling, JudgedSeries};
use super::question::Relation;
use super::series::{Change, Series};
use super::spikes::SpikesOfDisk;
use crate::compare::change::with_interval;
use crate::compare::{Difference, LimitOutcome};
use crate::estimate::Estimate;
use crate::quantity;
use model::figure::{count, exact_percent, interval, round_figure};
use model::units::format_significant;
use page::quantity::named;
use page::{
    Badge, Block, Cell, Column, Details, Document, Figure, Forms, Item, List, Section, Table, Text, Tone,
};
use std::collections::BTreeSet;

/// Notes of one kind that are not folded.
const NOTES_MAX: usize = 8;
/// Changes at one time that are not folded.
const CHANGES_MAX: usize = 6;

/// The drawings of a page.
pub struct Plots<'a> {
    /// How to read them.
    pub legend: Option<Figure>,
    /// Draws a series with its levels.
    pub series: &'a dyn Fn(&DiskHistory, &Series) -> Option<Figure>,
}

impl Plots<'_> {
    /// No drawings, for a form without them.
    pub const NONE: Plots<'static> = Plots { legend: None, series: &|_, _| None };
}

impl History {
    /// The history and its limits in words, with these drawings.
    pub fn document(&self, rulings: &[HistoryRuling], plots: &Plots<'_>) -> Document {
        let title = match &self.disks[..] {
            [disk] => format!("History of {}", disk.disk),
            disks => format!("Histories of {}", count(disks.len(), "disk")),
        };
        let separated = (self.disks.len() > 1).then(|| {
            "The runs are of several disks. Each disk has its own history; nothing is compared between them.".into()
        });
        let disks = self.disks.iter().enumerate();
        let (changes, series): (Vec<Section>, Vec<Vec<Section>>) =
            disks.map(|(place, disk)| (changes(disk, place), studies(disk, place, plots))).unzip();
        let notes = notes(&self.unused);
        Document {
            title: title.into(),
            lead: [Text::from(self.summary())].into_iter().chain(separated).collect(),
            conclusion: changes.into_iter().chain(limits(rulings)).collect(),
            closing: Some(self.closing(rulings)),
            chapters: "Studies".into(),
            sections: series.into_iter().flatten().chain(notes).chain([reading(plots)]).collect(),
            footer: concat!(
                "Syncline ",
                env!("CARGO_PKG_VERSION"),
                " · moving sums, Student's t with Bonferroni's bound"
            )
            .into(),
            elsewhere: None,
        }
    }

    /// `412 runs from … to …: 2 changes in 18 series.`
    fn summary(&self) -> String {
        let began = || self.disks.iter().flat_map(|disk| &disk.runs).map(|run| run.began_at.as_str());
        let (Some(first), Some(last)) = (began().min(), began().max()) else {
            return "No run can be used.".to_owned();
        };
        let time = if first == last { format!("at {first}") } else { format!("from {first} to {last}") };
        let looked = self.disks.iter().flat_map(DiskHistory::followed);
        let (looked, few): (Vec<&Series>, Vec<&Series>) = looked.partition(|series| series.why_not.is_none());
        let runs = count(self.runs(), "run");
        if looked.is_empty() {
            let needed = few.iter().find_map(|series| series.why_not.as_deref()).unwrap_or("no series");
            return format!("{runs} {time}. Syncline looked for no changes: {needed}.");
        }
        let events: usize = self.disks.iter().map(|disk| disk.events.len()).sum();
        let changed = looked.iter().filter(|series| !series.changes.is_empty()).count();
        let found = match events {
            0 => format!("no change in {}", of_series(looked.len())),
            _ => {
                let times = if events == 1 { "at one time".to_owned() } else { format!("at {events} times") };
                format!("{changed} of {} changed, {times}", of_series(looked.len()))
            }
        };
        format!("{runs} {time}: {found}.")
    }

    fn closing(&self, rulings: &[HistoryRuling]) -> Text {
        let open = rulings.iter().filter(|ruling| ruling.outcome != LimitOutcome::Kept);
        let open: Vec<String> =
            open.map(|ruling| format!("{} is {}", ruling.gate, ruling.outcome.badge().word)).collect();
        match open[..] {
            [] => self.summary().into(),
            _ => Text::from(format!("{} ", self.summary())).strong(format!("{}.", open.join("; "))),
        }
    }
}

/// What changed on a disk, by time.
fn changes(disk: &DiskHistory, place: usize) -> Section {
    let mut blocks = Vec::new();
    let items: Vec<Item> = disk.events.iter().map(|event| happened(disk, event)).collect();
    if items.is_empty() {
        let is_any_long = disk.followed().any(|series| series.why_not.is_none());
        blocks.push(Block::paragraph(if is_any_long {
            "No series has a change."
        } else {
            "There are too few runs to look for changes."
        }));
    } else {
        blocks.push(Block::List(List::of(items)));
    }
    blocks.extend(controls(disk));
    blocks.extend(clocks(&disk.runs));
    let disturbed = disk.runs.iter().filter(|run| run.is_disturbed).count();
    if disturbed > 0 {
        blocks.push(Block::note(format!(
            "Others used the machine during {disturbed} of {}. Their figures are used, and make the noise larger.",
            count(disk.runs.len(), "run")
        )));
    }
    blocks.extend(withheld(disk));
    blocks.extend(disk.spikes.as_ref().map(SpikesOfDisk::note));
    Section::new(format!("changes-{place}"), format!("What changed on {}", disk.disk), blocks)
        .with_short("What changed")
}

/// The changes at one time, and what differs around them.
fn happened(disk: &DiskHistory, event: &Event) -> Item {
    let changes = event.changes.iter().filter_map(|(place, number)| {
        let series = disk.series.get(*place)?;
        Some((series, series.changes.get(*number)?))
    });
    let items: Vec<Item> = changes.map(|(series, change)| changed(disk, series, change)).collect();
    let mut below = Block::first(items, CHANGES_MAX, |more| format!("{more} more series"));
    below.push(Block::paragraph(match &event.around[..] {
        [] => "Syncline recorded no difference of machine, disk or program there.".to_owned(),
        around => {
            let around: Vec<String> = around.iter().map(difference).collect();
            format!("Recorded differences there: {}.", around.join("; "))
        }
    }));
    let run = disk.runs.get(event.run);
    if run.is_some_and(|run| run.is_disturbed) {
        below.push(Block::remark("Others used the machine during the first run after it."));
    }
    let (at, name) = run.map_or(("", ""), |run| (run.began_at.as_str(), run.run.as_str()));
    Item::labelled(at, name).with_below(below)
}

fn difference(Difference { what, a, b }: &Difference) -> String {
    let shown = |value: &str| if value.is_empty() { "nothing".to_owned() } else { value.to_owned() };
    format!("{what} from {} to {}", shown(a), shown(b))
}

fn changed(disk: &DiskHistory, series: &Series, change: &Change) -> Item {
    let badge = match change.better {
        Some(false) => Badge::new(Tone::Bad, "worse"),
        Some(true) => Badge::new(Tone::Good, "better"),
        None => Badge::new(Tone::Strong, "changed"),
    };
    let from = disk.runs.get(change.run).map_or("", |run| run.run.as_str());
    let text = format!(
        "{}: {}, from {from} on ({} after it)",
        series.question.title(),
        with_interval(Some(&change.ratio)),
        count(change.runs_after, "run")
    );
    Item::of(text).with_badge(badge)
}

/// The control series: every change of one is a false alarm.
fn controls(disk: &DiskHistory) -> Option<Block> {
    let looked: Vec<&Series> =
        disk.series.iter().filter(|series| series.is_control() && series.why_not.is_none()).collect();
    let alarms: Vec<String> = looked
        .iter()
        .flat_map(|series| series.changes.iter().map(move |change| (series, change)))
        .map(|(series, change)| {
            let at = disk.runs.get(change.run).map_or("", |run| run.began_at.as_str());
            format!("{} {} at {at}", series.question.title(), with_interval(Some(&change.ratio)))
        })
        .collect();
    let of = format!("{} control series", looked.len());
    match (&alarms[..], looked.is_empty()) {
        (_, true) => None,
        ([], false) => Some(Block::note(format!("No change in {of}, whose truth is 1."))),
        (alarms, false) => Some(Block::remark(format!(
            "False alarms in {of}, whose truth is 1: {}. Doubt other changes at that time.",
            alarms.join("; ")
        ))),
    }
}

/// Runs whose clock cannot be believed.
fn clocks(runs: &[RunOfHistory]) -> Vec<Block> {
    let named = |is: fn(&RunOfHistory) -> bool| -> Vec<&str> {
        runs.iter().filter(|run| is(run)).map(|run| run.run.as_str()).collect()
    };
    let kinds = [
        (
            named(|run| run.is_overlapping),
            "was created before the last trial of the run before it: two runs measured the disk at once, or the \
             clock was set back, and their order may be wrong",
        ),
        (
            named(|run| run.is_clock_set_back),
            "has trials that go back in time: the clock was set back meanwhile",
        ),
    ];
    let told = kinds.into_iter().filter(|(runs, _)| !runs.is_empty());
    told.map(|(runs, what)| Block::remark(format!("{} {what}.", some(&runs)))).collect()
}

/// Some of the names and how many there are.
fn some(names: &[&str]) -> String {
    let shown = names[..names.len().min(NOTES_MAX)].join(", ");
    match names.len().saturating_sub(NOTES_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more: each"),
    }
}

/// Runs with figures that are not used, by the reason.
fn withheld(disk: &DiskHistory) -> Vec<Block> {
    let mut by_reason: Vec<(&str, BTreeSet<usize>)> = Vec::new();
    // A metric that no run has needs no word, unless there is none that one has.
    let is_any_used = disk.followed().any(|series| series.is_current && !series.points.is_empty());
    let is_used = |series: &&Series| series.is_current && (!is_any_used || !series.points.is_empty());
    let used = disk.followed().filter(is_used);
    for withheld in used.flat_map(|series| &series.withheld) {
        match by_reason.iter_mut().find(|(why, _)| *why == withheld.why) {
            Some((_, runs)) => drop(runs.insert(withheld.run)),
            None => by_reason.push((&withheld.why, [withheld.run].into())),
        }
    }
    let reasons = by_reason.iter().take(NOTES_MAX).map(|(why, runs)| {
        Block::remark(format!("Figures of {} are left out: {why}.", count(runs.len(), "run")))
    });
    reasons.collect()
}

/// A section for each study that has a series of several runs.
fn studies(disk: &DiskHistory, place: usize, plots: &Plots<'_>) -> Vec<Section> {
    let mut names: Vec<&str> = Vec::new();
    for series in &disk.series {
        if !names.contains(&series.question.study.as_str()) {
            names.push(&series.question.study);
        }
    }
    let study = |(number, name): (usize, &str)| {
        let of_study = disk.series.iter().filter(|series| series.question.study == name);
        let (current, former): (Vec<&Series>, Vec<&Series>) = of_study.partition(|series| series.is_current);
        let mut metrics: Vec<&str> = Vec::new();
        for series in &current {
            let is_measured = !series.points.is_empty();
            if is_measured && !metrics.contains(&series.question.metric.as_str()) {
                metrics.push(&series.question.metric);
            }
        }
        let parts = metrics.into_iter().map(|metric| {
            let of_metric: Vec<&Series> =
                current.iter().copied().filter(|series| series.question.metric == metric).collect();
            metric_section(disk, metric, &of_metric, plots)
        });
        let blocks = (!former.is_empty()).then(|| {
            Block::remark(format!(
                "{} of earlier runs {} not in the latest run, or had other parameters there: they end before it.",
                of_series(former.len()),
                if former.len() == 1 { "is" } else { "are" }
            ))
        });
        let heading = if current.is_empty() { "In earlier runs only" } else { "From run to run" };
        Section::new(format!("disk-{place}-study-{number}"), heading, blocks.into_iter().collect())
            .with_kicker(format!("Study {name}"))
            .with_sections(parts.collect())
    };
    names.into_iter().enumerate().map(study).collect()
}

fn metric_section(disk: &DiskHistory, metric: &str, series: &[&Series], plots: &Plots<'_>) -> Section {
    let named = named(metric);
    let figures = ["Runs", "Changes", "Level now", "Run to run", "Shown after 4", "12", "48 runs"];
    let mut columns = vec![Column::Words("Series".into())];
    columns.extend(figures.map(|heading| Column::Figures(heading.into())));
    let mut table = Table::new(named.heading(), columns);
    for series in series {
        let why =
            series.why_not.as_ref().map(|why| table.footnote(format!("no changes were looked for: {why}")));
        let dash = || "–".to_owned();
        let smallest = |number: usize| {
            let smallest = series.smallest.get(number).and_then(|smallest| smallest.ratio);
            smallest.map_or_else(dash, |ratio| format!("{} %", format_significant((ratio - 1.0) * 100.0)))
        };
        let level = series.levels.last().map(|level| &level.mean);
        let level = level.or_else(|| series.points.last().map(|point| &point.figure));
        table.row(vec![
            Cell::of(series_name(series)),
            Cell::of(series.points.len().to_string()),
            Cell::of(if series.why_not.is_some() { dash() } else { series.changes.len().to_string() })
                .with_footnote(why),
            Cell::of(level.map_or_else(dash, |level| figure(series, level))),
            Cell::of(
                series
                    .deviation
                    .map_or_else(dash, |deviation| format!("{} %", format_significant(deviation * 100.0))),
            ),
            Cell::of(smallest(0)),
            Cell::of(smallest(1)),
            Cell::of(smallest(2)),
        ]);
    }
    let drawn = |is_shown: bool| -> Vec<Block> {
        let shown = series.iter().filter(|series| is_first(series) == is_shown);
        let figures = shown.filter_map(|series| {
            let figure = (plots.series)(disk, series)?;
            Some([Block::note(series.question.title()), Block::Figure(figure)])
        });
        figures.flatten().collect()
    };
    let mut drawings = drawn(true);
    let others = drawn(false);
    if !others.is_empty() {
        let summary = format!("{} more series, without a change", others.len() / 2).into();
        drawings.push(Block::Details(Details { summary, blocks: others }));
    }
    let mut blocks = vec![Block::Table(table)];
    if !drawings.is_empty() {
        blocks.push(Block::Only(Forms::Html, drawings));
    }
    let direction = named.direction();
    let heading =
        if direction.is_empty() { named.heading() } else { format!("{} ({direction})", named.heading()) };
    Section::new("", heading, blocks)
}

/// Whether a page shows its drawing at once.
fn is_first(series: &Series) -> bool {
    !series.changes.is_empty() || series.question.relation == Relation::Absolute
}

fn series_name(series: &Series) -> String {
    let name = series.question.row("");
    if name.is_empty() { "the one arm".to_owned() } else { name }
}

fn of_series(count: usize) -> String {
    format!("{count} series")
}

/// A level: a figure with its unit, or a ratio.
fn figure(series: &Series, estimate: &Estimate) -> String {
    if series.question.relation != Relation::Absolute {
        return quantity::ratio_with_bounds(estimate);
    }
    let unit = named(&series.question.metric).unit;
    match (estimate.point, estimate.interval) {
        (Some(point), Some(bounds)) => {
            format!("{} ({})", round_figure(point, unit), interval(bounds, point, unit))
        }
        (Some(point), None) => round_figure(point, unit),
        (None, _) => "–".to_owned(),
    }
}

fn limits(rulings: &[HistoryRuling]) -> Option<Section> {
    let items = rulings.iter().map(|ruling| {
        let below: Vec<Item> = ruling.series.iter().map(judged).collect();
        let text = Text::default()
            .code(ruling.gate.text.as_str())
            .plain(format!(": the last level against the first, {}.", of_series(ruling.series.len())));
        Item::of(text)
            .with_badge(ruling.outcome.badge())
            .with_below(Block::first(below, NOTES_MAX, |more| format!("{more} more series")))
    });
    let items: Vec<Item> = items.collect();
    (!items.is_empty()).then(|| Section::new("limits", "Limits", vec![Block::List(List::of(items))]))
}

fn judged(judged: &JudgedSeries) -> Item {
    let result = match (&judged.ratio, &judged.why) {
        (Some(ratio), _) => with_interval(Some(ratio)),
        (None, Some(why)) => why.clone(),
        (None, None) => "no interval".to_owned(),
    };
    Item::of(format!("{}: {result}", judged.question.title())).with_badge(judged.outcome.badge())
}

/// Runs that are part of no history.
fn notes(unused: &[Unused]) -> Option<Section> {
    let item = |unused: &Unused| Item::labelled(unused.run.as_str(), unused.why.text());
    let items: Vec<Item> = unused.iter().map(item).collect();
    let summary = count(items.len(), "run");
    let blocks = Block::first(items, NOTES_MAX, |more| count(more, "more run"));
    (!unused.is_empty()).then(|| Section::new("unused", format!("{summary} not used"), blocks))
}

fn reading(plots: &Plots<'_>) -> Section {
    let alarm = exact_percent(stats::change_point::FALSE_ALARM);
    let items = [
        format!(
            "A change: Syncline compares the runs before a place with those after it, for every place and for \
             windows of 3 runs and more. Each series has a false alarm in at most {alarm} of all analyses."
        ),
        "A ratio is paired within the rounds of its run: what made the machine slow at that hour cancels. Only the \
         baseline is followed by its absolute figure."
            .to_owned(),
        "Run to run: the standard deviation of neighbouring runs. Shown after N runs: the smallest change that N runs \
         after it show nine times in ten; – if they show none."
            .to_owned(),
    ];
    let mut blocks = vec![Block::List(List::of(items.map(Item::of).to_vec()))];
    blocks.extend(plots.legend.clone().map(Block::Figure));
    Section::new("reading", "How to read this", blocks)
}
