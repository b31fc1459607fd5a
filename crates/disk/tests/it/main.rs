//! The tests of this crate's public API: one program, so that they are linked once. A test that needs its own process
//! is a separate program beside this directory.

mod accounting;
mod backend_data;
mod backends;
mod canary;
mod cgroup;
mod counters;
mod file_table;
mod files;
mod filesystem;
mod mmap;
mod page_cache;
mod planted_work_directory;
mod scheduling;
mod simulated;
mod support;
mod unfinished_work_directory;
mod work_directory;
