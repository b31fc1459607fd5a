//! Disks that forget, below real file systems.

mod cuts;
mod killed;
mod known_cases;
mod mounted;
mod support;
