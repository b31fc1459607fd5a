//! The buffer in user space that gathers entries for one write.

use super::parameters::Parameters;
use std::hint::black_box;

/// Copies entries one by one as they are acknowledged, as a log with its own buffer does.
///
/// The block backend writes from its own arena, which holds the same entries; this copy is never written. It exists for
/// its cost, which is most of the cost of an append into a buffer.
#[derive(Clone, Debug)]
pub(super) struct UserBuffer {
    payload: Vec<u8>,
    buffer: Vec<u8>,
    entry_bytes: usize,
}

impl UserBuffer {
    /// The buffer of this configuration; `None` if every entry is written by itself.
    pub(super) fn new(parameters: &Parameters, seed: u64) -> Option<Self> {
        if parameters.buffer_size == 0 {
            return None;
        }
        let mut payload = vec![0; parameters.payload_bytes()];
        parameters.fill(seed, &mut payload);
        let entry_bytes = parameters.entry_bytes() as usize;
        let buffer = vec![0; parameters.entries_per_write() as usize * entry_bytes];
        Some(Self { payload, buffer, entry_bytes })
    }

    /// Copies this number of entries, starting at this place of the payload.
    #[inline]
    pub(super) fn gather(&mut self, begin: usize, entries: u64) {
        let bytes = entries as usize * self.entry_bytes;
        let from = self.payload[begin..begin + bytes].chunks_exact(self.entry_bytes);
        for (entry, place) in from.zip(self.buffer.chunks_exact_mut(self.entry_bytes)) {
            // Opaque to the compiler, which would otherwise merge the copies or remove them.
            black_box(&mut *place).copy_from_slice(black_box(entry));
        }
        black_box(&mut self.buffer);
    }

    #[cfg(test)]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer
    }
}
