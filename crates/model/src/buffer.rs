//! The memory behind I/O buffers: which pages were requested, and which there were.
//!
//! The device gets one address for each physically contiguous piece of a buffer. A large transfer from or into 4 KiB
//! pages is many pieces and often several requests; from or into a huge page it is few. So the kind of page changes
//! what a disk appears to give, and a database that nobody told to use huge pages has small ones.

use crate::Configuration;
use serde::{Deserialize, Serialize};

/// Name of the parameter.
pub const BUFFER_PAGES: &str = "buffer_pages";

levels! {
    /// The pages that buffers consist of: the parameter `buffer_pages`.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum BufferPages {
        /// Pages of the kernel's base size, 4 KiB on x86-64, even if the kernel would give huge ones by itself.
        Small = "small",
        /// Huge pages, 2 MiB on x86-64.
        Huge = "huge",
    }
}

impl BufferPages {
    /// What a configuration asks for. The error is one sentence.
    pub fn in_configuration(configuration: &Configuration) -> Result<Self, String> {
        let level = configuration.text(BUFFER_PAGES).map_err(|missing| missing.to_string())?;
        Self::from_name(&level)
            .ok_or_else(|| format!("{BUFFER_PAGES} = \"{level}\": expected {}", Self::NAMES.join(" or ")))
    }
}

/// What the kernel says about the buffers' memory (`/proc/self/smaps`) after the trial has used it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferMemory {
    /// Bytes of the buffers that are in memory.
    pub resident_bytes: u64,
    /// Those of them that are in huge pages: transparent ones, or reserved ones.
    pub huge_bytes: u64,
    /// The largest page size that a mapping of the buffers is made of by its kind (`KernelPageSize`): that of huge
    /// pages only if they were reserved, since transparent ones do not change it.
    pub kernel_page_bytes: u64,
}

impl BufferMemory {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            resident_bytes: self.resident_bytes + other.resident_bytes,
            huge_bytes: self.huge_bytes + other.huge_bytes,
            kernel_page_bytes: self.kernel_page_bytes.max(other.kernel_page_bytes),
        }
    }

    /// Share of the resident bytes that are in huge pages, 0…1; `None` if nothing is resident.
    pub fn huge_share(&self) -> Option<f64> {
        (self.resident_bytes > 0).then(|| self.huge_bytes as f64 / self.resident_bytes as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    #[test]
    fn an_unknown_level_is_an_error_and_never_another_level() {
        let mut values = Configuration::default();
        assert!(BufferPages::in_configuration(&values).is_err());
        for name in BufferPages::NAMES {
            values.0.insert(BUFFER_PAGES.to_owned(), Value::Name((*name).to_owned()));
            assert_eq!(BufferPages::in_configuration(&values).map(BufferPages::name), Ok(*name));
        }
        values.0.insert(BUFFER_PAGES.to_owned(), Value::Name("gigantic".to_owned()));
        assert_eq!(
            BufferPages::in_configuration(&values),
            Err("buffer_pages = \"gigantic\": expected small or huge".to_owned())
        );
    }

    #[test]
    fn the_share_is_of_what_is_resident() {
        let memory =
            |resident_bytes, huge_bytes| BufferMemory { resident_bytes, huge_bytes, kernel_page_bytes: 4096 };
        assert_eq!(memory(0, 0).huge_share(), None);
        assert_eq!(memory(100, 50).plus(memory(100, 100)).huge_share(), Some(0.75));
    }
}
