//! Which program measured: a run records the executable that this process and its workers run.

use crate::failure::Failure;
use disk::kernel::executable::OWN;
use model::program::Program;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::sync::OnceLock;

const CHUNK_BYTES: usize = 1 << 20;

/// Version and digest of the executable that this process runs: always the same one, so it is read once.
pub(crate) fn identity() -> Result<Program, Failure> {
    static IDENTITY: OnceLock<Program> = OnceLock::new();
    if let Some(known) = IDENTITY.get() {
        return Ok(known.clone());
    }
    let failed = |error: std::io::Error| Failure::Runtime(format!("{OWN}: cannot read: {error}"));
    let mut file = File::open(OWN).map_err(failed)?;
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
    let program = Program { version: env!("CARGO_PKG_VERSION").to_owned(), sha256 };
    Ok(IDENTITY.get_or_init(|| program).clone())
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
