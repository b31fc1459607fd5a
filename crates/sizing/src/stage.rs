//! The stages of a sizing: studies whose arms are caps.

use crate::curve::{Curve, Rung};
use crate::demand::{CapKind, Demand, UNCAPPED, arm_name};
use model::every_trial::IO_CAP;
use model::metric;
use model::study::{ARM_FACTOR, Ask, AskKind, Profile, Study};
use model::{Configuration, Description};
use std::collections::BTreeMap;

/// The profile of every stage.
const PROFILE: &str = "quick";
/// The stage that shows where to measure: a warm-up is not worth its time there.
const COARSE_STAGE: &str = "coarse";
/// Rounds of the stages that only lead to the last one.
const ROUNDS_PILOT: u32 = 2;
const ROUNDS_COARSE: u32 = 2;
/// Caps of the first ladder, as multiples of what the load asks for without a cap.
const COARSE: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Caps between both ends of the last ladder.
const BETWEEN: u32 = 3;

/// A load: one configuration of a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    pub name: String,
    pub workload: String,
    pub values: Configuration,
    /// The metrics that are judged: the throughput first, then every p99.
    pub metrics: Vec<String>,
}

impl Load {
    /// A configuration as a load; the error is a clause.
    ///
    /// # Errors
    /// The workload has no throughput or no p99 to judge by.
    pub fn new(
        name: &str,
        workload: &str,
        values: &Configuration,
        description: &Description,
    ) -> Result<Self, String> {
        let figures = &description.figures;
        let rate = |family: &String| {
            let load = figures.loads.iter().find(|load| &load.latency == family)?;
            load.rates.iter().find_map(|rate| match rate {
                model::description::Rate::Every { metric, .. } => Some(metric.clone()),
                model::description::Rate::Times(_) => None,
            })
        };
        let throughput = figures.families.iter().find_map(rate);
        let throughput = throughput.ok_or("it has no rate of operations to judge a cap by")?;
        let p99 = figures.families.iter().map(|family| format!("{family}_p99_us"));
        let p99: Vec<String> = p99.filter(|name| metric::find(name).is_some()).collect();
        if p99.is_empty() {
            return Err("it has no latency to judge a cap by".to_owned());
        }
        let mut values = values.clone();
        values.0.remove(ARM_FACTOR);
        values.0.remove(IO_CAP);
        Ok(Self {
            name: name.to_owned(),
            workload: workload.to_owned(),
            values,
            metrics: std::iter::once(throughput).chain(p99).collect(),
        })
    }
}

/// Caps that are measured in the same rounds, and the load without one.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Its name, and that of its run directory.
    pub name: &'static str,
    pub rounds: u32,
    /// Kind and total a second of each cap.
    pub caps: Vec<(CapKind, f64)>,
    /// Its study.
    pub study: Study,
}

impl Stage {
    fn new(
        name: &'static str,
        load: &Load,
        rounds: u32,
        demand: Option<&Demand>,
        caps: Vec<(CapKind, f64)>,
    ) -> Self {
        let arm =
            |name: String, cap: String| BTreeMap::from([("name".to_owned(), name), (IO_CAP.to_owned(), cap)]);
        let capped = caps.iter().filter_map(|(kind, total)| {
            Some(arm(arm_name(*kind, *total), demand?.cap(*kind, *total).to_string()))
        });
        let arms = std::iter::once(arm(UNCAPPED.to_owned(), "none".to_owned())).chain(capped).collect();
        let ask = Ask::new(AskKind::Compare, ARM_FACTOR, load.metrics.iter().cloned());
        let warmup_rounds = u32::from(name != COARSE_STAGE);
        let profile =
            Profile { rounds: Some(rounds), warmup_rounds: Some(warmup_rounds), ..Profile::default() };
        let fixed = load.values.0.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
        let study = Study {
            name: load.name.clone(),
            question: "What does this load give under caps of IOPS and bandwidth?".to_owned(),
            workload: load.workload.clone(),
            arms,
            fixed,
            baseline: BTreeMap::from([(ARM_FACTOR.to_owned(), UNCAPPED.to_owned())]),
            responses: load.metrics.clone(),
            asks: if caps.is_empty() { Vec::new() } else { vec![ask] },
            profiles: BTreeMap::from([(PROFILE.to_owned(), profile)]),
            ..Study::default()
        };
        Self { name, rounds, caps, study }
    }
}

