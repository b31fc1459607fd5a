//! What the database does beside what the disk can do.

use crate::class::Class;
use crate::observation::{AgainstRun, DiskFigure, Observation, Part};
use model::figure::{elapsed, interval, percent, round, round_figure};
use model::metric::Unit;
use page::{Block, Section};
use std::fmt::Write;

pub(super) fn section(seen: &Observation, run: &AgainstRun) -> Section {
    let mut sentences = vec![match seen.class(Class::Sync).filter(|of| of.operations > 0) {
        Some(syncs) => format!(
            "The database syncs {}/s. At least one sync is under way in {} of the time; on average {} are.",
            round(syncs.operations_per_s),
            percent(syncs.busy_share),
            round(syncs.depth_by_littles_law)
        ),
        None => "The database did not sync.".to_owned(),
    }];
    sentences.push(measured(run));
    sentences.extend(twice_as_fast(seen));
    let note = format!("The disk by {}, which measured {}.", run.run, run.place);
    let blocks = vec![Block::paragraph(sentences.join(" ")), Block::note(note)];
    Section::new("disk", "Beside the disk", blocks)
}

/// What the run measured, or why its figure is missing.
fn measured(run: &AgainstRun) -> String {
    let Some(commits) = &run.commits_per_s else {
        return match run.withheld_by.as_slice() {
            [] => "The run did not measure how many commits the disk makes in a second.".to_owned(),
            [audit] => format!("The run's commits/s cannot be believed: its audit {audit} failed."),
            audits => {
                format!("The run's commits/s cannot be believed: its audits {} failed.", audits.join(", "))
            }
        };
    };
    let mut measured =
        format!("The disk commits {}, one write and sync after another", figure(commits, Unit::PerSecond));
    if let Some(p99) = &run.commit_latency_p99_us {
        let _ = write!(measured, "; 99 of 100 take at most {}", figure(p99, Unit::Microseconds));
    }
    format!("{measured}.")
}

fn figure(of: &DiskFigure, unit: Unit) -> String {
    let mean = round_figure(of.mean, unit);
    match of.interval {
        Some(bounds) => format!("{mean} ({})", interval(bounds, of.mean, unit)),
        None => mean,
    }
}

/// A device that is twice as fast halves its own part, and what waits behind it at most.
fn twice_as_fast(seen: &Observation) -> Option<String> {
    let sync = seen.explanations.iter().find(|of| of.class == Class::Sync)?;
    let is_device = |part: &&Part| part.segment.stage.is_device();
    let share: f64 = sync.parts.iter().filter(is_device).map(|part| part.share).sum();
    Some(format!(
        "{} of a sync is the device: twice as fast, it would save at most {}.",
        percent(share),
        elapsed(sync.mean_us * share / 2.0)
    ))
}
