//! Whether memory has room for a pool's frames: in swap they would be pages on the disk again.

use crate::refusal::Refusal;
use model::units::{format_bytes, format_bytes_approximate};
use workload::pool::Parameters;

/// Refuses a pool that is larger than the kernel's estimate of available memory (`MemAvailable`, since Linux 3.14).
pub(super) fn require_room(parameters: &Parameters) -> Result<(), Refusal> {
    match disk::memory::available_bytes() {
        Some(available) if parameters.pool_bytes() > available => {
            Err(Refusal::Unsupported(larger(parameters, available)))
        }
        Some(_) | None => Ok(()),
    }
}

fn larger(parameters: &Parameters, available: u64) -> String {
    format!(
        "blocks × headroom × page_size needs {} of frames, and {} of memory are available: lower blocks",
        format_bytes(parameters.pool_bytes()),
        format_bytes_approximate(available as f64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pool_that_is_too_large_says_so_in_one_line() {
        let values = workload::schema("pool").expect("is one").defaults();
        let parameters = Parameters::read(&values).expect("defaults are whole");
        assert!(require_room(&parameters).is_ok(), "16 MiB are there");
        let line = "blocks × headroom × page_size needs 18024KiB of frames, and 8.00 MiB of memory are available: \
                    lower blocks";
        assert_eq!(larger(&parameters, 8 << 20), line);
    }
}
