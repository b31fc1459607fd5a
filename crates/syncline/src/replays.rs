//! The logs of operations that a plan replays: read before the first trial, so that the plan has what is in them.

use crate::failure::Failure;
use crate::output::tell;
use model::figure::count;
use model::plan::{Factor, StudyPlan};
use model::study::ARM_FACTOR;
use model::units::{GIB, format_bytes};
use model::{Configuration, Observed};
use std::collections::BTreeMap;
use std::path;
use workload::object::log::Replay;
use workload::object::{PARAMETERS, Parameters, SCHEMA};

/// The arm that repeats a log as it was recorded.
const AS_RECORDED: &str = "as_recorded";
/// A rate of a replay is as near to the recorded one as this.
const RATES_WITHIN: f64 = 0.05;
/// Memory for what operations of a replay move.
const BUFFERS_BYTES_MAX: u64 = 8 * GIB;

/// Puts what the logs decide into the plan (objects, sizes, mix, length), and what they show of the arm that repeats
/// one as it was recorded.
pub(crate) fn fill_in(plan: &mut StudyPlan) -> Result<(), Failure> {
    let mut logs: BTreeMap<String, Replay> = BTreeMap::new();
    let mut configurations = plan.configurations.clone();
    for values in &mut configurations {
        let Some(log) = PARAMETERS.replay.of(values).flatten() else {
            if values.is(ARM_FACTOR, AS_RECORDED) {
                return Err(Failure::Usage(format!(
                    "{}: a replay needs a log of operations: name it with --fix replay=FILE",
                    plan.name
                )));
            }
            continue;
        };
        // A factor's levels stay as they were given.
        let is_factor = plan.factors.iter().any(|factor| factor.name == PARAMETERS.replay.name());
        let log = if is_factor { log } else { absolute(&log)? };
        if !logs.contains_key(&log) {
            logs.insert(log.clone(), read(&log)?);
        }
        fill_in_configuration(values, &log, &logs[&log], &plan.factors)?;
    }
    if logs.is_empty() {
        return Ok(());
    }
    let mut arms = configurations.iter().filter(|values| values.is(ARM_FACTOR, AS_RECORDED));
    if let (Some(arm), None) = (arms.next(), arms.next()) {
        plan.observed = observed(arm, &logs);
    }
    lab::plan::replace(plan, &SCHEMA, configurations).map_err(Failure::usage)
}

/// Workers and a later resumption may stand elsewhere.
fn absolute(log: &str) -> Result<String, Failure> {
    let absolute = path::absolute(log).map_err(|error| Failure::Usage(format!("{log}: {error}")))?;
    Ok(absolute.display().to_string())
}

fn read(log: &str) -> Result<Replay, Failure> {
    let replay = trial::read_operation_log(log.as_ref()).map_err(Failure::Usage)?;
    tell(format!("{log}: {} to replay", count(replay.operations(), "operation")));
    for (why, times) in replay.left_out() {
        tell(format!("{log}: not replayed: {why} ({times} times)"));
    }
    Ok(replay)
}

fn fill_in_configuration(
    values: &mut Configuration,
    log: &str,
    replay: &Replay,
    factors: &[Factor],
) -> Result<(), Failure> {
    let asked = values.clone();
    let (name, value) = PARAMETERS.replay.at(Some(log.to_owned()));
    values.0.insert(name.to_owned(), value);
    replay.describe(values);
    let is_changed =
        |factor: &&Factor| factor.name != name && asked.get(&factor.name) != values.get(&factor.name);
    if let Some(Factor { name, .. }) = factors.iter().find(is_changed) {
        return Err(Failure::Usage(format!("{log}: the log decides {name}: leave it out of --vary")));
    }
    (SCHEMA.check)(values).map_err(|why| Failure::Usage(format!("{log}: {why}")))?;
    let parameters = Parameters::read(values).map_err(Failure::usage)?;
    let in_flight = u64::from(parameters.clients) * u64::from(parameters.iodepth);
    let needed = replay.bytes_max().saturating_mul(in_flight);
    if needed > BUFFERS_BYTES_MAX {
        return Err(Failure::Usage(format!(
            "{log}: {in_flight} operations in flight on objects of up to {} need {} of memory, at most {}: lower \
             clients or iodepth",
            format_bytes(replay.bytes_max()),
            format_bytes(needed),
            format_bytes(BUFFERS_BYTES_MAX)
        )));
    }
    Ok(())
}

/// What the log of the arm shows, at the speed of the arm.
fn observed(arm: &Configuration, logs: &BTreeMap<String, Replay>) -> Option<Observed> {
    let log = PARAMETERS.replay.of(arm).flatten()?;
    let speed = PARAMETERS.replay_speed.of(arm)?;
    let figures = logs.get(&log)?.figures(speed);
    Some(Observed { arm: AS_RECORDED.to_owned(), figures, rates_within: Some(RATES_WITHIN) })
}
