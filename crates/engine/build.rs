//! Passes the location of a shared RocksDB library to the linker of this package's programs.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-env-changed=ROCKSDB_LIB_DIR");
    let Some(directory) = env::var_os("ROCKSDB_LIB_DIR") else { return };
    if env::var_os("CARGO_FEATURE_ROCKSDB").is_some() && Path::new(&directory).join("librocksdb.so").exists()
    {
        println!("cargo::rustc-link-arg=-Wl,-rpath,$ORIGIN:{}", directory.display());
    }
}
