//! Fetching an archive, checking it, unpacking it: complete or not there at all.

use crate::digest;
use crate::error::PostgresqlError;
use crate::release::Archive;
use disk::tree::remove_tree;
use lzma_rust2::XzReader;
use rustix::fs::{FlockOperation, flock};
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;
use ureq::Agent;
use ureq::tls::{RootCerts, TlsConfig};

/// An archive has 15 MB.
const ARCHIVE_BYTES_MAX: u64 = 256 << 20;
/// Nobody waits longer for a server that does not answer.
const CONNECT_LIMIT: Duration = Duration::from_secs(15);
const DOWNLOAD_LIMIT: Duration = Duration::from_mins(10);

/// Fetches and unpacks into `directory`, which is made; another process that does the same meanwhile is waited for.
pub(crate) fn install(archive: &Archive, version: &str, directory: &Path) -> Result<(), PostgresqlError> {
    let parent = directory.parent().unwrap_or(directory);
    fs::create_dir_all(parent).map_err(PostgresqlError::on("make", parent))?;
    let lock_path = beside(directory, ".lock");
    let lock = File::create(&lock_path).map_err(PostgresqlError::on("create", &lock_path))?;
    flock(&lock, FlockOperation::LockExclusive)
        .map_err(|errno| PostgresqlError::on("lock", &lock_path)(errno.into()))?;
    if directory.exists() {
        return Ok(());
    }
    let address = archive.address(version);
    let bytes = fetch(&address)?;
    check(&bytes, archive, &address)?;
    place(bytes, directory, &address)
}

/// Unpacks beside the directory and gives it its name last, when all of it is on the disk. The caller holds the lock,
/// so what is there already was left by a process that was killed.
fn place(bytes: Vec<u8>, directory: &Path, address: &str) -> Result<(), PostgresqlError> {
    let part = beside(directory, ".part");
    remove_tree(&part)?;
    fs::create_dir(&part).map_err(PostgresqlError::on("make", &part))?;
    let outcome = unpack(bytes, &part, address).and_then(|()| {
        // Every user who may run Syncline may run its programs.
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&part, open).map_err(PostgresqlError::on("open", &part))?;
        disk::quiesce::write_out(&part)?;
        fs::rename(&part, directory).map_err(PostgresqlError::on("rename to", directory))
    });
    if outcome.is_err() {
        // What went wrong first is what is reported.
        let _ = remove_tree(&part);
    }
    outcome
}

fn beside(directory: &Path, ending: &str) -> PathBuf {
    let mut path = directory.as_os_str().to_owned();
    path.push(ending);
    PathBuf::from(path)
}

fn fetch(address: &str) -> Result<Vec<u8>, PostgresqlError> {
    let mut response = agent().get(address).call().map_err(|error| failed(address, &error))?;
    let body = response.body_mut().with_config().limit(ARCHIVE_BYTES_MAX).read_to_vec();
    body.map_err(|error| failed(address, &error))
}

/// Asks for the archive's header alone.
pub(crate) fn require_reachable(address: &str) -> Result<(), PostgresqlError> {
    agent().head(address).call().map(drop).map_err(|error| failed(address, &error))
}

fn failed(address: &str, error: &ureq::Error) -> PostgresqlError {
    PostgresqlError::Download { address: address.to_owned(), why: error.to_string() }
}

/// The operating system's certificates and proxies (`HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`) hold here too.
fn agent() -> Agent {
    Agent::config_builder()
        .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
        .timeout_connect(Some(CONNECT_LIMIT))
        .timeout_resolve(Some(CONNECT_LIMIT))
        .timeout_global(Some(DOWNLOAD_LIMIT))
        .build()
        .into()
}

fn check(bytes: &[u8], archive: &Archive, address: &str) -> Result<(), PostgresqlError> {
    let found = digest::of_bytes(bytes);
    if found == archive.sha256 {
        return Ok(());
    }
    Err(PostgresqlError::Checksum { address: address.to_owned(), found, expected: archive.sha256 })
}

/// A jar holds one tar archive, compressed by xz.
fn unpack(bytes: Vec<u8>, directory: &Path, address: &str) -> Result<(), PostgresqlError> {
    let broken = |why: String| PostgresqlError::Download { address: address.to_owned(), why };
    let mut jar = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(error.to_string()))?;
    let mut names = jar.file_names().filter_map(Result::ok).map(Cow::into_owned);
    let name = names.find(|name| has_extension(name, "txz"));
    drop(names);
    let name = name.ok_or_else(|| broken("there is no tar archive in it".to_owned()))?;
    let mut packed = Vec::new();
    let mut member = jar.by_name(&name).map_err(|error| broken(error.to_string()))?;
    member.read_to_end(&mut packed).map_err(|error| broken(error.to_string()))?;
    // tar refuses members that would land outside of the directory.
    tar::Archive::new(XzReader::new(packed.as_slice(), false))
        .unpack(directory)
        .map_err(PostgresqlError::on("unpack PostgreSQL into", directory))
}

fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::RELEASE;

    #[test]
    fn an_archive_that_is_not_the_expected_one_is_not_unpacked() {
        let error = check(b"something else", &RELEASE.archives[0], "https://x").expect_err("is not it");
        let PostgresqlError::Checksum { expected, .. } = &error else { panic!("{error}") };
        assert_eq!(*expected, RELEASE.archives[0].sha256);
    }

    #[test]
    fn what_cannot_be_unpacked_or_was_left_by_a_kill_is_removed() {
        let cache = tempfile::tempdir().expect("made");
        fs::create_dir_all(cache.path().join("postgresql.part/bin")).expect("left");
        let error = place(b"no jar".to_vec(), &cache.path().join("postgresql"), "https://x");
        assert!(matches!(error, Err(PostgresqlError::Download { .. })), "{error:?}");
        assert_eq!(fs::read_dir(cache.path()).expect("readable").count(), 0);
    }

    #[test]
    fn an_address_that_does_not_answer_is_told_in_one_line() {
        let error = fetch("http://127.0.0.1:1/x.jar").expect_err("nobody listens there");
        assert!(matches!(error, PostgresqlError::Download { .. }), "{error}");
        assert_eq!(error.to_string().lines().count(), 1, "{error}");
    }
}
