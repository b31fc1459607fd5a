//! How much an answer leans on an audit. Each audit says it of one figure of one configuration, from the metric table and
//! from what the configuration claims; what an answer requires is put together from the figures that it uses
//! ([`requirements`]), and so cannot be shorter than these demand.

use super::{AUDITS, Check};
use crate::attribution::Requirement;
use crate::circumstances::{Access, Circumstances, Workload};
use crate::verdict::Cell;
use model::Configuration;
use model::metric::{self, Source};
use model::plan::StudyPlan;
use serde::Serialize;

/// How much an answer leans on an audit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Bearing {
    /// A warning of it limits the answer. The figure says the same where the audit could not be carried out.
    Limiting,
    /// The answer claims what the audit checks: without a pass (or a warning, which limits it) nothing is proven.
    Required,
}

/// One figure of one configuration, or the promise that it makes, as an answer uses it.
pub(crate) struct Use<'a> {
    pub(crate) workload: Workload,
    pub(crate) values: &'a Configuration,
    pub(crate) circumstances: Circumstances,
    /// Whether its trials declare that what they acknowledge survives a power loss.
    pub(crate) declares_power: bool,
    /// What the metric is read from; `None`: no figure is used, but what its acknowledgements promise.
    pub(crate) source: Option<Source>,
    /// Whether the metric is a statistic of a latency distribution.
    pub(crate) is_latency: bool,
    /// The parameters whose effect is told; none where the figure stands by itself.
    pub(crate) parameters: &'a [String],
}

impl<'a> Use<'a> {
    fn new(
        plan: &'a StudyPlan,
        cell: &Cell,
        parameters: &'a [String],
        kind: Option<(Source, bool)>,
    ) -> Option<Self> {
        let values = plan.configurations.get(cell.configuration)?;
        let workload = Workload::of(&plan.workload);
        let circumstances = workload.circumstances(values);
        let declares_power = cell.durability == "power";
        let (source, is_latency) =
            kind.map_or((None, false), |(source, is_latency)| (Some(source), is_latency));
        Some(Self { workload, values, circumstances, declares_power, source, is_latency, parameters })
    }

    /// Whether arms are compared, and not a figure told by itself.
    pub(crate) fn is_compared(&self) -> bool {
        !self.parameters.is_empty()
    }

    pub(crate) fn compares(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|name| name == parameter)
    }

    /// Whether no figure is used, but what is promised of an acknowledged write.
    pub(crate) fn is_promise(&self) -> bool {
        self.source.is_none()
    }

    pub(crate) fn is_timed(&self) -> bool {
        self.source == Some(Source::Clock)
    }

    /// Whether the figure is of what the device did, or of how long that took.
    pub(crate) fn is_of_device(&self) -> bool {
        matches!(self.source, Some(Source::Clock | Source::Device))
    }

    /// Whether it depends on which device or memory did the work: all does but what the program itself counted.
    pub(crate) fn depends_on_storage(&self) -> bool {
        self.source != Some(Source::Program)
    }

    /// Whether any access to the data file goes through the page cache.
    pub(crate) fn uses_page_cache(&self) -> bool {
        !self.circumstances.data_accesses().all(Access::is_direct)
    }

    /// Whether the configuration makes what it acknowledges durable, or says so.
    pub(crate) fn promises_durability(&self) -> bool {
        self.declares_power || self.circumstances.syncs
    }
}

/// The audits that vouch for these metrics of these configurations, in the list's order, each with the configurations
/// that most leans on it for. Configurations without a trial that counts have no figure.
pub(crate) fn requirements(
    plan: &StudyPlan,
    cells: &[Cell],
    configurations: &[usize],
    parameters: &[String],
    metrics: &[&str],
) -> Vec<Requirement> {
    let kinds: Vec<_> = kinds(metrics.iter().copied()).into_iter().map(Some).collect();
    of_kinds(plan, cells, configurations, parameters, &kinds)
}

/// The audits without which it is not proven that what a configuration acknowledged is durable, however fast it was; `None`:
/// it does not promise that.
pub(crate) fn requirements_of_promise(
    plan: &StudyPlan,
    cells: &[Cell],
    configuration: usize,
) -> Option<Vec<Requirement>> {
    let mut measured = cells.iter().filter(|cell| cell.n > 0 && cell.configuration == configuration);
    Use::new(plan, measured.next()?, &[], None).filter(Use::promises_durability)?;
    let mut requirements = of_kinds(plan, cells, &[configuration], &[], &[None]);
    requirements.retain(|required| required.bearing == Bearing::Required);
    Some(requirements)
}

fn of_kinds(
    plan: &StudyPlan,
    cells: &[Cell],
    configurations: &[usize],
    parameters: &[String],
    kinds: &[Option<(Source, bool)>],
) -> Vec<Requirement> {
    let measured = cells.iter().filter(|cell| cell.n > 0 && configurations.contains(&cell.configuration));
    let uses: Vec<(usize, Use<'_>)> = measured
        .flat_map(|cell| {
            let uses = kinds.iter().filter_map(|kind| Use::new(plan, cell, parameters, *kind));
            uses.map(|used| (cell.configuration, used))
        })
        .collect();
    let of = |check: &Check| {
        let leaning = uses.iter().filter_map(|(configuration, used)| {
            (check.bearing)(used).map(|bearing| (bearing, *configuration))
        });
        let leaning: Vec<(Bearing, usize)> = leaning.collect();
        let bearing = leaning.iter().map(|(bearing, _)| *bearing).max()?;
        let most = leaning.iter().filter(|(found, _)| *found == bearing);
        let mut configurations: Vec<usize> = most.map(|(_, configuration)| *configuration).collect();
        configurations.sort_unstable();
        configurations.dedup();
        Some(Requirement { audit: check.name.to_owned(), bearing, configurations })
    };
    AUDITS.iter().filter_map(of).collect()
}

/// Whether any figure of a study, told by itself or compared, leans on an audit.
pub(super) fn arises(check: &Check, plan: &StudyPlan, cells: &[Cell]) -> bool {
    let factors: Vec<String> = plan.factors.iter().map(|factor| factor.name.clone()).collect();
    let mut measured = cells.iter().filter(|cell| cell.n > 0);
    measured.any(|cell| {
        kinds(cell.figures.keys().map(String::as_str)).into_iter().any(|kind| {
            let mut uses =
                [&[][..], &factors].into_iter().filter_map(|names| Use::new(plan, cell, names, Some(kind)));
            uses.any(|used| (check.bearing)(&used).is_some())
        })
    })
}

/// What these metrics are read from, and whether they are latencies, each once.
fn kinds<'a>(metrics: impl Iterator<Item = &'a str>) -> Vec<(Source, bool)> {
    let mut kinds = Vec::new();
    for kind in metrics.map(kind) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

/// What a metric is read from. One that no table knows may be read from anything: the clock has most audits behind it.
fn kind(name: &str) -> (Source, bool) {
    metric::find(name)
        .map_or((Source::Clock, false), |metric| (metric.family.source, metric.family.distribution))
}
