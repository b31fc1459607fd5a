//! How much an answer depends on an audit. Each audit decides that for one figure of one configuration, from the metric
//! table and from the claims of the configuration. The requirements of an answer are collected from the figures that it
//! uses ([`requirements`](super::requirements)), so they cannot be fewer than these.

use crate::described;
use crate::verdict::Cell;
use model::Description;
use model::description::Stream;
use model::durability::DurabilityClass;
use model::metric::Source;
use model::plan::StudyPlan;

/// One figure of one configuration, or its durability, as an answer uses it.
pub(crate) struct Use<'a> {
    pub(crate) description: &'a Description,
    /// Whether its trials declare that acknowledged writes survive a power loss.
    pub(crate) declares_power: bool,
    /// The source of the metric; `None` if the answer uses no figure but the durability of acknowledged writes.
    pub(crate) source: Option<Source>,
    /// Whether the metric is a statistic of a latency distribution.
    pub(crate) is_latency: bool,
    /// Whether its trials take turns with others.
    pub(crate) takes_turns: bool,
    /// The parameters whose effect the answer states; empty if the figure stands by itself.
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
        let declares_power = cell.durability.is(DurabilityClass::Power);
        let (source, is_latency) =
            kind.map_or((None, false), |(source, is_latency)| (Some(source), is_latency));
        let takes_turns = plan.takes_turns(cell.configuration);
        Some(Self { description, declares_power, source, is_latency, takes_turns, parameters })
    }

    /// Whether the figure is compared with another arm's.
    pub(crate) fn is_compared(&self) -> bool {
        !self.parameters.is_empty()
    }

    pub(crate) fn compares(&self, parameter: &str) -> bool {
        self.parameters.iter().any(|name| name == parameter)
    }

    /// Whether the answer uses no figure but the durability of an acknowledged write.
    pub(crate) fn is_promise(&self) -> bool {
        self.source.is_none()
    }

    pub(crate) fn is_timed(&self) -> bool {
        self.source == Some(Source::Clock)
    }

    /// Whether the figure measures what the device did, or how long that took.
    pub(crate) fn is_of_device(&self) -> bool {
        matches!(self.source, Some(Source::Clock | Source::Device))
    }

    /// Whether it depends on the device or memory that did the work: all figures do except the program's own counts.
    pub(crate) fn depends_on_storage(&self) -> bool {
        self.source != Some(Source::Program)
    }

    /// Whether it depends on what holds files. An object store has none.
    pub(crate) fn depends_on_files(&self) -> bool {
        self.depends_on_storage() && !self.description.in_object_store
    }

    /// Whether any access to the data file goes through the page cache.
    pub(crate) fn uses_page_cache(&self) -> bool {
        !self.description.data_streams().all(Stream::is_direct)
    }

    /// Whether the configuration makes acknowledged writes durable, or declares so.
    pub(crate) fn promises_durability(&self) -> bool {
        self.declares_power || self.description.syncs
    }
}
