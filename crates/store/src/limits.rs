//! How large things may be.

/// Bytes of the longest key.
pub const KEY_BYTES_MAX: usize = 64 << 10;
/// Bytes of the longest value.
pub const VALUE_BYTES_MAX: usize = 64 << 20;
/// Bytes of the largest batch.
pub const BATCH_BYTES_MAX: usize = 256 << 20;
