//! `syncline observe`, started and stopped around what is to be seen.

use super::Laboratory;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};
use trace::stream::{Stream, StreamLimits};

/// Whether this machine can be observed; a reason that it cannot is recorded as a skip.
#[track_caller]
pub(crate) fn is_possible() -> bool {
    match Stream::start(StreamLimits { ring_pages: 16, ..StreamLimits::default() }) {
        Ok(_) => true,
        Err(error) => {
            skip::because(error);
            false
        }
    }
}

/// `syncline observe …` that has begun to observe.
pub(crate) struct Observing {
    child: Child,
    /// If it were closed early, the program's remarks would end.
    _remarks: BufReader<ChildStderr>,
}

impl Observing {
    /// Records every call.
    pub(crate) fn start(lab: &Laboratory, arguments: &[&str]) -> Self {
        Self::start_by(lab, &[], arguments)
    }

    /// The same, of calls in windows.
    pub(crate) fn start_in_windows(lab: &Laboratory, arguments: &[&str]) -> Self {
        Self::begin(lab, &[], arguments)
    }

    /// The same by another program, such as one that makes name spaces: it becomes Syncline, or has it as its one
    /// child.
    pub(crate) fn start_by(lab: &Laboratory, by: &[&str], arguments: &[&str]) -> Self {
        Self::begin(lab, by, &[&["--every-call"], arguments].concat())
    }

    fn begin(lab: &Laboratory, by: &[&str], arguments: &[&str]) -> Self {
        // The program that started the tests may ignore a signal, as nohup(1) does, and this child would inherit that.
        let mut command = Command::new("env");
        command.arg("--default-signal").args(by).arg(env!("CARGO_BIN_EXE_syncline"));
        command.current_dir(lab.path()).env("XDG_CONFIG_HOME", lab.path().join("configuration"));
        command.args(["observe", "--for", "1h", "--format", "json"]).args(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut remarks = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        remarks.read_line(&mut line).unwrap();
        assert!(line.starts_with("observing "), "{line}");
        Self { child, _remarks: remarks }
    }

    /// The process of Syncline.
    pub(crate) fn process(&self) -> u32 {
        child_of(self.child.id()).unwrap_or_else(|| self.child.id())
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_raw(self.process().cast_signed()).unwrap(), signal).unwrap();
    }

    /// What was seen.
    pub(crate) fn end(self) -> Value {
        let (has_succeeded, seen) = self.ended();
        assert!(has_succeeded, "{seen:#}");
        seen
    }

    /// Whether Syncline saw a load, and what it saw.
    fn ended(mut self) -> (bool, Value) {
        let mut text = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        let has_succeeded = self.child.wait().unwrap().success();
        (has_succeeded, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
    }

    /// The same after a signal; `None`, with the reason recorded, if not all events were seen, or if the load had
    /// closed its files before Syncline had the CPU to look at them.
    #[track_caller]
    pub(crate) fn stop(self) -> Option<Value> {
        self.signal(Signal::INT);
        let (has_succeeded, seen) = self.ended();
        let came_late = !has_succeeded && seen["not_seen"]["unnamed_calls"] != 0;
        if came_late || seen["not_seen"]["lost_records"] != 0 {
            skip::because("the machine is too busy to read every record");
            return None;
        }
        assert!(has_succeeded, "{seen:#}");
        Some(seen)
    }
}

/// A child of a process (proc_pid_stat(5)).
fn child_of(process: u32) -> Option<u32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let mut others = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    others.find(|other| {
        let stat = fs::read_to_string(format!("/proc/{other}/stat")).unwrap_or_default();
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1));
        parent == Some(process.to_string().as_str())
    })
}

pub(crate) fn class<'a>(seen: &'a Value, class: &str) -> &'a Value {
    let classes = seen["classes"].as_array().unwrap();
    classes.iter().find(|of| of["class"] == class).unwrap_or_else(|| panic!("no {class}: {seen:#}"))
}

/// How many operations of this kind were on files of these roles: `syncs_per_s` of the log.
pub(crate) fn of_roles(seen: &Value, roles: &[&str], figure: &str) -> f64 {
    let all = seen["roles"].as_array().unwrap();
    let of = all.iter().filter(|of| of["database"] != "" && roles.iter().any(|role| of["role"] == *role));
    of.map(|of| number(&of[figure])).sum::<f64>() * number(&seen["duration_s"])
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Two figures of one thing.
#[track_caller]
pub(crate) fn assert_agree(what: &str, seen: f64, counted: f64) {
    println!("{what}: {seen} seen, {counted} counted by the database");
    assert!((seen - counted).abs() <= counted * 0.05, "{what}: {seen} seen, {counted} counted");
}
