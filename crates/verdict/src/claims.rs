//! Trials as claims, for the laws: what a configuration is, by its description, and what was measured of it.

use laws::{Arrivals, Cache, Circumstances, Claim, Direction, Latency, LatencyFigure};
use model::Description;
use model::description::{self, Load, Rate, Stream};
use model::metric::{STATISTICS, Statistic};

/// A trial of a configuration as a claim. `value` gives the trial's metrics; a metric without a value is not stated.
pub fn claim(description: &Description, value: &dyn Fn(&str) -> Option<f64>) -> Claim {
    let (rate, family) = metrics(description).unwrap_or_default();
    Claim {
        operations_per_s: value(rate),
        bandwidth_bytes_per_s: value("bandwidth_bytes_per_s"),
        latency: latency(family, value),
        page_cache_hit_share: value("page_cache_hit_share"),
        n: Some(1),
        setting: setting(description),
        ..Claim::default()
    }
}

/// The statistics of a family of latencies.
pub(crate) fn latency(family: &str, value: &dyn Fn(&str) -> Option<f64>) -> Latency {
    let mut latency = Latency::default();
    for (name, statistic) in STATISTICS {
        let figure = match statistic {
            Statistic::Mean => LatencyFigure::Mean,
            Statistic::StandardDeviation => LatencyFigure::StandardDeviation,
            Statistic::Max => LatencyFigure::Max,
            Statistic::Quantile(quantile) => LatencyFigure::Percentile(*quantile),
        };
        if let Some(micros) = value(&format!("{family}_{name}_us")) {
            latency.put(figure, micros * 1e3);
        }
    }
    latency
}

/// What the configuration is.
fn setting(description: &Description) -> Circumstances {
    let role = operations(description).and_then(|load| load.role.as_deref());
    let streams = || description.streams.iter().filter(|stream| role.is_none_or(|role| stream.role == role));
    let depth = description.depth.as_ref().map(|depth| depth.operations);
    Circumstances {
        pattern: pattern(streams()),
        direction: direction(streams()),
        mode: streams().next().map(|stream| stream.mode),
        block_bytes: one(streams().map(|stream| stream.block_bytes)),
        iodepth: depth,
        numjobs: Some(description.threads),
        in_flight: streams().next().and_then(|stream| stream.in_flight_max).filter(|_| depth.is_none()),
        synced: Some(description.syncs),
        durability: description.durability,
        file_bytes: description.data_bytes,
        memory_cap_bytes: description.memory_cap_bytes,
        cache: cache(description.cache),
        arrivals: arrivals(description),
        ..Circumstances::default()
    }
}

/// The operations that the claim is about: those on the data, or on the log if there are no others.
fn operations(description: &Description) -> Option<&Load> {
    let on = |role: &str| description.figures.loads.iter().find(|load| load.role.as_deref() == Some(role));
    on("data").or_else(|| description.figures.loads.iter().find(|load| load.role.is_some()))
}

/// The metric of a load's operations per second, and its latency's family.
fn metrics(description: &Description) -> Option<(&str, &str)> {
    let load = operations(description)?;
    match load.rates.as_slice() {
        [Rate::Every { metric, operations: 1 }] => Some((metric, &load.latency)),
        _ => None,
    }
}

fn direction<'a>(streams: impl Iterator<Item = &'a Stream>) -> Option<Direction> {
    let directions: Vec<description::Direction> = streams.map(|stream| stream.direction).collect();
    let has = |direction| directions.contains(&direction);
    match (has(description::Direction::Read), has(description::Direction::Write)) {
        (true, true) => Some(Direction::Mixed),
        (true, false) => Some(Direction::Read),
        (false, true) => Some(Direction::Write),
        (false, false) => None,
    }
}

/// fio's name of what these operations do.
fn pattern<'a>(streams: impl Iterator<Item = &'a Stream> + Clone) -> Option<String> {
    let is_random = streams.clone().next()?.is_random?;
    let name = match (direction(streams)?, is_random) {
        (Direction::Read, false) => "read",
        (Direction::Read, true) => "randread",
        (Direction::Write, false) => "write",
        (Direction::Write, true) => "randwrite",
        (Direction::Mixed, false) => "rw",
        (Direction::Mixed, true) => "randrw",
    };
    Some(name.to_owned())
}

/// What all of them are.
fn one(mut sizes: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let first = sizes.next()??;
    sizes.all(|size| size == Some(first)).then_some(first)
}

/// What the preparation made of the page cache and proved.
const fn cache(asked: model::Cache) -> Option<Cache> {
    match asked {
        model::Cache::Cold => Some(Cache::Cold),
        model::Cache::Warm => Some(Cache::Warm),
        model::Cache::AsIs => None,
    }
}

/// A depth that a parameter sets is kept, unless a schedule decides.
fn arrivals(description: &Description) -> Option<Arrivals> {
    match (&description.arrivals, &description.depth) {
        (Some(_), _) => Some(Arrivals::Open),
        (None, Some(_)) => Some(Arrivals::Closed),
        (None, None) => None,
    }
}
