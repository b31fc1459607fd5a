//! Cold and warm are proven, not assumed.

use crate::support;

use disk::files::{Layout, create};
use disk::kernel::{cachestat::cachestat, mincore};
use disk::page_cache::{self, PageCacheError, WARM_SHARE};
use model::mechanism::Measured;
use std::fs::File;
use std::os::unix::fs::FileExt;
use support::{retry, work};

const SIZE: u64 = (8 << 20) + 100;

#[track_caller]
fn value(share: Result<Measured<f64>, PageCacheError>) -> f64 {
    *share.expect("readable").value().expect("cachestat or mincore")
}

#[test]
fn a_file_is_made_cold_and_warm_and_both_are_seen() {
    let directory = work();
    let path = directory.path().join("data");
    create(&path, Layout::Prefilled, SIZE, 0).expect("made");
    for _ in 0..2 {
        let warm = value(page_cache::warm(&path));
        assert!((WARM_SHARE..=1.0).contains(&warm), "{warm}");
        let pages = page_cache::residency(&path);
        let pages = pages.value().expect("cachestat");
        assert!(pages.cached_bytes as f64 >= WARM_SHARE * SIZE as f64, "{pages:?}");
        assert_eq!((pages.dirty_bytes, pages.writeback_bytes), (0, 0));

        let cold = value(page_cache::evict(&path));
        assert!(cold < 1e-9, "{cold}");
        assert_eq!(page_cache::residency(&path).value().map(|pages| pages.cached_bytes), Some(0));
    }
}

#[test]
fn a_scattered_part_of_a_file_is_warmed_and_nothing_between() {
    let directory = work();
    let path = directory.path().join("data");
    create(&path, Layout::Prefilled, SIZE, 0).expect("made");
    for (percent, low, high) in [(0, 0.0, 0.0), (50, 0.44, 0.56), (90, 0.86, 0.94), (100, 0.99, 1.0)] {
        page_cache::evict(&path).expect("cold");
        let share = value(page_cache::warm_scattered(&path, percent, 8192));
        assert!((low..=high).contains(&share), "{percent} %: {share}");
    }
}

#[test]
fn dirty_pages_are_seen_and_evicting_writes_them_first() {
    let directory = work();
    let path = directory.path().join("data");
    create(&path, Layout::Prefilled, SIZE, 0).expect("made");
    let file = File::options().write(true).open(&path).expect("opens");
    // Writeback may take the pages within the instant between write and look.
    retry(5, || {
        file.write_all_at(&vec![1; 1 << 20], 0).expect("written");
        let pages = page_cache::residency(&path);
        let pages = pages.value().expect("cachestat");
        let busy = pages.dirty_bytes + pages.writeback_bytes;
        if busy == 1 << 20 { Ok(()) } else { Err(format!("{busy} bytes dirty")) }
    });
    assert!(value(page_cache::evict(&path)) < 1e-9);
    let mut read = vec![0; 1 << 20];
    File::open(&path).and_then(|file| file.read_exact_at(&mut read, 0)).expect("readable");
    assert!(read.iter().all(|&byte| byte == 1), "what was dirty is on the device");
}

#[test]
fn mincore_agrees_with_cachestat() {
    let directory = work();
    let path = directory.path().join("data");
    create(&path, Layout::Prefilled, SIZE, 0).expect("made");
    page_cache::evict(&path).expect("cold");
    let file = File::open(&path).expect("opens");
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::Random).expect("no readahead");
    assert_eq!(mincore::cached_bytes(&file, SIZE).expect("readable"), 0);
    file.read_exact_at(&mut [0; 4096], 1 << 20).expect("readable");
    let pages = mincore::cached_bytes(&file, SIZE).expect("readable");
    assert!(pages > 0);
    assert_eq!(pages, cachestat(&file).expect("Linux 6.5").cached_bytes);
}

#[test]
fn an_empty_file_has_no_share_and_other_things_are_refused() {
    let directory = work();
    let path = directory.path().join("wal");
    create(&path, Layout::Append, 0, 0).expect("made");
    for share in [page_cache::warm(&path), page_cache::evict(&path), page_cache::cached_share(&path)] {
        assert_eq!(share.expect("readable").reason(), Some("the file is empty"));
    }
    let link = directory.path().join("link");
    std::os::unix::fs::symlink(&path, &link).expect("linked");
    for path in [link.as_path(), directory.path(), "/dev/null".as_ref()] {
        assert!(matches!(page_cache::warm(path), Err(PageCacheError::NotAFile { .. })), "{}", path.display());
    }
    assert!(page_cache::residency(&directory.path().join("none")).reason().is_some());
}
