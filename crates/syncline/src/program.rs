//! This program as a file: workers are started from the very executable that this process runs, whatever has taken its path
//! since, and the run records which that is.

use crate::failure::Failure;
use model::program::Program;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;

/// What a child of this process runs to be the same program: the kernel keeps the executable open (proc(5)), so that one that
/// is replaced or removed in the middle of a run changes nothing.
pub(crate) const SELF: &str = "/proc/self/exe";
const CHUNK_BYTES: usize = 1 << 20;

/// The same for a program that starts one for us, for which `self` is another.
pub(crate) fn of_this_process() -> String {
    format!("/proc/{}/exe", std::process::id())
}

/// Version and digest of the executable that this process runs.
pub(crate) fn identity() -> Result<Program, Failure> {
    let failed = |error: std::io::Error| Failure::Runtime(format!("{SELF}: cannot read: {error}"));
    let mut file = File::open(SELF).map_err(failed)?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk).map_err(failed)? {
            0 => break,
            read => hasher.update(&chunk[..read]),
        }
    }
    let sha256 = hasher.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    });
    Ok(Program { version: env!("CARGO_PKG_VERSION").to_owned(), sha256 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_of_the_file_that_runs() {
        let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let digits = identity().unwrap().sha256;
        let bytes =
            (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap());
        assert_eq!(bytes.collect::<Vec<u8>>(), Sha256::digest(whole).to_vec());
    }
}
