//! The tests of this crate's public API: one program, so that they are linked once. A test that needs its own process is a
//! separate program beside this directory.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod advise;
mod answer;
mod append;
mod architecture;
mod archive;
mod audit;
mod bad_device_input;
mod bad_engine_input;
mod bad_input;
mod buffers;
mod chapters;
mod checkpoint_cycles;
mod compare;
mod completions;
mod defaults;
mod device;
mod device_parameters;
mod disturbed;
mod english;
mod fio;
mod help;
mod hostile_run_directory;
mod import_circles;
mod in_turns;
mod kill;
mod kv;
mod kv_store;
mod laboratory;
mod left_turns;
mod manners;
mod odd_paths;
mod outputs;
mod pool;
mod postgres;
mod prove;
mod prove_on_server;
mod prove_on_store;
mod prove_on_users_server;
mod readme;
mod records_page;
mod redact;
mod refused_first;
mod replaced_program;
mod run;
mod scan;
mod scan_s3;
mod simulated_commit;
mod skipped;
mod soak;
mod statistics_page;
mod transactions;
mod turns;
