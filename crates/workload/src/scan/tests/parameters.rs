//! Which configurations are accepted.

use super::*;
use model::description::{FileSet, Readahead};

fn objection(changes: &[(&str, &str)]) -> Option<String> {
    (SCHEMA.check)(&configuration(changes)).err()
}

#[test]
fn the_defaults_are_a_study_of_their_own_files() {
    let p = parameters(&[]);
    let files: Vec<_> = p.prepared_files().iter().flat_map(FileSet::files).collect();
    assert_eq!((files.len(), files[0].size_bytes, files[3].name.as_str()), (64, 8 << 20, "scan-8MiB-000003"));
    assert!(!p.is_remote() && p.target.is_none());
    assert!(parameters(&[("target", "/data")]).prepared_files().is_empty());
}

#[test]
fn combinations_without_meaning_are_refused_with_the_way_out() {
    let remote = ("target", "s3://bucket/set");
    for (changes, why) in [
        (
            &[("hint_scope", "every_block")][..],
            "page_cache = normal gives no hint, so hint_scope has no effect: set hint_scope = open",
        ),
        (
            &[("hint_scope", "behind"), ("page_cache", "direct")],
            "page_cache = direct gives no hint, so hint_scope has no effect: set hint_scope = open",
        ),
        (
            &[("hint_scope", "behind"), ("page_cache", "sequential")],
            "hint_scope = behind is about what was read, and page_cache = sequential about what will be: take dontneed, or open",
        ),
        (
            &[("page_cache", "mmap"), ("open", "per_block")],
            "open = per_block would map the whole file for each block: take per_file with mmap",
        ),
        (&[("multipart", "true")], "multipart = true is for s3 targets: local files are read by block_size"),
        (
            &[("prepare", "true")],
            "prepare = true is for s3 targets: leave target out, and files are prepared in the run's directory",
        ),
        (
            &[("concurrency", "65")],
            "concurrency = 65 readers for 64 files, one at a time each: lower concurrency",
        ),
        (
            &[("concurrency", "5"), ("files", "1"), ("file_size", "16KiB"), ("piece_size", "4KiB")],
            "concurrency = 5 readers for 4 pieces, one at a time each: lower concurrency",
        ),
        (&[("piece_size", "5000B")], "piece_size is not a multiple of 4KiB, as direct I/O needs it"),
        (
            &[("step_time", "1ms"), ("batch_size", "1B"), ("file_size", "1GiB")],
            "a pass has 68719476736 batches, at most 10000000: set a larger batch_size",
        ),
        (
            &[("step_time", "1ms"), ("batch_size", "1GiB")],
            "a pass has one batch of 1GiB, and the first step counts nowhere: lower batch_size or set more files",
        ),
        (
            &[("block_size", "0B"), ("file_size", "4GiB")],
            "block_size = whole_file reads files of 4GiB whole, but one read moves at most 2097148KiB: set a block_size",
        ),
        (
            &[("block_size", "1GiB"), ("file_size", "1GiB"), ("concurrency", "9")],
            "9 readers with 1GiB each in flight need 9GiB of buffers, at most 8GiB: lower concurrency or the size of a read",
        ),
        (
            &[("target", "/data"), ("filesystem", "xfs")],
            "target names an existing dataset: set filesystem = host",
        ),
        (
            &[remote, ("page_cache", "direct")],
            "an object store has no local page cache and no files to open: set page_cache = normal, open = per_file",
        ),
        (
            &[remote, ("buffers", "fresh")],
            "buffers = fresh maps memory for local reads: with an s3 target take malloc, which hands on what the client allocates, or pooled, which copies it into memory that is kept",
        ),
        (
            &[remote, ("cache", "warm")],
            "what an object store caches nobody here can drop or prove: leave cache at its default",
        ),
    ] {
        let said = objection(changes).unwrap_or_else(|| panic!("{changes:?} was taken"));
        assert_eq!(said, why);
    }
    assert_eq!(objection(&[("page_cache", "dontneed"), ("hint_scope", "behind")]), None);
    assert_eq!(objection(&[remote, ("multipart", "true"), ("prepare", "true")]), None);
}

#[test]
fn a_read_is_no_longer_than_its_file() {
    assert_eq!(parameters(&[]).read_bytes(5), 5);
    assert_eq!(parameters(&[]).read_bytes(3 << 20), 1 << 20);
    assert_eq!(parameters(&[("block_size", "0B")]).read_bytes(3 << 20), 3 << 20);
    assert_eq!(parameters(&[("block_size", "0B"), ("piece_size", "8KiB")]).read_bytes(3 << 20), 8 << 10);
    let ranges = [("target", "s3://bucket"), ("multipart", "true"), ("range_size", "2MiB")];
    assert_eq!((parameters(&ranges).read_bytes(3 << 20), parameters(&ranges).in_flight_max()), (2 << 20, 4));
}

/// Page 004's figures did not say which readahead they were measured with.
#[test]
fn each_hint_says_what_it_does_to_the_readahead() {
    let every_block = ("hint_scope", "every_block");
    for (changes, readahead) in [
        (&[][..], Some(Readahead::AsSet)),
        (&[("page_cache", "dontcache")], Some(Readahead::AsSet)),
        (&[("page_cache", "sequential")], Some(Readahead::Doubled)),
        (&[("page_cache", "random")], Some(Readahead::Off)),
        (&[("page_cache", "auto")], Some(Readahead::Off)),
        (&[("page_cache", "auto"), ("file_size", "64MiB")], Some(Readahead::Doubled)),
        (&[("page_cache", "dontneed"), every_block], Some(Readahead::Dropped)),
        (&[("page_cache", "dontneed")], Some(Readahead::AsSet)),
        (&[("page_cache", "dontneed"), ("hint_scope", "behind")], Some(Readahead::AsSet)),
        (&[("page_cache", "direct")], Some(Readahead::Bypassed)),
        (&[("page_cache", "sequential"), ("cache", "cold")], Some(Readahead::Doubled)),
        (&[("cache", "warm")], None),
        (&[("target", "s3://bucket/set")], None),
    ] {
        let description = (SCHEMA.describe)(&configuration(changes)).unwrap();
        assert_eq!(description.readahead, readahead, "{changes:?}");
    }
}
