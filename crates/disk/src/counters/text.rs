//! Files of counters, kept open: a file that is opened for each reading takes five times as long, and turns read twice
//! a slice.

use crate::failure::Failure;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// The usual files are shorter.
const USUAL_BYTES: usize = 8 << 10;

/// A file of counters.
#[derive(Debug)]
pub(super) struct CounterFile {
    path: PathBuf,
    file: io::Result<File>,
}

impl CounterFile {
    /// Opens it. Why a file could not be opened is the error of each reading.
    pub(super) fn open(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { file: File::open(&path), path }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Its text now: the kernel writes such a file again for each reading from its beginning.
    pub(super) fn text(&self) -> Result<String, Failure> {
        self.read().map_err(Failure::on("read", &self.path))
    }

    fn read(&self) -> io::Result<String> {
        let file = self.file.as_ref().map_err(|error| match error.raw_os_error() {
            Some(code) => io::Error::from_raw_os_error(code),
            None => io::Error::from(error.kind()),
        })?;
        let mut text = vec![0; USUAL_BYTES];
        let mut length = 0;
        loop {
            let read = file.read_at(&mut text[length..], length as u64)?;
            length += read;
            if read == 0 {
                break;
            }
            if length == text.len() {
                text.resize(2 * length, 0);
            }
        }
        text.truncate(length);
        String::from_utf8(text).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reading_is_of_now() {
        let directory = tempfile::tempdir().expect("made");
        let path = directory.path().join("counters");
        std::fs::write(&path, "1\n").expect("written");
        let counters = CounterFile::open(&path);
        assert_eq!(counters.text().expect("there"), "1\n");
        let long = "22\n".repeat(USUAL_BYTES);
        std::fs::write(&path, &long).expect("written");
        assert_eq!(counters.text().expect("there"), long);
    }

    #[test]
    fn a_file_that_is_not_there_is_an_error_of_each_reading() {
        let counters = CounterFile::open("/proc/no-such-counters");
        for _ in 0..2 {
            assert_eq!(counters.text().expect_err("not there").path, Path::new("/proc/no-such-counters"));
        }
    }
}
