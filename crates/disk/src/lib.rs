//! Block backends, files, page cache, device counters: everything that touches the kernel

pub mod arena;
pub mod backend;
pub mod file_table;
