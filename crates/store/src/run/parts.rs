//! The parts of a run by themselves, for checks of what a reader makes of any bytes.

use super::filters::Filters;
use super::footer::{Footer, any_meta};
use super::page::{Page, PageCursor};

/// Reads a page without a checksum, and looks for each of its keys. Returns how many entries it has.
pub(crate) fn read_page(bytes: &[u8]) -> Result<u64, &'static str> {
    let page = Page::new(bytes, None)?;
    let mut cursor = PageCursor::default();
    cursor.load(bytes, None)?;
    let mut entries = 0;
    while let Some(entry) = cursor.entry(bytes) {
        page.find(entry.key)?;
        entries += 1;
        cursor.step(bytes)?;
    }
    Ok(entries)
}

/// Reads a page index, and looks for each of its keys. Returns how many pages it has.
pub(crate) fn read_index(bytes: &[u8]) -> Result<u64, &'static str> {
    let index = any_meta(bytes).ok_or("the page index cannot be decoded")?.index;
    let mut end = 0;
    for page in 0..index.pages() {
        let (offset, page_bytes) = index.place(page);
        let is_found = index.page_of(index.separator(page)) == page;
        if offset != end || page_bytes == 0 || !is_found {
            return Err("the page index contradicts itself");
        }
        end += page_bytes as u64;
    }
    Ok(index.pages() as u64)
}

/// Reads the filters of a run, and asks them. Returns how many fingerprints they have.
pub(crate) fn read_filter(bytes: &[u8]) -> Result<u64, &'static str> {
    let filters = Filters::decode(bytes).ok_or("the filter cannot be decoded")?;
    for hash in (0..64).map(|bit| 1_u64 << bit).chain([0, u64::MAX]) {
        let _ = filters.may_contain(&hash.to_be_bytes(), hash);
    }
    Ok(filters.fingerprints() as u64)
}

/// Makes the checksums of a run's footer, page index and filter match.
pub(crate) fn repair(run: &mut [u8], number: u64) {
    Footer::repair(run, number);
}
