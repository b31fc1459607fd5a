//! Embeds `studies/*.toml`, so that adding a study touches nothing else, and tells the program where the RocksDB that
//! it is linked with is, if it is a shared library.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const STUDIES: &str = "../../studies";

fn main() -> io::Result<()> {
    find_rocksdb_when_run();
    // Read when the script runs: a target directory may serve several clones, and the one that compiled it may be gone.
    let package =
        env::var_os("CARGO_MANIFEST_DIR").ok_or_else(|| io::Error::other("cargo sets CARGO_MANIFEST_DIR"))?;
    let directory = Path::new(&package).join(STUDIES);
    // Relative to the package of the clone that is built: an absolute path would be that of another one.
    println!("cargo::rerun-if-changed={STUDIES}");
    let mut files: Vec<PathBuf> =
        fs::read_dir(&directory)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    // By name: `commit` before `commit-modes`, although `commit-modes.toml` sorts before `commit.toml`.
    files.sort_by(|one, other| one.file_stem().cmp(&other.file_stem()));
    let mut list = String::from("&[\n");
    for file in files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "toml")) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(file)?;
        let _ = writeln!(list, "    ({name:?}, {text:?}),");
    }
    list.push(']');
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo sets OUT_DIR"))?;
    fs::write(Path::new(&out).join("studies.rs"), list)
}

/// A build script's linker arguments hold for its own package only, so the crate `engine` has the same lines for its
/// tests.
fn find_rocksdb_when_run() {
    println!("cargo::rerun-if-env-changed=ROCKSDB_LIB_DIR");
    let Some(directory) = env::var_os("ROCKSDB_LIB_DIR") else { return };
    if env::var_os("CARGO_FEATURE_ROCKSDB").is_some() && Path::new(&directory).join("librocksdb.so").exists()
    {
        println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN:{}", directory.display());
    }
}