/// The first stage: what the load asks for.
pub fn pilot_stage(load: &Load) -> Stage {
    Stage::new("pilot", load, ROUNDS_PILOT, None, Vec::new())
}

/// The second stage: caps from a quarter of that to four times as much.
pub fn coarse_stage(load: &Load, demand: &Demand) -> Stage {
    let caps = CapKind::ALL
        .into_iter()
        .flat_map(|kind| COARSE.map(|multiple| (kind, multiple * demand.of_kind(kind))));
    Stage::new(COARSE_STAGE, load, ROUNDS_COARSE, Some(demand), caps.collect())
}

/// The last stage: for each kind, caps between the largest that is clearly too tight and the smallest above it that
/// seems to suffice.
pub fn fine_stage(load: &Load, demand: &Demand, coarse: &[Curve], rounds: u32) -> Stage {
    let caps = coarse.iter().flat_map(|curve| ladder(curve).into_iter().map(|cap| (curve.kind, cap)));
    Stage::new("fine", load, rounds, Some(demand), caps.collect())
}

/// Both ends of the bracket, and caps between them at equal ratios. By chance any rung may seem not to suffice, so only
/// what is clearly too tight bounds the bracket from below.
fn ladder(curve: &Curve) -> Vec<f64> {
    let rungs = &curve.rungs;
    let tight = rungs.iter().rposition(Rung::is_clearly_too_tight).map_or(0, |last| last + 1);
    let enough = rungs.iter().skip(tight).find(|rung| rung.seems_enough());
    let Some(high) = enough.or(rungs.last()).map(|rung| rung.cap) else { return Vec::new() };
    let low = match tight {
        0 => high / 4.0,
        tight if tight == rungs.len() => high / 2.0,
        tight => rungs[tight - 1].cap,
    };
    let steps = BETWEEN + 1;
    (0..=steps).map(|step| low * (high / low).powf(f64::from(step) / f64::from(steps))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{Level, Standing};

    fn curve(enough: [bool; 5]) -> Curve {
        let rung = |(cap, is_enough): (f64, bool)| Rung {
            name: String::new(),
            cap,
            levels: vec![Level {
                mean: Some(1.0),
                ratio: Some(if is_enough { 1.0 } else { 0.5 }),
                ..Level::default()
            }],
            standing: Standing::Undecided,
        };
        let rungs = COARSE.into_iter().zip(enough).map(rung).collect();
        Curve { kind: CapKind::Iops, demand: 1.0, rungs, knee: None, knees: Vec::new() }
    }

    #[test]
    fn the_last_ladder_lies_between_too_tight_and_enough() {
        let ends = |enough| {
            let caps = ladder(&curve(enough));
            assert_eq!(caps.len(), 5);
            assert!(caps.is_sorted());
            (caps[0], caps[4])
        };
        assert_eq!(ends([false, false, true, true, true]), (0.5, 1.0));
        assert_eq!(
            ends([false, true, false, true, true]),
            (1.0, 2.0),
            "one that suffices by chance does not count"
        );
        let mut noisy = curve([false, true, true, true, true]);
        for place in [1, 3, 4] {
            let p99 = Level { ratio: Some(1.5), ..Level::default() };
            noisy.rungs[place].levels.push(p99);
        }
        let caps = ladder(&noisy);
        assert_eq!((caps[0], caps[4]), (0.25, 1.0), "one that is too slow by chance does not count");
        assert_eq!(ends([true; 5]), (0.0625, 0.25), "below the lowest");
        assert_eq!(ends([false; 5]), (2.0, 4.0), "none suffices: the highest are measured again");
    }

    #[test]
    fn an_arm_has_the_name_of_its_cap() {
        assert_eq!(arm_name(CapKind::Iops, 1500.4), "1500 IOPS");
        assert_eq!(arm_name(CapKind::Bandwidth, 12.5 * 1024.0 * 1024.0), "12.5 MiB/s");
    }
}
