//! How much an answer leans on an audit. Each audit says it of one figure of one configuration, from the metric table and
//! from what the configuration claims; what an answer requires is put together from the figures that it uses
//! ([`requirements`](super::requirements)), and so cannot be shorter than these demand.

use crate::described;
use crate::verdict::Cell;
use model::Description;
use model::description::Stream;
use model::metric::Source;
use model::plan::StudyPlan;

/// One figure of one configuration, or the promise that it makes, as an answer uses it.
pub(crate) struct Use<'a> {
    pub(crate) description: &'a Description,
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
    pub(super) fn new(
        plan: &'a StudyPlan,
        cell: &Cell,
        parameters: &'a [String],
        kind: Option<(Source, bool)>,
    ) -> Option<Self> {
        plan.configurations.get(cell.configuration)?;
        let description = described::configuration(plan, cell.configuration);
        let declares_power = cell.durability == "power";
        let (source, is_latency) =
            kind.map_or((None, false), |(source, is_latency)| (Some(source), is_latency));
        Some(Self { description, declares_power, source, is_latency, parameters })
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
        !self.description.data_streams().all(Stream::is_direct)
    }

    /// Whether the configuration makes what it acknowledges durable, or says so.
    pub(crate) fn promises_durability(&self) -> bool {
        self.declares_power || self.description.syncs
    }
}
