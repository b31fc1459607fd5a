//! The laws over the figures of disks in files for a scheduler, one file each. To add one: its file and its line in
//! [`DISK_LAWS`].

mod bytes_per_request;
mod default_figures;
mod figures;
mod latency_target;
mod osd_capacity;
mod power_of_two;
mod random_above_sequential;
mod writes_above_reads;

use crate::law::Law;

/// Every law over figures of disks.
pub const DISK_LAWS: &[&Law] = &[
    &bytes_per_request::LAW,
    &power_of_two::LAW,
    &writes_above_reads::LAW,
    &random_above_sequential::LAW,
    &osd_capacity::LAW,
    &default_figures::LAW,
    &latency_target::LAW,
];
