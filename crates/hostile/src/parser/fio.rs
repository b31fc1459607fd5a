//! fio's job files and its JSON.

use super::refusal::says_something;
use fio::translate::{Existing, translate};

pub(super) fn job(bytes: &[u8]) {
    // A file that includes itself, as far as that is possible.
    let again = |_: &str, _: &str| Ok(("x.fio".to_owned(), bytes.to_vec()));
    let mut file = fio::job::parse("x.fio", bytes, &again);
    fio::expand(&mut file, &[], |name| (name.len() % 2 == 0).then(|| name.to_owned()));
    let mut reader = fio::job::Reader::new(&again);
    let words = String::from_utf8_lossy(bytes);
    let arguments: Vec<String> = words.split(' ').map(str::to_owned).collect();
    reader.read_arguments(&arguments);
    drop(translate(&reader.finish("x.fio"), |_| Existing::Nothing));
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
