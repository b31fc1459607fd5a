//! What somebody states about one configuration: figures, how far each may lie from what was measured, and what is
//! known about how they were made. Everything is optional: a page leaves things out, and a record lacks what was
//! not counted.

mod estimate;
mod figure;
mod latency;
mod number;
mod rated;
mod setting;
mod sync;

pub use estimate::{Estimate, Median, Spread, SpreadKind};
pub use figure::Figure;
pub use latency::{Latency, LatencyFigure, Percentile, Timed, time};
pub use number::{Number, NumberKind};
pub use rated::{Property, Rated};
pub use setting::{Arrivals, Cache, Circumstances, Direction, is_engine};
pub use sync::{Sync, System};

use model::printable;
use std::collections::BTreeMap;

/// One configuration, measured once or several times: a row of a table, a trial of a run, or a disk in a file for a
/// scheduler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Claim {
    /// What tells it from the others.
    pub label: String,
    /// Where it stands: `line 4`.
    pub place: String,
    /// The study it belongs to, if there are several: claims of different studies answer different questions and
    /// are not compared.
    pub study: Option<String>,
    /// What it was measured with.
    pub setting: Circumstances,
    /// Operations completed per second.
    pub operations_per_s: Option<f64>,
    /// Bytes per second.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// From an operation's submission to its end.
    pub latency: Latency,
    /// For `fsync` or `fdatasync` alone.
    pub sync: Latency,
    /// For a whole commit: its write and its sync.
    pub commit: Latency,
    /// Commits per second, where `operations_per_s` counts the reads beside them.
    pub commits_per_s: Option<f64>,
    /// Syncs under way at a time: syncs per second × their mean latency. Their time is in no operation's.
    pub syncs_under_way: Option<f64>,
    /// How far the number of this name may lie from what was measured, in its unit; none if it was not rounded. A
    /// printed number may lie a step of its last digit away, as people both round and cut.
    pub uncertainties: BTreeMap<String, f64>,
    /// Operations in flight by Little's law where they are summed up run by run or stream by stream, each rate ×
    /// its mean latency: at least, and at most if one latency stands for several operations.
    pub in_flight_accounted: Option<(f64, f64)>,
    /// Operations in flight as the program itself counted them, averaged over time.
    pub in_flight_counted: Option<f64>,
    /// Share of the syncs, or of the writes that are durable when they end, that are too short for a device, if
    /// each was timed.
    pub syncs_too_short: Option<f64>,
    /// Share of the bytes read that the page cache gave, where it was measured.
    pub page_cache_hit_share: Option<f64>,
    /// fio's completion latency (submission itself left out), where both are published.
    pub completion: Option<Latency>,
    /// Published figures with a spread between runs.
    pub estimates: Vec<Estimate>,
    /// Its place in a ranking that is published with it.
    pub rank: Option<u64>,
    /// Repetitions behind each figure; never operations.
    pub n: Option<u64>,
    /// Operations behind a percentile.
    pub operations: Option<u64>,
    /// Time measured, seconds.
    pub runtime_s: Option<f64>,
    /// Latency histogram: (ns, operations), ascending.
    pub bins: Vec<(f64, u64)>,
    /// Figures of a disk in a file for a scheduler, which has no others.
    pub rated: Vec<Rated>,
}

/// The study and the access pattern.
pub(crate) type Comparison<'a> = (Option<&'a str>, Option<&'a str>);

impl Claim {
    /// Label and place: `direct (line 4)`.
    pub fn name(&self) -> String {
        if self.label.is_empty() { self.place.clone() } else { format!("{} ({})", self.label, self.place) }
    }

    /// What claims have in common that are taken to be compared.
    pub(crate) fn comparison(&self) -> Comparison<'_> {
        (self.study.as_deref(), self.setting.pattern.as_deref())
    }

    /// One of the latencies.
    pub const fn latency_of(&self, timed: Timed) -> &Latency {
        match timed {
            Timed::Operation => &self.latency,
            Timed::Sync => &self.sync,
            Timed::Commit => &self.commit,
        }
    }

    /// One of the latencies, to be changed.
    pub const fn latency_of_mut(&mut self, timed: Timed) -> &mut Latency {
        match timed {
            Timed::Operation => &mut self.latency,
            Timed::Sync => &mut self.sync,
            Timed::Commit => &mut self.commit,
        }
    }

    /// Puts a figure, ns, into one of the latencies.
    pub fn put(&mut self, timed: Timed, figure: LatencyFigure, stated: Figure) {
        let value_ns = self.measured(&format!("{} {}", timed.name(), figure.name()), stated);
        self.latency_of_mut(timed).put(figure, value_ns);
    }

    /// Keeps how far the number of this name may lie from what was measured, and gives its value.
    pub fn measured(&mut self, name: &str, figure: Figure) -> f64 {
        self.uncertainties.insert(name.to_owned(), figure.uncertainty);
        figure.value
    }

    /// A number of this name with its uncertainty.
    pub(crate) fn figure(&self, name: &str, value: f64) -> Figure {
        Figure { value, uncertainty: self.uncertainties.get(name).copied().unwrap_or(0.0) }
    }

    /// Operations per second.
    pub(crate) fn rate(&self) -> Option<Figure> {
        Some(self.figure("iops", self.operations_per_s?))
    }

    /// Bytes per second.
    pub(crate) fn bandwidth(&self) -> Option<Figure> {
        Some(self.figure("bandwidth", self.bandwidth_bytes_per_s?))
    }

    /// Commits per second.
    pub(crate) fn commit_rate(&self) -> Option<Figure> {
        Some(self.figure("commits", self.commits_per_s?))
    }

    /// A figure of a latency by its name within the line (`mean`, `p99`), ns.
    pub(crate) fn timed(&self, timed: Timed, name: &str) -> Option<Figure> {
        Some(self.figure(&format!("{} {name}", timed.name()), self.latency_of(timed).named(name)?))
    }

    /// The median of a latency or else its mean, with its name within the line, ns.
    pub(crate) fn typical(&self, timed: Timed) -> Option<(String, Figure)> {
        let (name, _) = self.latency_of(timed).typical()?;
        let figure = self.timed(timed, &name)?;
        Some((name, figure))
    }

    /// The results that people rank and divide, with their names.
    pub(crate) fn results(&self) -> Vec<(String, Figure)> {
        let own = [
            ("iops", self.operations_per_s),
            ("bandwidth", self.bandwidth_bytes_per_s),
            ("commits", self.commits_per_s),
            ("latency mean", self.latency.mean_ns),
        ];
        let own =
            own.into_iter().filter_map(|(name, value)| Some((name.to_owned(), self.figure(name, value?))));
        let others = self.estimates.iter().filter(|estimate| estimate.same_as.is_none());
        own.chain(others.filter_map(|estimate| Some((estimate.column.clone(), estimate.figure?)))).collect()
    }

    /// The fastest operation, or what comes closest to it that is not an accident, with its name within the line, ns.
    pub(crate) fn fastest(&self) -> Option<(String, Figure)> {
        let (name, _) = self.latency.fastest()?;
        let figure = self.timed(Timed::Operation, &name)?;
        Some((name, figure))
    }

    /// What a file for a scheduler states.
    pub fn rated(&self, property: Property) -> Option<&Rated> {
        self.rated.iter().find(|figure| figure.property == property)
    }

    /// `read_iops = 95000`.
    pub(crate) fn shown(&self, property: Property) -> String {
        self.rated(property).map_or_else(String::new, |figure| {
            printable(&format!("{} = {}", figure.name, figure.text)).into_owned()
        })
    }
}
