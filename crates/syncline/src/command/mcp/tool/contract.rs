//! What a tool is: its input as a type, and the words of its command.

use crate::command::mcp::bounds::Bounds;
use crate::command::mcp::root::Root;
use crate::failure::Failure;
use crate::request::dated_path;
use model::units::parse_duration;
use rmcp::handler::server::common::schema_for_type;
use rmcp::model::JsonObject;
use rmcp::schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What a command does to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::command::mcp) enum Effect {
    /// It reads, and may write a page beside a run.
    Reads,
    /// It uses the disk, or traces it: one at a time.
    Measures,
}

/// Where a call may reach, and how far.
#[derive(Clone, Debug)]
pub(in crate::command::mcp) struct Place {
    pub(in crate::command::mcp) root: Root,
    pub(in crate::command::mcp) bounds: Bounds,
    /// Whether a call may observe what lies outside the directory.
    pub(in crate::command::mcp) observes_processes: bool,
}

/// The input of a tool.
pub(super) trait Input: DeserializeOwned + JsonSchema + 'static {
    /// The name of the tool, and of its command.
    const NAME: &'static str;
    /// For the agent, which chooses by it.
    const DESCRIPTION: &'static str;
    const EFFECT: Effect;
    /// What an agent can do after an early end.
    const NEXT: Option<&'static str>;

    /// The command line behind the name of the command.
    fn words(self, place: &Place) -> Result<Words, Failure>;
}

/// A tool as a value.
pub(in crate::command::mcp) struct Tool {
    pub(in crate::command::mcp) name: &'static str,
    pub(in crate::command::mcp) description: &'static str,
    pub(in crate::command::mcp) effect: Effect,
    pub(in crate::command::mcp) next: Option<&'static str>,
    pub(in crate::command::mcp) schema: fn() -> Arc<JsonObject>,
    words: fn(JsonObject, &Place) -> Result<Words, Failure>,
}

pub(super) const fn of<T: Input>() -> Tool {
    Tool {
        name: T::NAME,
        description: T::DESCRIPTION,
        effect: T::EFFECT,
        next: T::NEXT,
        schema: schema_for_type::<T>,
        words: |input, place| {
            let input: T = serde_json::from_value(Value::Object(input))
                .map_err(|error| Failure::Usage(error.to_string()))?;
            input.words(place)
        },
    }
}

impl Tool {
    /// The command line of a call, or what is wrong with its input.
    pub(in crate::command::mcp) fn words(
        &self,
        input: JsonObject,
        place: &Place,
    ) -> Result<Vec<OsString>, Failure> {
        Ok((self.words)(input, place)?.line(self.name))
    }
}

/// The options and operands of a command.
#[derive(Debug, Default)]
pub(in crate::command::mcp) struct Words {
    options: Vec<OsString>,
    operands: Vec<OsString>,
}

impl Words {
    /// `--name=value`.
    pub(super) fn option(&mut self, name: &str, value: impl AsRef<OsStr>) {
        let mut word = OsString::from(format!("--{name}="));
        word.push(value);
        self.options.push(word);
    }

    /// The same if there is a value.
    pub(super) fn given(&mut self, name: &str, value: Option<impl ToString>) {
        if let Some(value) = value {
            self.option(name, value.to_string());
        }
    }

    pub(super) fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.options.push(OsString::from(format!("--{name}")));
        }
    }

    pub(super) fn operand(&mut self, operand: impl Into<OsString>) {
        self.operands.push(operand.into());
    }

    fn line(self, command: &str) -> Vec<OsString> {
        let fixed =
            ["--format=json", "--messages=json", "--color=never", "--no-defaults"].map(OsString::from);
        let words = std::iter::once(OsString::from(command)).chain(fixed).chain(self.options);
        words.chain(std::iter::once(OsString::from("--"))).chain(self.operands).collect()
    }
}

impl Place {
    /// The directory that is measured.
    pub(super) fn directory(&self, named: Option<&str>) -> Result<PathBuf, Failure> {
        self.root.resolve(named.unwrap_or("."))
    }

    /// The words that continue a run or a proof, whose path and recorded directory these are, on the named directory or
    /// on the recorded one.
    pub(super) fn resumed(
        &self,
        path: PathBuf,
        (named, recorded): (Option<&str>, Option<&Path>),
        budget: Option<&str>,
    ) -> Result<Words, Failure> {
        let mut words = Words::default();
        words.option(
            "dir",
            match (named, recorded) {
                (None, Some(recorded)) => self.root.resolve_recorded(recorded)?,
                (named, _) => self.directory(named)?,
            },
        );
        if let Some(budget) = budget {
            words.option("budget", seconds(self.time("budget", budget)?));
        }
        words.option("resume", path);
        Ok(words)
    }

    /// A run directory to create, named like those of the command.
    pub(super) fn new_run(&self, what: &str) -> Result<PathBuf, Failure> {
        self.root.require_runs_inside()?;
        Ok(self.root.path().join(dated_path(&lab::host::now(), what)))
    }

    /// A time that a call names, which has to fit the server's bound.
    pub(super) fn time(&self, option: &str, named: &str) -> Result<Duration, Failure> {
        let refused = |why: String| Failure::Usage(format!("{option} {named:?}: {why}"));
        let time = parse_duration(named).filter(|time| time.0 > 0).map(Duration::from);
        let time = time.ok_or_else(|| refused("write it as 90s, 5m or 1h30m".to_owned()))?;
        if time > self.bounds.time {
            let most = model::units::format_elapsed(self.bounds.time.as_secs_f64());
            return Err(refused(format!("longer than --max-time of this server, {most}")));
        }
        Ok(time)
    }

    /// The budget of a call: what it names, or as much as leaves a tenth of the server's bound for the end.
    pub(super) fn budget(&self, named: Option<&str>, usual: Option<Duration>) -> Result<Duration, Failure> {
        let most = self.bounds.time * 9 / 10;
        match named {
            Some(named) => self.time("budget", named),
            None => Ok(usual.map_or(most, |usual| usual.min(most))),
        }
    }
}

/// A time as an option takes it.
pub(super) fn seconds(time: Duration) -> String {
    format!("{}s", time.as_secs_f64())
}
