//! What a disk holds and what it has been asked to make durable, kept apart: the state after every request, the state
//! at the last flush, and the requests in between.

use crate::cut::{self, Cut};
use crate::pages::Pages;
use crate::request::{Content, Request};

/// A disk with a volatile cache, in memory. A clone is the disk at one moment, and shares its pages.
#[derive(Clone, Debug)]
pub struct Image {
    /// What survives every cut.
    flushed: Pages,
    /// What is read.
    current: Pages,
    /// What is in `current` and not in `flushed`, as it arrived.
    pending: Vec<Request>,
    /// Bytes that these cover, each as often as it was written.
    pending_bytes: u64,
}

/// What a disk holds after a loss of power.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    pages: Pages,
}

/// A request reaches past the end of the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{length} bytes at {offset} reach past the end of a disk of {size_bytes} bytes")]
pub struct PastTheEnd {
    /// Where the request begins, bytes.
    pub offset: u64,
    /// Bytes that it covers.
    pub length: u64,
    /// Size of the disk, bytes.
    pub size_bytes: u64,
}

impl Image {
    /// A disk full of zeros.
    pub fn new(size_bytes: u64) -> Self {
        Self::after(&Snapshot { pages: Pages::new(size_bytes) })
    }

    /// The disk that is switched on after a loss of power.
    pub fn after(snapshot: &Snapshot) -> Self {
        let pages = &snapshot.pages;
        Self { flushed: pages.clone(), current: pages.clone(), pending: Vec::new(), pending_bytes: 0 }
    }

    /// Size of the disk, bytes.
    pub fn size_bytes(&self) -> u64 {
        self.current.size_bytes()
    }

    /// Requests since the last flush.
    pub fn pending_requests(&self) -> usize {
        self.pending.len()
    }

    /// Bytes of these requests.
    pub fn pending_bytes(&self) -> u64 {
        self.pending_bytes
    }

    /// One write request.
    ///
    /// # Errors
    /// It reaches past the end; nothing is written.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), PastTheEnd> {
        self.require_inside(offset, bytes.len() as u64)?;
        self.current.write(offset, bytes);
        self.pending_bytes += bytes.len() as u64;
        self.pending.push(Request { offset, content: Content::Bytes(bytes.into()) });
        Ok(())
    }

    /// One request that leaves zeros: a discard, or a command to write zeros. It is no more durable than a write.
    ///
    /// # Errors
    /// It reaches past the end; nothing is changed.
    pub fn clear(&mut self, offset: u64, length: u64) -> Result<(), PastTheEnd> {
        self.require_inside(offset, length)?;
        self.current.clear(offset, length);
        self.pending_bytes += length;
        self.pending.push(Request { offset, content: Content::Zeros { length } });
        Ok(())
    }

    /// Reads what was written last, flushed or not.
    ///
    /// # Errors
    /// It reaches past the end; nothing is read.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), PastTheEnd> {
        self.require_inside(offset, into.len() as u64)?;
        self.current.read(offset, into);
        Ok(())
    }

    /// Makes everything durable that was written before. A drive only has to do so with what it had answered before the
    /// flush arrived; what was in flight beside it is durable here too.
    pub fn flush(&mut self) {
        for request in self.pending.drain(..) {
            self.flushed.take_over(&self.current, request.offset, request.length());
        }
        self.pending_bytes = 0;
    }

    /// What the disk would hold if it lost power now. The image itself goes on as if nothing had happened.
    pub fn cut(&self, cut: Cut) -> Snapshot {
        let mut pages = self.flushed.clone();
        match cut {
            Cut::FlushedOnly => {}
            Cut::Subset { seed, torn } => {
                for (request, part) in cut::survivors(&self.pending, seed, torn) {
                    let (before, length) = (part.start - request.offset, part.end - part.start);
                    match &request.content {
                        Content::Bytes(bytes) => {
                            pages.write(part.start, &bytes[before as usize..(before + length) as usize]);
                        }
                        Content::Zeros { .. } => pages.clear(part.start, length),
                    }
                }
            }
        }
        Snapshot { pages }
    }

    fn require_inside(&self, offset: u64, length: u64) -> Result<(), PastTheEnd> {
        let size_bytes = self.size_bytes();
        let is_inside = offset.checked_add(length).is_some_and(|end| end <= size_bytes);
        if is_inside { Ok(()) } else { Err(PastTheEnd { offset, length, size_bytes }) }
    }
}

impl Snapshot {
    /// Size of the disk, bytes.
    pub fn size_bytes(&self) -> u64 {
        self.pages.size_bytes()
    }

    /// Reads a part of it.
    ///
    /// # Errors
    /// It reaches past the end.
    pub fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), PastTheEnd> {
        Image::after(self).read(offset, into)
    }
}

#[cfg(test)]
mod tests;
