//! Standard error as messages, for a program that started this one: with the hidden option `--messages json` each line
//! is one of them, so that nobody has to read words.

use serde::{Deserialize, Serialize};

/// A line of standard error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Message {
    /// How far the command is.
    Progress(Step),
    /// Worth knowing beside the result.
    Remark(String),
    /// Why it ends without a result, or what else went wrong.
    Error(String),
}

/// How far a command is: in trials, in crashes or in seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Step {
    pub(crate) done: f64,
    /// As far as it is known; more may follow.
    pub(crate) total: f64,
    /// What is going on now, for a person.
    pub(crate) now: String,
}

impl Message {
    /// The line, without its end.
    pub(crate) fn line(&self) -> String {
        // A struct of texts and numbers: numbers that JSON lacks become null.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// A line that a command wrote. What is none, such as an error before the options were read, is an error as it
    /// stands.
    pub(crate) fn of_line(line: &str) -> Self {
        serde_json::from_str(line).unwrap_or_else(|_| Self::Error(line.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_the_message_that_was_written() {
        let step = Step { done: 3.0, total: 42.0, now: "commit round 1 of 6".to_owned() };
        for message in
            [Message::Progress(step), Message::Remark("a\nb".to_owned()), Message::Error("no".to_owned())]
        {
            let line = message.line();
            assert!(!line.contains('\n'), "{line}");
            assert_eq!(Message::of_line(&line), message);
        }
        assert_eq!(Message::of_line("panicked"), Message::Error("panicked".to_owned()));
    }
}
