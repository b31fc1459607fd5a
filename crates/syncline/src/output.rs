//! Everything that the program writes to its two outputs. A test forbids Rust's own macros elsewhere: they panic if a
//! terminal is gone or a disk is full, and a run must not end by that.
//!
//! Standard error carries remarks and progress. If it cannot be written, nobody reads it, and the program goes on.
//! Standard output carries results: if it cannot be written, the command says so and ends with an error, after
//! everything else is done. A reader that closes the pipe early (`| head`) is not a failure.

use crate::appearance::{Appearance, Progress, Verbosity};
use crate::failure::Failure;
use crate::message::{Message, Step};
use model::{printable, printable_json, printable_lines};
use page::terminal::fitted;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use std::sync::OnceLock;

/// Set once, as soon as the command line is read.
static APPEARANCE: OnceLock<Appearance> = OnceLock::new();

/// Sets what everything that is printed from now on looks like. The first call counts.
pub(crate) fn set_appearance(appearance: Appearance) {
    let _ = APPEARANCE.set(appearance);
}

/// What everything that is printed looks like.
pub(crate) fn appearance() -> Appearance {
    APPEARANCE.get().copied().unwrap_or(Appearance::PLAIN)
}

/// Columns of a text on standard output that has `usual` ones in a file.
pub(crate) fn width(usual: usize) -> usize {
    appearance().width(usual)
}

/// Writes a remark to standard error, unless the user wants none. It is one line: a path or a name in it may hold a
/// line break.
pub(crate) fn tell(remark: impl Display) {
    if appearance().verbosity != Verbosity::Quiet {
        tell_always(remark);
    }
}

/// The same for a remark that a default of `quiet` does not hide.
pub(crate) fn tell_always(remark: impl Display) {
    write_message(Message::Remark(printable(&remark.to_string()).into_owned()));
}

/// The same for several lines.
pub(crate) fn tell_lines(remarks: impl Display) {
    if appearance().verbosity != Verbosity::Quiet {
        write_message(Message::Remark(printable_lines(&remarks.to_string()).into_owned()));
    }
}

/// Writes how far the command is, if the program that started this one reads messages.
pub(crate) fn tell_step(step: Step) {
    if appearance().progress == Progress::Messages {
        write_message(Message::Progress(step));
    }
}

/// Writes an error to standard error, whatever the user wants to read of the rest.
pub(crate) fn report_error(error: impl Display) {
    write_message(Message::Error(printable_lines(&error.to_string()).into_owned()));
}

/// Writes a message as it is, or its text for a person.
fn write_message(message: Message) {
    let text = match (appearance().progress, message) {
        (Progress::Messages, message) => message.line(),
        (_, Message::Remark(text) | Message::Error(text)) => remark_lines(&text),
        (_, Message::Progress(Step { now, .. })) => remark_lines(&now),
    };
    tell_to(&mut io::stderr().lock(), &text);
}

/// Lines that fit a terminal; a file or a pipe gets them as they are.
fn remark_lines(text: &str) -> String {
    appearance().error_columns.map_or_else(|| text.to_owned(), |columns| fitted(text, columns))
}

fn tell_to(errors: &mut impl Write, text: &str) {
    // In one write, so that lines of two processes do not mix. A failure to write here cannot be reported.
    let _ = errors.write_all(format!("{text}\n").as_bytes());
    let _ = errors.flush();
}

/// Writes lines to standard output. Characters that steer a terminal or reorder a line are escaped.
pub(crate) fn print(text: &str) -> Result<ExitCode, Failure> {
    print_to(&mut io::stdout().lock(), &printable_lines(text))
}

/// The same for a text of words, whose lines are broken where they are too long: in a file at `usual` columns.
pub(crate) fn print_words(text: &str, usual: usize) -> Result<ExitCode, Failure> {
    print_to(&mut io::stdout().lock(), &fitted(&printable_lines(text), width(usual)))
}

/// The same for a text that the crate `report`, or the library that made it, has escaped: it may hold colours.
pub(crate) fn print_rendered(text: &str) -> Result<ExitCode, Failure> {
    print_to(&mut io::stdout().lock(), text)
}

/// The same for JSON, in which every string keeps its value.
pub(crate) fn print_json(text: &str) -> Result<ExitCode, Failure> {
    print_to(&mut io::stdout().lock(), &printable_json(text))
}

fn print_to(output: &mut impl Write, text: &str) -> Result<ExitCode, Failure> {
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::Runtime(format!("standard output: cannot write: {error}")))
        }
        Ok(()) | Err(_) => Ok(ExitCode::SUCCESS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An output that answers every write with an error.
    struct Broken(ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(self.0.into())
        }
    }

    /// `2>/dev/full` ended a run with a panic at the first remark.
    #[test]
    fn standard_error_that_cannot_be_written_is_no_failure() {
        for kind in [ErrorKind::StorageFull, ErrorKind::BrokenPipe, ErrorKind::Other] {
            tell_to(&mut Broken(kind), "a remark");
        }
    }

    #[test]
    fn standard_output_that_cannot_be_written_is_one_line() {
        assert!(matches!(print_to(&mut Broken(ErrorKind::StorageFull), "x"), Err(Failure::Runtime(_))));
        assert!(print_to(&mut Broken(ErrorKind::BrokenPipe), "x").is_ok());
    }
}
