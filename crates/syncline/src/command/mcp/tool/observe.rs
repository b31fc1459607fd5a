//! The tool `observe`.

use super::contract::{Effect, Input, Place, Words, seconds};
use crate::failure::Failure;
use crate::latest;
use rmcp::schemars::JsonSchema;
use serde::Deserialize;

/// What running programs ask of the files below a directory.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Observe {
    /// Observe the files below this directory, such as a database's data directory, for every process that has them
    /// open [default: the server's directory].
    dir: Option<String>,
    /// Observe this process instead, with its threads and descendants. The server has to permit it.
    pid: Option<u32>,
    /// Observe the processes of this unit of systemd instead. The server has to permit it.
    unit: Option<String>,
    /// Observe the files on this disk instead, such as nvme0n1. The server has to permit it.
    device: Option<String>,
    /// How long, such as 10s or 5m [default: 60s].
    time: Option<String>,
    /// Keep each operation that takes this long or longer, such as 50ms, with its cause.
    spikes: Option<String>,
    /// Compare with what this run measured on the disk: a run directory, or latest.
    run: Option<String>,
}

impl Input for Observe {
    const NAME: &'static str = "observe";
    const DESCRIPTION: &'static str = "Observe what a running database asks of its disk: reads, writes and syncs, and \
        where their time goes. Changes nothing, opens no file of the database. Needs root or CAP_PERFMON.";
    const EFFECT: Effect = Effect::Measures;
    const NEXT: Option<&'static str> = None;

    fn words(self, place: &Place) -> Result<Words, Failure> {
        let mut words = Words::default();
        let others =
            [("pid", self.pid.map(|pid| pid.to_string())), ("unit", self.unit), ("device", self.device)];
        let mut named = others.into_iter().filter_map(|(name, value)| Some((name, value?)));
        match (named.next(), named.next().is_some() || self.dir.is_some()) {
            (None, _) => words.option("dir", place.directory(self.dir.as_deref())?),
            (Some(_), true) => {
                return Err(Failure::Usage("dir, pid, unit and device: name one of them".to_owned()));
            }
            (Some((name, value)), false) if place.observes_processes => words.option(name, value),
            (Some((name, _)), false) => {
                return Err(Failure::Usage(format!(
                    "{name}: this server observes files below its directory alone; --observe-processes permits more"
                )));
            }
        }
        let usual = place.bounds.time.min(std::time::Duration::from_mins(1));
        let time = self.time.as_deref().map_or(Ok(usual), |time| place.time("time", time))?;
        words.option("for", seconds(time));
        words.given("spikes", self.spikes);
        if let Some(run) = &self.run {
            words.option("run", place.root.resolve_result(run, latest::run)?);
        }
        Ok(words)
    }
}
