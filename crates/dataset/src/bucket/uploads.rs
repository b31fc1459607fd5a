//! Puts in parts that are under way, noted in a file: the process that comes after a killed one aborts them. Otherwise
//! their parts would stay in the bucket, in no list, and be paid for.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

const BEGUN: &str = "begun";
const ENDED: &str = "ended";

/// The file, open for all clients at once: a line is written by one call, behind all others.
#[derive(Debug)]
pub(super) struct Uploads(File);

/// A put in parts that nobody completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Upload {
    pub(super) bucket: String,
    pub(super) key: String,
    pub(super) id: String,
}

impl Uploads {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(OpenOptions::new().create(true).append(true).open(path)?))
    }

    /// Notes one before its first part is sent.
    pub(super) fn begin(&self, upload: &Upload) -> io::Result<()> {
        let Upload { bucket, key, id } = upload;
        (&self.0).write_all(format!("{BEGUN}\t{bucket}\t{key}\t{id}\n").as_bytes())
    }

    /// Notes that it is complete or aborted.
    pub(super) fn end(&self, id: &str) -> io::Result<()> {
        (&self.0).write_all(format!("{ENDED}\t{id}\n").as_bytes())
    }
}

/// Those that neither ended nor were aborted.
pub(super) fn unfinished(path: &Path) -> io::Result<Vec<Upload>> {
    let noted = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        read => read?,
    };
    let mut open: BTreeMap<&str, Upload> = BTreeMap::new();
    // A last line that was cut off has too few words, or an id that no store knows.
    for line in noted.lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            [BEGUN, bucket, key, id] => {
                let upload = Upload { bucket: bucket.to_owned(), key: key.to_owned(), id: id.to_owned() };
                open.insert(id, upload);
            }
            [ENDED, id] => drop(open.remove(id)),
            _ => {}
        }
    }
    Ok(open.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_begun_and_not_ended_is_unfinished() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("uploads");
        assert_eq!(unfinished(&path).unwrap(), []);
        let upload = |id: &str| Upload { bucket: "b".to_owned(), key: "a/k".to_owned(), id: id.to_owned() };
        let uploads = Uploads::open(&path).unwrap();
        for id in ["1", "2", "3"] {
            uploads.begin(&upload(id)).unwrap();
        }
        uploads.end("2").unwrap();
        Uploads::open(&path).unwrap().end("1").unwrap();
        // A process was killed while it wrote.
        (&uploads.0).write_all(b"begun\tb\ta").unwrap();
        assert_eq!(unfinished(&path).unwrap(), [upload("3")]);
    }
}
