//! A file's extents, and whether they are those of its layout.

use super::{FileError, Layout};
use crate::failure::Failure;
use crate::kernel::fiemap::{self, Extent};
use model::mechanism::Measured;
use model::trial::ExtentFacts;
use std::fs::File;
use std::path::Path;

/// What FIEMAP says about a file, up to its size. The file is fsynced first, so that delayed allocation is over.
///
/// `Unsupported` if the file system has no FIEMAP.
pub fn extent_facts(path: &Path) -> Result<Measured<ExtentFacts>, FileError> {
    let file = File::open(path).map_err(Failure::on("open", path))?;
    rustix::fs::fsync(&file).map_err(Failure::on("fsync", path))?;
    let size = file.metadata().map_err(Failure::on("read the size of", path))?.len();
    match fiemap::extents(&file) {
        Ok(extents) => Ok(Measured::Value(summarise(&extents, size))),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOTTY)) => {
            Ok(Measured::unsupported("this file system does not report the extents of its files (no FIEMAP)"))
        }
        Err(error) => Err(Failure::on("read the extents of", path)(error).into()),
    }
}

fn summarise(extents: &[Extent], size: u64) -> ExtentFacts {
    let mut facts = ExtentFacts::default();
    let mut covered_to = 0;
    for extent in extents.iter().filter(|extent| extent.offset < size) {
        let end = (extent.offset + extent.length).min(size);
        facts.count += 1;
        facts.hole_bytes += extent.offset.saturating_sub(covered_to);
        if extent.unwritten {
            facts.unwritten_bytes += end - extent.offset;
        }
        covered_to = covered_to.max(end);
    }
    facts.hole_bytes += size - covered_to;
    facts
}

/// Whether a freshly made file has the extents of its layout.
///
/// # Errors
/// [`FileError::Layout`], which says what was found instead.
pub fn verify_layout(
    path: &Path,
    layout: Layout,
    facts: &ExtentFacts,
    size_bytes: u64,
) -> Result<(), FileError> {
    let ExtentFacts { count: _, unwritten_bytes, hole_bytes } = *facts;
    let found = match layout {
        Layout::Append if size_bytes != 0 => format!("it holds {size_bytes} bytes and should be empty"),
        Layout::Fallocated | Layout::Prefilled if hole_bytes != 0 => {
            format!("{hole_bytes} of {size_bytes} bytes are not allocated")
        }
        Layout::Fallocated if unwritten_bytes != size_bytes => {
            format!("only {unwritten_bytes} of {size_bytes} bytes are unwritten extents")
        }
        Layout::Prefilled if unwritten_bytes != 0 => {
            format!("{unwritten_bytes} of {size_bytes} bytes are unwritten extents")
        }
        Layout::Append | Layout::Fallocated | Layout::Prefilled => return Ok(()),
    };
    Err(FileError::Layout { path: path.to_owned(), layout, found })
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn extent(offset: u64, length: u64, unwritten: bool) -> Extent {
        Extent { offset, length, unwritten }
    }

    #[track_caller]
    fn check(extents: &[Extent], size: u64, count: u64, unwritten_bytes: u64, hole_bytes: u64) {
        assert_eq!(summarise(extents, size), ExtentFacts { count, unwritten_bytes, hole_bytes });
    }

    #[test]
    fn holes_and_unwritten_bytes_are_counted_up_to_the_size() {
        check(&[], 0, 0, 0, 0);
        check(&[], 100, 0, 0, 100);
        check(&[extent(0, 4096, false)], 4000, 1, 0, 0);
        check(&[extent(0, 4096, true)], 4000, 1, 4000, 0);
        check(&[extent(10, 10, false), extent(30, 10, true)], 50, 2, 10, 30);
        check(&[extent(0, 10, false), extent(10, 90, true)], 10, 1, 0, 0);
    }

    #[test]
    fn each_layout_refuses_the_others_extents() {
        let path = Path::new("f");
        let facts = |unwritten_bytes, hole_bytes| ExtentFacts { count: 1, unwritten_bytes, hole_bytes };
        assert!(verify_layout(path, Layout::Append, &facts(0, 0), 0).is_ok());
        assert!(verify_layout(path, Layout::Append, &facts(0, 0), 8).is_err());
        assert!(verify_layout(path, Layout::Fallocated, &facts(8, 0), 8).is_ok());
        assert!(verify_layout(path, Layout::Fallocated, &facts(0, 0), 8).is_err());
        assert!(verify_layout(path, Layout::Fallocated, &facts(4, 4), 8).is_err());
        assert!(verify_layout(path, Layout::Prefilled, &facts(0, 0), 8).is_ok());
        assert!(verify_layout(path, Layout::Prefilled, &facts(1, 0), 8).is_err());
        let error = verify_layout(path, Layout::Prefilled, &facts(0, 1), 8).expect_err("a hole");
        let FileError::Layout { layout: Layout::Prefilled, found, .. } = error else { panic!("{error}") };
        assert_eq!(found, "1 of 8 bytes are not allocated");
    }
}
