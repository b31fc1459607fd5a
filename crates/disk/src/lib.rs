//! Block backends, files, page cache, device counters: everything that touches the kernel

pub mod arena;
pub mod backend;
pub mod buffer;
pub mod canary;
pub mod cgroup;
pub mod counters;
mod failure;
pub mod file_table;
pub mod files;
pub mod filesystem;
pub mod kernel;
pub mod medium;
pub mod memory;
pub mod page_cache;
pub mod placement;
pub mod quiesce;
pub mod shared_counters;
pub mod work_directory;

pub use failure::Failure;
