//! fio's job files and its JSON.

use super::refusal::says_something;
use fio::translate::{Existing, translate};

pub(super) fn job(bytes: &[u8]) {
    let file = match fio::job::parse("x.fio", bytes) {
        Ok(file) => file,
        Err(error) => return is_clear(&error.to_string()),
    };
    for existing in [Existing::Nothing, Existing::File, Existing::Directory, Existing::Other] {
        if let Err(errors) = translate(&file, |_| existing) {
            is_clear(&errors.to_string());
        }
    }
}

fn is_clear(message: &str) {
    for line in message.lines() {
        assert!(line.starts_with("x.fio:") && !line.chars().any(char::is_control), "{message:?}");
    }
}

pub(super) fn json(bytes: &[u8]) {
    match fio::json::read(bytes) {
        Ok(output) => {
            for job in &output.jobs {
                let _ = (job.iodepth(), job.numjobs(), job.size("bs"), job.time("runtime"));
            }
        }
        Err(error) => says_something(error),
    }
}
