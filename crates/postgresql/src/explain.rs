//! What `EXPLAIN (ANALYZE, BUFFERS, WAL, FORMAT JSON)` says about a statement. Pure.
//!
//! A node's figures include those of the nodes below it, so the top node describes the whole statement. *Shared* blocks
//! are those of ordinary tables, *local* ones those of temporary tables.

use model::mechanism::Measured;
use serde_json::Value;

/// A plan in a form that is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// Not what EXPLAIN answers.
    #[error("there is no plan in it")]
    NoPlan,
    /// A figure is missing that every version has.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A figure is not a number, or one that cannot be.
    #[error("{0} is not a count or a time")]
    NoNumber(&'static str),
}

/// What became of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocks {
    /// Found in the buffers.
    pub hit: u64,
    pub read: u64,
    /// Changed for the first time since they were clean.
    pub dirtied: u64,
    /// Written out of them, to make room.
    pub written: u64,
}

/// Time spent in the calls that move blocks, seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Times {
    pub read_s: Measured<f64>,
    pub write_s: Measured<f64>,
}

/// What a statement wrote to the write-ahead log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wal {
    pub records: u64,
    /// Whole pages among them.
    pub full_page_images: u64,
    /// Bytes.
    pub bytes: u64,
}

/// A statement that was run.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// Time of execution, seconds.
    pub execution_s: f64,
    /// Types of its nodes, from the top.
    pub nodes: Vec<String>,
    /// Ordinary tables' blocks.
    pub shared: Blocks,
    pub shared_times: Times,
    /// Temporary tables' blocks.
    pub local: Blocks,
    pub local_times: Times,
    /// The write-ahead log; `None` if it was not asked for.
    pub wal: Option<Wal>,
}

const NOT_TIMED: &str =
    "the server did not time it: track_io_timing is off, and this user may not turn it on";
const LOCAL_NOT_TIMED: &str =
    "this server does not time the I/O of temporary tables; PostgreSQL does since version 17";

/// Reads the answer to an EXPLAIN of one statement.
pub fn parse(answer: &Value) -> Result<Explained, PlanError> {
    let statement = answer.get(0).ok_or(PlanError::NoPlan)?;
    let plan = statement.get("Plan").filter(|plan| plan.is_object()).ok_or(PlanError::NoPlan)?;
    let shared = Blocks {
        hit: count(plan, "Shared Hit Blocks")?,
        read: count(plan, "Shared Read Blocks")?,
        dirtied: count(plan, "Shared Dirtied Blocks")?,
        written: count(plan, "Shared Written Blocks")?,
    };
    let local = Blocks {
        hit: count(plan, "Local Hit Blocks")?,
        read: count(plan, "Local Read Blocks")?,
        dirtied: count(plan, "Local Dirtied Blocks")?,
        written: count(plan, "Local Written Blocks")?,
    };
    let (shared_times, local_times) = times(plan, shared, local)?;
    let nodes = nodes_of(plan);
    let execution = optional(statement, "Execution Time")?.ok_or(PlanError::Missing("Execution Time"))?;
    Ok(Explained {
        execution_s: execution / MILLISECONDS,
        nodes,
        shared,
        shared_times,
        local,
        local_times,
        wal: wal(plan)?,
    })
}

const MILLISECONDS: f64 = 1e3;

/// PostgreSQL 17 and later tell times of shared and local blocks apart. Before, one figure has the reads of both and
/// the writes of shared ones alone (`localbuf.c` did not take the time): it is the local reads' if nothing else was
/// read, and never the local writes'.
fn times(plan: &Value, shared: Blocks, local: Blocks) -> Result<(Times, Times), PlanError> {
    let seconds = |name| Ok(optional(plan, name)?.map(|time| time / MILLISECONDS));
    let or = |time: Option<f64>, why: &str| time.map_or_else(|| Measured::unsupported(why), Measured::Value);
    let local_read = seconds("Local I/O Read Time")?;
    if local_read.is_some() {
        let of_shared = Times {
            read_s: or(seconds("Shared I/O Read Time")?, NOT_TIMED),
            write_s: or(seconds("Shared I/O Write Time")?, NOT_TIMED),
        };
        let of_local = Times {
            read_s: or(local_read, NOT_TIMED),
            write_s: or(seconds("Local I/O Write Time")?, NOT_TIMED),
        };
        return Ok((of_shared, of_local));
    }
    let read = seconds("I/O Read Time")?;
    let why = if read.is_some() { LOCAL_NOT_TIMED } else { NOT_TIMED };
    let alone = |blocks: u64| if blocks == 0 { read } else { None };
    let of_shared =
        Times { read_s: or(alone(local.read), why), write_s: or(seconds("I/O Write Time")?, NOT_TIMED) };
    let of_local = Times { read_s: or(alone(shared.read), why), write_s: Measured::unsupported(why) };
    Ok((of_shared, of_local))
}

fn wal(plan: &Value) -> Result<Option<Wal>, PlanError> {
    if plan.get("WAL Records").is_none() {
        return Ok(None);
    }
    Ok(Some(Wal {
        records: count(plan, "WAL Records")?,
        full_page_images: count(plan, "WAL FPI")?,
        bytes: count(plan, "WAL Bytes")?,
    }))
}

/// Types of a plan's nodes, from the top.
pub(crate) fn nodes_of(plan: &Value) -> Vec<String> {
    let mut nodes = Vec::new();
    node_types(plan, &mut nodes);
    nodes
}

fn node_types(plan: &Value, types: &mut Vec<String>) {
    types.extend(plan.get("Node Type").and_then(Value::as_str).map(str::to_owned));
    for below in plan.get("Plans").and_then(Value::as_array).into_iter().flatten() {
        node_types(below, types);
    }
}

fn count(plan: &Value, name: &'static str) -> Result<u64, PlanError> {
    plan.get(name).ok_or(PlanError::Missing(name))?.as_u64().ok_or(PlanError::NoNumber(name))
}

fn optional(plan: &Value, name: &'static str) -> Result<Option<f64>, PlanError> {
    let Some(value) = plan.get(name) else { return Ok(None) };
    let number = value.as_f64().filter(|number| number.is_finite() && *number >= 0.0);
    number.map(Some).ok_or(PlanError::NoNumber(name))
}
