//! Laws of published tables that no other audit covers by what only a record has.
//!
//! The other laws of `laws` are for what a table leaves to be inferred. For a trial Syncline knows what its latency
//! times (`comparable-metric`), what reached the device (`cache-or-disk`), what was in the page cache (`cold-cache`,
//! `working-set`), whether a sync flushed (`volatile-cache`), what was realised (`factor-took-effect`), what differs
//! between arms (`same-knobs`, `durability-class`) and how often it was repeated (`small-n`).

use super::tally::{Rule, Tally};
use super::{Bearing, Check, Context, Judgement, Trial};
use crate::claims::latency;
use crate::observations::value;
use crate::verdict::{Cell, Status};
use laws::list::{impossible_order, interval_excludes_median, not_direct, spread_exceeds_mean};
use laws::{Circumstances, Claim, Estimate, Figure, Law, Median, Spread, SpreadKind};
use model::description::Stream;
use model::metric::{self, Source};
use std::collections::BTreeSet;

pub(super) const IMPOSSIBLE_ORDER: Check = Check {
    name: impossible_order::LAW.name,
    bearing: |used| (used.is_timed() && used.is_latency).then_some(Bearing::Limiting),
    moot: "No latency is measured.",
    judge: |context| of_trials(context, &impossible_order::LAW, lines),
};

/// Whether Syncline itself reads or writes by direct I/O. An engine's caches answer in less than a device's time.
pub(super) const NOT_DIRECT: Check = Check {
    name: not_direct::LAW.name,
    bearing: |used| {
        let is_direct = used.description.streams.iter().any(Stream::is_direct);
        let is_ours = is_direct && !used.description.in_engine && !used.description.figures.loads.is_empty();
        (used.is_timed() && is_ours).then_some(Bearing::Limiting)
    },
    moot: "Syncline itself reads and writes nothing by direct I/O.",
    judge: |context| of_trials(context, &not_direct::LAW, moved),
};

pub(super) const SPREAD_EXCEEDS_MEAN: Check = Check {
    name: spread_exceeds_mean::LAW.name,
    bearing: |used| (used.is_timed() && !used.is_compared()).then_some(Bearing::Limiting),
    moot: "Nothing is timed.",
    judge: |context| of_cells(context, &spread_exceeds_mean::LAW),
};

pub(super) const INTERVAL_EXCLUDES_MEDIAN: Check = Check {
    name: interval_excludes_median::LAW.name,
    bearing: |used| (used.is_timed() && !used.is_compared()).then_some(Bearing::Limiting),
    moot: "Nothing is timed.",
    judge: |context| of_cells(context, &interval_excludes_median::LAW),
};

/// No chance breaks such a law: the figures contradict each other, or something else was measured.
fn of_trials(context: &Context<'_>, law: &'static Law, claims: fn(&Trial<'_>) -> Vec<Claim>) -> Judgement {
    let tally = Tally::by_law(context, Rule::AnyTrial, law, claims);
    let status = tally.status();
    let summary = law.summary(status, tally.checked(), tally.off(), "trial");
    let advice = if status < Status::NotAssessable { law.advice } else { "" };
    tally.tell(Judgement::new(status, summary, advice))
}

/// Every latency line of a trial.
fn lines(trial: &Trial<'_>) -> Vec<Claim> {
    let loads = trial.description.figures.loads.iter().map(|load| &load.latency);
    let families: BTreeSet<&String> = trial.description.figures.families.iter().chain(loads).collect();
    families.into_iter().map(|family| claim(trial, family, Circumstances::default())).collect()
}

/// The operations of a trial that move bytes of a file.
fn moved(trial: &Trial<'_>) -> Vec<Claim> {
    let loads = trial.description.figures.loads.iter().filter_map(|load| {
        let mut streams = trial.description.streams.iter();
        let stream = streams.find(|stream| Some(&stream.role) == load.role.as_ref())?;
        Some(claim(
            trial,
            &load.latency,
            Circumstances { mode: Some(stream.mode), ..Circumstances::default() },
        ))
    });
    loads.collect()
}

fn claim(trial: &Trial<'_>, family: &str, setting: Circumstances) -> Claim {
    Claim { latency: latency(family, &|name| value(trial.record, name)), setting, ..Claim::default() }
}

fn of_cells(context: &Context<'_>, law: &'static Law) -> Judgement {
    let claims: Vec<Claim> = context.cells.iter().map(|cell| timed(context, cell)).collect();
    let found = law.judge(&claims, "configuration");
    let at = found.readings.iter().filter(|reading| reading.is_off());
    let at: BTreeSet<usize> = at.map(|reading| context.cells[reading.claim].configuration).collect();
    // Without an interval none can be wrong.
    let lacks = found.status == Status::NotAssessable;
    let status = if lacks { Status::NotApplicable } else { found.status };
    Judgement::new(status, found.summary.as_str(), found.advice()).at(at).with(found.evidence)
}

/// The times and rates that the study asks about.
fn timed(context: &Context<'_>, cell: &Cell) -> Claim {
    let is_timed =
        |name: &&String| metric::find(name).is_some_and(|metric| metric.family.source == Source::Clock);
    let estimate = |name: &String| {
        let figure = cell.figures.get(name)?;
        let column = name.clone();
        let half = figure.mean.interval.map(|(low, high)| Figure::exact((high - low) / 2.0));
        Some(Estimate {
            same_as: None,
            figure: figure.mean.point.map(Figure::exact),
            spread: half.map(|figure| Spread { column: column.clone(), kind: SpreadKind::HalfWidth, figure }),
            median: figure
                .median
                .point
                .map(|median| Median { column: column.clone(), figure: Figure::exact(median) }),
            column,
        })
    };
    let estimates = context.asked.iter().filter(is_timed).filter_map(estimate).collect();
    Claim {
        label: cell.label.clone(),
        place: "the only configuration".to_owned(),
        estimates,
        ..Claim::default()
    }
}
