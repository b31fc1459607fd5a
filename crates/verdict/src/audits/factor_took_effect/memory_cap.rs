//! Bytes of the data file that were cached against the memory cap: none may hold more than its cap, and where the page
//! cache is used, different caps must have held different shares.

use super::super::{Context, Judgement, Trial};
use super::{is_varied, name};
use crate::arms::{self, Others, Strip};
use crate::circumstances::{Access, data_file};
use crate::phrase::percent;
use crate::verdict::Status;
use model::Value;
use model::units::format_bytes_approximate;

const PARAMETER: &str = "memory_cap";
/// The kernel charges pages in batches per CPU and reclaims behind: a cap is kept within this factor.
const SLACK: f64 = 1.1;
/// Caps that allow this many times as much …
const APART: f64 = 2.0;
/// … must have cached at least this many times as much.
const FOLLOWED: f64 = 1.2;

pub(super) fn check(context: &Context<'_>) -> Option<Judgement> {
    let (labels, caps): (Vec<String>, Vec<Capped>) = context
        .cells
        .iter()
        .filter_map(|cell| {
            let capped = Capped::of(context.trials.get(cell.configuration)?)?;
            Some((name(&cell.label).to_owned(), capped))
        })
        .unzip();
    if caps.is_empty() {
        return None;
    }
    let exceeded = caps.iter().filter(|cap| cap.is_exceeded()).count();
    let alike = alike(context);
    let evidence = labels.iter().zip(&caps).map(|(label, cap)| format!("{label}: {}", cap.words()));
    let judgement = if exceeded > 0 {
        Judgement::new(
            Status::Fail,
            format!(
                "More of the data file was cached than {PARAMETER} allows in {exceeded} of {} configurations: the cap did \
                 not bind.",
                caps.len()
            ),
            "Look at the control group that the lab made (syncline doctor), and evict the file before it is entered.",
        )
    } else if !alike.is_empty() {
        Judgement::new(
            Status::Fail,
            format!("Different levels of {PARAMETER} cached the same, so its effects were not tested."),
            "Use cache = warm, or run until the cache is full: a cap that is never reached changes nothing.",
        )
    } else {
        Judgement::pass(format!("What was cached of the data file followed {PARAMETER}."))
    };
    Some(judgement.with(alike).with(evidence))
}

/// A configuration under a cap: the cap, and the data file's cached bytes at the end, averaged over trials.
#[derive(Clone, Copy, Debug)]
pub(in crate::audits) struct Capped {
    cap_bytes: f64,
    cached_bytes: f64,
    size_bytes: f64,
    bypasses: bool,
}

impl Capped {
    /// Of the trials of one configuration; `None` without a cap or without what was cached.
    pub(in crate::audits) fn of(trials: &[Trial<'_>]) -> Option<Self> {
        let circumstances = &trials.first()?.circumstances;
        let cap_bytes = circumstances.memory_cap_bytes?;
        let cached = |trial: &Trial<'_>| {
            let data = data_file(trial.record)?;
            let bytes = data.cached_share_after.value()? * data.size_bytes as f64;
            bytes.is_finite().then_some((bytes, data.size_bytes as f64))
        };
        let files: Vec<(f64, f64)> = trials.iter().filter_map(cached).collect();
        let (cached, sizes): (Vec<f64>, Vec<f64>) = files.into_iter().unzip();
        Some(Self {
            cap_bytes,
            cached_bytes: stats::sample::mean(&cached)?,
            size_bytes: stats::sample::mean(&sizes)?,
            bypasses: circumstances.data_accesses().all(Access::is_direct),
        })
    }

    /// Whether more is cached than the cap allows.
    pub(in crate::audits) fn is_exceeded(&self) -> bool {
        self.cached_bytes > self.cap_bytes * SLACK
    }

    /// Bytes of the file that the cap leaves room for.
    fn allowed_bytes(&self) -> f64 {
        self.cap_bytes.min(self.size_bytes)
    }

    /// `memory_cap of 512 MiB, 500 MiB of the data file cached at the end (48.8 %)`.
    pub(in crate::audits) fn words(&self) -> String {
        format!(
            "{PARAMETER} of {}, {} of the data file cached at the end ({})",
            format_bytes_approximate(self.cap_bytes),
            format_bytes_approximate(self.cached_bytes),
            percent(self.cached_bytes / self.size_bytes)
        )
    }
}

/// Cells in which the smallest and the largest cap differ and what they cached does not.
fn alike(context: &Context<'_>) -> Vec<String> {
    let plan = context.observations.plan;
    let levels: Vec<&Value> = plan.factor(PARAMETER).into_iter().flat_map(|factor| &factor.levels).collect();
    if !is_varied(plan, PARAMETER) {
        return Vec::new();
    }
    let strips = levels.iter().map(|level| arms::strips(plan, &[(PARAMETER, vec![*level])], Others::All));
    let mut cells: Vec<(String, Vec<Capped>)> = Vec::new();
    for Strip { label, configurations } in strips.flatten() {
        let trials = configurations.first().and_then(|configuration| context.trials.get(*configuration));
        let Some(capped) = trials.and_then(|trials| Capped::of(trials)).filter(|capped| !capped.bypasses)
        else {
            continue;
        };
        match cells.iter_mut().find(|(known, _)| *known == label) {
            Some((_, caps)) => caps.push(capped),
            None => cells.push((label, vec![capped])),
        }
    }
    cells.iter().filter_map(|(label, caps)| same(label, caps)).collect()
}

fn same(label: &str, caps: &[Capped]) -> Option<String> {
    let by_allowed = |a: &&Capped, b: &&Capped| a.allowed_bytes().total_cmp(&b.allowed_bytes());
    let (least, most) = (caps.iter().min_by(by_allowed)?, caps.iter().max_by(by_allowed)?);
    let apart = most.allowed_bytes() >= APART * least.allowed_bytes();
    (apart && most.cached_bytes < FOLLOWED * least.cached_bytes)
        .then(|| format!("{}: {} against {}.", name(label), least.words(), most.words()))
}
