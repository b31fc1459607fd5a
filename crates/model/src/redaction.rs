//! A run without the names that tell whose it is, for a page that is published.
//!
//! What is left out: the host's name, its kernel command line, the measured directory and every other path of the
//! user's, the user that a home directory names, addresses of servers, and names of devices that hold their serial
//! number (`/dev/disk/by-id`, `/dev/mapper`). Everything right of the records is a function of the run, so nothing made
//! of this one can hold them.

mod names;

use crate::host::HostFacts;
use crate::plan::Plan;
use crate::run::Run;
use crate::server::{NamedServer, ServerIdentity};
use crate::trial::TrialRecord;
use names::Names;
pub use names::REDACTED;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The run without its names.
///
/// # Errors
///
/// If the run cannot be written as JSON and read back, which no run that was read from its files does.
pub fn redacted(run: &Run) -> Result<Run, serde_json::Error> {
    without_names(run, &Names::in_runs(&[run]))
}

/// Two runs without their names, for a comparison: what differs between them still differs.
///
/// # Errors
///
/// As for one run.
pub fn redacted_pair(a: &Run, b: &Run) -> Result<[Run; 2], serde_json::Error> {
    let names = Names::in_runs(&[a, b]);
    let [mut one, mut other] = [without_names(a, &names)?, without_names(b, &names)?];
    if a.host.name != b.host.name {
        numbered(&mut one.host.name, &mut other.host.name);
    }
    if a.host.kernel_command_line != b.host.kernel_command_line {
        numbered(&mut one.host.kernel_command_line, &mut other.host.kernel_command_line);
    }
    if a.plan.directory != b.plan.directory {
        numbered(&mut one.plan.directory, &mut other.plan.directory);
    }
    Ok([one, other])
}

fn numbered<T: From<String>>(one: &mut T, other: &mut T) {
    *one = format!("{REDACTED}-1").into();
    *other = format!("{REDACTED}-2").into();
}

fn without_names(run: &Run, names: &Names) -> Result<Run, serde_json::Error> {
    let mut plan: Plan = without(&run.plan, names)?;
    let mut host: HostFacts = without(&run.host, names)?;
    REDACTED.clone_into(&mut host.name);
    REDACTED.clone_into(&mut host.kernel_command_line);
    plan.directory = REDACTED.into();
    if let Some(ServerIdentity::Named(server)) = &mut plan.server {
        redact_server(server);
    }
    let records: Result<Vec<TrialRecord>, serde_json::Error> =
        run.records.iter().map(|record| without(record, names)).collect();
    let remarks = run.remarks.iter().map(|remark| names.left_out_of(remark)).collect();
    Ok(Run { plan, host, records: records?, remarks })
}

fn redact_server(server: &mut NamedServer) {
    let NamedServer { version: _, address, database, system_identifier, data_directory } = server;
    REDACTED.clone_into(address);
    REDACTED.clone_into(database);
    for fact in [system_identifier, data_directory] {
        *fact = fact.map(|_| REDACTED.to_owned());
    }
}

/// The same value with every text in it redacted. Names of fields are the program's own and stay.
fn without<T: Serialize + DeserializeOwned>(value: &T, names: &Names) -> Result<T, serde_json::Error> {
    let mut json = serde_json::to_value(value)?;
    redact_texts(&mut json, names);
    serde_json::from_value(json)
}

fn redact_texts(value: &mut Value, names: &Names) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => *text = names.left_out_of(text),
        Value::Array(values) => values.iter_mut().for_each(|value| redact_texts(value, names)),
        Value::Object(fields) => fields.values_mut().for_each(|value| redact_texts(value, names)),
    }
}

#[cfg(test)]
mod tests;
