//! The seed pages without a column added by hand: what each says in its text is read. The tables are theirs, the
//! sentences are not.

use tables::{Mapping, Report, Table, audit, read};
use verdict::Status;

fn page(text: &str) -> Table {
    read("page.md", text.as_bytes(), &Mapping::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn off(report: &Report) -> Vec<&str> {
    let off = report.audits.iter().filter(|audit| matches!(audit.status, Status::Warn | Status::Fail));
    off.map(|audit| audit.name.as_str()).collect()
}

/// The interval that excludes the recommended median was found, and neither the copy from memory that is taken for the
/// SSD nor the ± larger than its mean.
#[test]
fn page_002_takes_a_copy_for_its_drive() {
    let table = page(&format!(
        "# Cost of a page\n\n- **Iterations**: 30 per size (10 at first)\n- **Storage**: NVMe SSD (MacBook Pro M4)\n\n{}\n\
         ### NVMe SSD\n\n- Very low latency: 1.2-1.5 µs per page\n",
        include_str!("../pages/page-002.md")
    ));
    let report = audit(&table);
    for check in ["interval-excludes-median", "memory-as-device", "spread-exceeds-mean"] {
        assert!(off(&report).contains(&check), "{check}: {:?} {:#?}", off(&report), report.remarks);
    }
    let sizes = table.rows.iter().filter(|row| row.label.ends_with("reads"));
    assert!(sizes.clone().count() > 0 && sizes.clone().all(|row| row.n == Some(30)), "30 iterations");
}

#[test]
fn page_003_syncs_nothing_on_its_system() {
    let table = page(&format!(
        "# Appends\n\n- **Entry size**: 116 bytes\n\n{}\n## Hardware\n\n- **Platform**: Apple Silicon (aarch64-apple-darwin)\n",
        include_str!("../pages/page-003.md")
    ));
    let report = audit(&table);
    for check in ["unlike-durability", "sync-without-flush"] {
        assert!(off(&report).contains(&check), "{check}: {:?} {:#?}", off(&report), report.remarks);
    }
}

#[test]
fn page_004_drops_the_cache_before_the_first_of_three_passes() {
    let table = page(&format!(
        "# Reads\n\n**Dataset**: 64 files × 8 MiB = 512 MiB total, 3 passes = 1.5 GiB  \n\
         **System**: Linux with page cache dropped between tests\n\n{}",
        include_str!("../pages/page-004.md")
    ));
    assert_eq!((table.rows[0].setting.passes, table.rows[0].setting.cache_drops), (Some(3), Some(1)));
    let report = audit(&table);
    assert!(off(&report).contains(&"caches-dropped-once"), "{:?} {:#?}", off(&report), report.remarks);
    // That each cell is one run is stated nowhere.
    assert!(report.unstated.contains(&"n"), "{:?}", report.unstated);
}
