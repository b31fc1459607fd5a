//! Cached bytes of the data file, or of an engine's files, compared with the memory cap: no configuration may hold more
//! than its cap, and if the page cache is used, different caps must have held different shares.

use super::super::{Context, Judgement, Trial};
use super::realised::{effect, is_varied, name};
use crate::arms::{self, Others, Stratum};
use crate::described::{Cached, cached_at_end};
use crate::phrase::percent;
use crate::verdict::{Cell, Status};
use model::Value;
use model::description::Stream;
use model::every_trial::MEMORY_CAP;
use model::units::format_bytes_approximate;

const PARAMETER: &str = MEMORY_CAP;
/// The kernel charges pages in batches per CPU and reclaims with a delay, so a cap is kept only within this factor.
const SLACK: f64 = 1.1;
/// Caps that differ by this factor …
const APART: f64 = 2.0;
/// … must have cached amounts that differ by this factor.
const FOLLOWED: f64 = 1.2;

pub(super) fn check(context: &Context<'_>) -> Option<Judgement> {
    let caps: Vec<(&Cell, Capped)> = context
        .cells
        .iter()
        .filter_map(|cell| Some((cell, Capped::in_trials(context.trials.get(cell.configuration)?)?)))
        .collect();
    let (_, first) = caps.first()?;
    let of = first.of;
    let exceeded: Vec<usize> =
        caps.iter().filter(|(_, cap)| cap.is_exceeded()).map(|(cell, _)| cell.configuration).collect();
    let alike = alike(context);
    let evidence = caps.iter().map(|(cell, cap)| format!("{}: {}", name(&cell.label), cap.words()));
    let judgement = if !exceeded.is_empty() {
        Judgement::new(
            Status::Fail,
            format!(
                "More {of} was cached than {PARAMETER} allows in {} of {} configurations: the cap did not bind.",
                exceeded.len(),
                caps.len()
            ),
            "Check the control group that the lab made (syncline doctor), and evict the file before the worker enters \
             the group.",
        )
        .at(exceeded)
    } else if !alike.is_empty() {
        Judgement::new(
            Status::Fail,
            format!("Different levels of {PARAMETER} cached the same, so its effects were not tested."),
            "Use cache = warm, or run until the cache is full: a cap that is never reached changes nothing.",
        )
        .about(effect(PARAMETER, alike.iter().flat_map(|alike| alike.configurations)))
    } else {
        Judgement::pass(format!("What was cached {of} followed {PARAMETER}."))
    };
    Some(judgement.with(alike.into_iter().map(|alike| alike.sentence)).with(evidence))
}

/// A configuration under a cap: the cap, and the cached bytes at the end, averaged over trials.
#[derive(Clone, Copy, Debug)]
pub(in crate::audits) struct Capped {
    of: &'static str,
    cap_bytes: f64,
    cached_bytes: f64,
    size_bytes: f64,
    bypasses: bool,
}

impl Capped {
    /// For the trials of one configuration; `None` without a cap or a cached size.
    pub(in crate::audits) fn in_trials(trials: &[Trial<'_>]) -> Option<Self> {
        let description = trials.first()?.description;
        let cap_bytes = description.memory_cap_bytes? as f64;
        let files: Vec<Cached> =
            trials.iter().filter_map(|trial| cached_at_end(trial.record, trial.description)).collect();
        let cached: Vec<f64> = files.iter().map(|file| file.bytes).collect();
        let sizes: Vec<f64> = files.iter().map(|file| file.size_bytes).collect();
        Some(Self {
            of: files.first()?.of,
            cap_bytes,
            cached_bytes: stats::sample::mean(&cached)?,
            size_bytes: stats::sample::mean(&sizes)?,
            bypasses: description.data_streams().all(Stream::is_direct),
        })
    }

    /// Whether more is cached than the cap allows.
    pub(in crate::audits) fn is_exceeded(&self) -> bool {
        self.cached_bytes > self.cap_bytes * SLACK
    }

    /// Bytes that fit under the cap.
    fn allowed_bytes(&self) -> f64 {
        self.cap_bytes.min(self.size_bytes)
    }

    /// `memory_cap of 512 MiB, 500 MiB of the data file cached at the end (48.8 %)`.
    pub(in crate::audits) fn words(&self) -> String {
        format!(
            "{PARAMETER} of {}, {} {} cached at the end ({})",
            format_bytes_approximate(self.cap_bytes),
            format_bytes_approximate(self.cached_bytes),
            self.of,
            percent(self.cached_bytes / self.size_bytes)
        )
    }
}

/// Two configurations of one cell of the other factors that cached the same under different caps.
struct Alike {
    configurations: [usize; 2],
    sentence: String,
}

/// Cells in which the smallest and the largest cap differ, but their cached bytes do not.
fn alike(context: &Context<'_>) -> Vec<Alike> {
    let plan = context.observations.plan;
    let levels: Vec<&Value> = plan.factor(PARAMETER).into_iter().flat_map(|factor| &factor.levels).collect();
    if !is_varied(plan, PARAMETER) {
        return Vec::new();
    }
    let strata = levels.iter().map(|level| arms::strata(plan, &[(PARAMETER, vec![*level])], Others::All));
    let mut cells: Vec<(String, Vec<(usize, Capped)>)> = Vec::new();
    for Stratum { label, configurations } in strata.flatten() {
        let capped = configurations.first().and_then(|configuration| {
            let capped = Capped::in_trials(context.trials.get(*configuration)?)?;
            (!capped.bypasses).then_some((*configuration, capped))
        });
        let Some(capped) = capped else { continue };
        match cells.iter_mut().find(|(known, _)| *known == label) {
            Some((_, caps)) => caps.push(capped),
            None => cells.push((label, vec![capped])),
        }
    }
    cells.iter().filter_map(|(label, caps)| same(label, caps)).collect()
}

fn same(label: &str, caps: &[(usize, Capped)]) -> Option<Alike> {
    let by_allowed =
        |a: &&(usize, Capped), b: &&(usize, Capped)| a.1.allowed_bytes().total_cmp(&b.1.allowed_bytes());
    let ((first, least), (second, most)) = (caps.iter().min_by(by_allowed)?, caps.iter().max_by(by_allowed)?);
    let apart = most.allowed_bytes() >= APART * least.allowed_bytes();
    (apart && most.cached_bytes < FOLLOWED * least.cached_bytes).then(|| Alike {
        configurations: [*first, *second],
        sentence: format!("{}: {} against {}.", name(label), least.words(), most.words()),
    })
}
