//! Whether engines that are compared were used alike: with as many reads in flight, as much cache, and the same promise
//! for an acknowledged write. A published comparison gave one engine 12 reads in flight and the other 192, and ranked
//! them.

use crate::described;
use crate::finding::{CacheUse, UnlikeEngines, UnlikeKnob};
use crate::phrase::family;
use crate::verdict::Cell;
use model::Description;
use model::description::EngineUse;
use model::plan::StudyPlan;

/// The device may have fewer reads in flight than the threads request, because threads also compute. This many times as
/// many as another engine's is not computing.
const DEPTH_RATIO_MAX: f64 = 3.0;
/// Engines count the bytes of a write buffer in their own ways.
const WRITE_MEMORY_RATIO_MAX: f64 = 1.25;
/// A difference of fewer reads is that of a thread that computes.
const DEPTH_DIFFERENCE_MIN: f64 = 2.0;

/// The first two engines among these configurations that were not used alike in what the metric depends on. Only
/// configurations that differ in nothing but the parameters `compared` are compared.
pub(crate) fn unlike(
    plan: &StudyPlan,
    cells: &[Cell],
    compared: &[&str],
    metric: &str,
    configurations: &[usize],
) -> Option<UnlikeEngines> {
    let pairs = configurations
        .iter()
        .enumerate()
        .flat_map(|(place, one)| configurations[place + 1..].iter().map(move |other| [*one, *other]));
    pairs
        .filter(|pair| are_compared(plan, compared, *pair))
        .find_map(|pair| between(plan, cells, metric, pair))
}

fn are_compared(plan: &StudyPlan, compared: &[&str], pair: [usize; 2]) -> bool {
    let [Some(one), Some(other)] = pair.map(|index| plan.configurations.get(index)) else { return false };
    let others =
        plan.factors.iter().map(|factor| factor.name.as_str()).filter(|name| !compared.contains(name));
    others.into_iter().all(|name| one.get(name) == other.get(name))
}

/// What differs between two engines and matters to a metric; `None` if nothing does, or if it is one engine.
pub(crate) fn between(
    plan: &StudyPlan,
    cells: &[Cell],
    metric: &str,
    pair: [usize; 2],
) -> Option<UnlikeEngines> {
    let descriptions = pair.map(|index| described::configuration(plan, index));
    let [Some(one), Some(other)] = descriptions.map(|description| description.engine_use.as_ref()) else {
        return None;
    };
    if one.engine == other.engine {
        return None;
    }
    let figure = one.figure(family(metric))?;
    let found = pair.map(|index| cells.iter().find(|cell| cell.configuration == index));
    let mut knobs = Vec::new();
    if figure.on_depth {
        knobs.extend(depth(one, other));
        let metric = figure.device_depth.as_deref();
        knobs.extend(metric.and_then(|metric| device_depth(metric, found)));
    }
    if figure.on_cache {
        let caches = [caches(descriptions[0], one), caches(descriptions[1], other)];
        knobs.extend((!caches[0].is_like(&caches[1])).then_some(UnlikeKnob::Cache(caches)));
    }
    if figure.on_durability {
        knobs.extend(durability(found));
    }
    let engines = [one.engine.clone(), other.engine.clone()];
    (!knobs.is_empty()).then_some(UnlikeEngines { engines, knobs })
}

/// How two engines take writes differently, if a metric depends on writes. Each engine may do it its own way, so this
/// withholds nothing, but a ratio of their loads is one of logs and of memory too.
pub(crate) fn writes_unlike(plan: &StudyPlan, metric: &str, pair: [usize; 2]) -> Option<UnlikeEngines> {
    let uses = pair.map(|index| described::configuration(plan, index).engine_use.as_ref());
    let [Some(one), Some(other)] = uses else { return None };
    if one.engine == other.engine || !one.figure(family(metric))?.on_durability {
        return None;
    }
    let log = one.log.zip(other.log).filter(|(one, other)| one != other);
    let memory = one
        .write_memory_bytes
        .zip(other.write_memory_bytes)
        .filter(|(one, other)| *one.max(other) as f64 > *one.min(other) as f64 * WRITE_MEMORY_RATIO_MAX);
    let knobs: Vec<UnlikeKnob> = log
        .map(|(one, other)| UnlikeKnob::Log([one, other]))
        .into_iter()
        .chain(memory.map(|(one, other)| UnlikeKnob::WriteMemory([one, other])))
        .collect();
    let engines = [one.engine.clone(), other.engine.clone()];
    (!knobs.is_empty()).then_some(UnlikeEngines { engines, knobs })
}

fn depth(one: &EngineUse, other: &EngineUse) -> Option<UnlikeKnob> {
    let reads = [one.reads_in_flight, other.reads_in_flight];
    (reads[0] != reads[1]).then_some(UnlikeKnob::ReadsInFlight(reads))
}

fn device_depth(metric: &str, cells: [Option<&Cell>; 2]) -> Option<UnlikeKnob> {
    let [Some(one), Some(other)] = cells.map(|cell| cell?.figures.get(metric)?.mean.point) else {
        return None;
    };
    let (less, more) = (one.min(other), one.max(other));
    let is_unlike = more > less * DEPTH_RATIO_MAX && more - less > DEPTH_DIFFERENCE_MIN;
    is_unlike.then_some(UnlikeKnob::DeviceReadsInFlight([one, other]))
}

fn caches(description: &Description, engine: &EngineUse) -> CacheUse {
    CacheUse {
        own_bytes: engine.cache_bytes,
        has_page_cache: engine.uses_page_cache,
        cap_bytes: description.memory_cap_bytes,
    }
}

/// A configuration without a successful trial has no class.
fn durability(cells: [Option<&Cell>; 2]) -> Option<UnlikeKnob> {
    let [Some(one), Some(other)] = cells.map(|cell| cell.map(|cell| &cell.durability)) else { return None };
    let is_unlike = !one.is_empty() && !other.is_empty() && one != other;
    is_unlike.then(|| UnlikeKnob::Durability([one.clone(), other.clone()]))
}
