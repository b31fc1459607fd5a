//! Limits of the control groups, and of open files.

use crate::command::doctor::check::{Check, Sign, check};
use ::container::Look;
use model::mechanism::Measured;
use model::units::format_bytes_approximate;

/// A server of some hundred connections has fewer descriptors of rings.
const FILES_ENOUGH: u64 = 4096;

pub(super) fn of_limits(look: &Look) -> Vec<Check> {
    vec![memory(look), io(look), files(look)]
}

fn memory(look: &Look) -> Check {
    const MEANING: &str = "the page cache counts against it too, and a server that exceeds it is killed";
    match &look.memory_max_bytes {
        Measured::Value(None) => check(Sign::Good, "no control group limits its memory", MEANING),
        Measured::Value(Some(bytes)) => {
            let fact = format!("memory is limited to {}", format_bytes_approximate(*bytes as f64));
            check(Sign::Note, fact, MEANING)
        }
        Measured::Unsupported { unsupported } => {
            check(Sign::Unchecked, format!("the limit of memory is not checked: {unsupported}"), MEANING)
        }
    }
}

fn io(look: &Look) -> Check {
    const MEANING: &str = "a limit of a control group holds, whatever the disk can do";
    match &look.io_limits {
        Measured::Value(limits) if limits.is_empty() => {
            check(Sign::Good, "no control group limits its I/O", MEANING)
        }
        Measured::Value(limits) => {
            check(Sign::Note, format!("I/O is limited: {}", limits.join("; ")), MEANING)
        }
        Measured::Unsupported { unsupported } => {
            check(Sign::Unchecked, format!("limits of I/O are not checked: {unsupported}"), MEANING)
        }
    }
}

fn files(look: &Look) -> Check {
    const MEANING: &str = "PostgreSQL's io_uring takes a descriptor for each process of the server, besides its files: \
        raise it with --ulimit nofile= or LimitNOFILE=";
    match &look.open_files {
        Measured::Value(limit) => {
            let shown = limit.soft.map_or_else(|| "no limit".to_owned(), |files| files.to_string());
            let sign =
                if limit.soft.is_some_and(|files| files < FILES_ENOUGH) { Sign::Note } else { Sign::Good };
            check(sign, format!("open files: {shown}"), MEANING)
        }
        Measured::Unsupported { unsupported } => {
            check(Sign::Unchecked, format!("the limit of open files is not checked: {unsupported}"), MEANING)
        }
    }
}
