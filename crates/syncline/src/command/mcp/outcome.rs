//! The result of a call, as a client gets it.

use super::bounds::Bounds;
use super::call::{Ended, Stopped};
use crate::failure::{EXIT_AUDIT_FAILED, EXIT_DISK_SLOW, EXIT_INTERRUPTED, EXIT_REFUTED, EXIT_UNDECIDED};
use rmcp::schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// The result of a command.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct Outcome {
    /// Exit code of the command.
    exit_code: u8,
    /// The same in a word.
    ending: Ending,
    /// Why the server ended the command early, if it did: the document then has what was known so far.
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<Stopped>,
    /// The document that the command prints with --format json; docs/records.md describes it.
    #[schemars(with = "serde_json::Map<String, Value>")]
    document: Value,
    /// What the command printed beside it: defaults, limits, what it left out.
    remarks: Vec<String>,
}

/// What an exit code means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(crate = "rmcp::schemars")]
enum Ending {
    /// The command did what it was to do.
    Success,
    /// Measured, but an audit failed: a number of the document cannot be believed.
    AuditFailed,
    /// A disk is proven slow.
    DiskSlow,
    /// A change is undecided, or a promise was not checked.
    Undecided,
    /// A change is refuted, or a promise is broken.
    Refuted,
    /// It was ended early.
    Interrupted,
}

impl Ending {
    /// What a code means if the command has a result with it.
    fn of(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Success,
            EXIT_AUDIT_FAILED => Self::AuditFailed,
            EXIT_DISK_SLOW => Self::DiskSlow,
            EXIT_UNDECIDED => Self::Undecided,
            EXIT_REFUTED => Self::Refuted,
            EXIT_INTERRUPTED => Self::Interrupted,
            _ => return None,
        })
    }
}

impl Outcome {
    /// The result of a command, or one line that says why it has none. `next` is what an agent can do after an early
    /// end.
    pub(super) fn of(ended: Ended, bounds: Bounds, next: Option<&str>) -> Result<Self, String> {
        let Ended { status, output, remarks, errors, stopped } = ended;
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        let document = serde_json::from_slice::<Value>(&output).ok().filter(Value::is_object);
        if let (Some(code), Some(document)) = (code, document)
            && let Some(ending) = Ending::of(code)
        {
            return Ok(Self { exit_code: code, ending, stopped, document, remarks });
        }
        let next = next.map_or_else(String::new, |next| format!("; {next}"));
        Err(match (stopped, errors.first()) {
            (Some(stopped), _) => format!("stopped: {}{next}", stopped.words(bounds)),
            (None, Some(error)) => one_line(error),
            (None, None) => format!("the command ended without a result: {status}"),
        })
    }
}

/// The lines of an error as one, without the name of the program.
fn one_line(error: &str) -> String {
    let line = error.split_whitespace().collect::<Vec<_>>().join(" ");
    line.trim_start_matches("syncline: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
    use std::time::Duration;

    const BOUNDS: Bounds = Bounds { time: Duration::from_mins(15), bytes: 1 << 30 };

    fn ended(code: i32, output: &str, errors: &[&str], stopped: Option<Stopped>) -> Ended {
        Ended {
            status: ExitStatus::from_raw(code << 8),
            output: output.as_bytes().to_vec(),
            remarks: Vec::new(),
            errors: errors.iter().map(|error| (*error).to_owned()).collect(),
            stopped,
        }
    }

    #[test]
    fn a_document_is_a_result_whatever_it_judges() {
        for (code, ending) in
            [(0, Ending::Success), (3, Ending::AuditFailed), (98, Ending::Undecided), (99, Ending::Refuted)]
        {
            let outcome = Outcome::of(ended(code, "{\"a\": 1}", &[], None), BOUNDS, None).unwrap();
            assert_eq!((outcome.ending, &outcome.document["a"]), (ending, &Value::from(1)));
        }
    }

    #[test]
    fn without_a_document_there_is_one_line() {
        let refused = Outcome::of(ended(2, "", &["syncline: no\n  such study"], None), BOUNDS, None);
        assert_eq!(refused.unwrap_err(), "no such study");
        let stopped = ended(130, "", &["syncline: stopped"], Some(Stopped::MaxBytes));
        let line = Outcome::of(stopped, BOUNDS, Some("continue it")).unwrap_err();
        assert!(
            line.starts_with("stopped: it reached --max-bytes") && line.ends_with("; continue it"),
            "{line}"
        );
        let part = Outcome::of(ended(0, "{\"a\":", &[], None), BOUNDS, None);
        assert!(part.is_err(), "half a document is none");
    }
}
