//! Sizes as PostgreSQL writes them: whole numbers of kB, MB or GB, which are powers of 1024.

use model::units::{GIB, KIB, MIB};

/// In the largest unit that divides it, rounded down: to whole MB, below 1 MB to whole kB.
pub(super) fn rounded_down(bytes: u64) -> String {
    match bytes {
        0..MIB => format!("{}kB", bytes / KIB),
        MIB.. => whole_megabytes(bytes / MIB),
    }
}

/// Rounded up to whole GB.
pub(super) fn rounded_up(bytes: f64) -> String {
    // A cast of a float saturates.
    format!("{}GB", (bytes / GIB as f64).ceil() as u64)
}

fn whole_megabytes(megabytes: u64) -> String {
    const PER_GIGABYTE: u64 = GIB / MIB;
    if megabytes.is_multiple_of(PER_GIGABYTE) {
        format!("{}GB", megabytes / PER_GIGABYTE)
    } else {
        format!("{megabytes}MB")
    }
}
