//! A runtime's description of a container.

use super::refusal::says_something;
use container::io_uring_by_config;

pub(super) fn config(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Err(why) = io_uring_by_config(text) {
        says_something(why);
    }
}
