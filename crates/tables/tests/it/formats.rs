//! Tables as people publish them: Markdown, HTML, terminals; their guessed columns, and how the guesses are corrected.

use laws::{Claim, Direction, Sync};
use tables::{Mapping, Table, audit, read};
use verdict::Status;

fn table(text: &str, columns: &[&str]) -> Table {
    let mut mapping = Mapping::default();
    for column in columns {
        mapping.add_column(column).unwrap();
    }
    read("page.md", text.as_bytes(), &mapping).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn row<'a>(table: &'a Table, label: &str) -> &'a Claim {
    let found = table.rows.iter().find(|row| row.label == label);
    found.unwrap_or_else(|| {
        panic!("{label}: {:?}", table.rows.iter().map(|row| &row.label).collect::<Vec<_>>())
    })
}

const MARKDOWN: &str = "\
# Disk

| Component | Detail |
|---|---|
| NVMe | 953 GB |

## Results

| Test | Block | Throughput | Operations/sec | p99 (ms) | vs baseline |
|------|------:|-----------:|---------------:|---------:|------------:|
| **4K random read**, QD32 | 4 KiB | 55.99 MiB/s | 14,334 ops/s | 1.5 ±0.1 | 1.0x (baseline) |
| 4K random write | 4 KiB | ~36 MiB/s | 9.2k | n/a | 0.64x |
";
const HTML: &str = "\
<html><h2>Results</h2><table>
<tr><th>Test</th><th>Block</th><th>Throughput</th><th>Operations/sec</th><th>p99 (ms)</th></tr>
<tr><td><b>4K random read</b>, QD32<td>4 KiB<td>55.99 MiB/s<td>14,334 ops/s<td>1.5 &plusmn;0.1
<tr><td>4K random write<td>4 KiB<td>~36 MiB/s<td>9.2k<td>n/a
</table></html>";
const TERMINAL: &str = "\
Test                   Block  Throughput   Operations/sec  p99 (ms)
---------------------  -----  -----------  --------------  --------
4K random read, QD32   4 KiB  55.99 MiB/s    14,334 ops/s  1.5 ±0.1
4K random write        4 KiB    ~36 MiB/s            9.2k       n/a
";
const COMMAS: &str = "\
Test;Block;Throughput;Operations/sec;p99 (ms)
4K random read, QD32;4 KiB;55,99 MiB/s;14.334 ops/s;1,5 ±0,1
4K random write;4 KiB;~36 MiB/s;9,2k;n/a
";

#[test]
fn one_table_in_four_forms() {
    for text in [MARKDOWN, HTML, TERMINAL, COMMAS] {
        let table = table(text, &[]);
        assert_eq!(table.rows.len(), 2, "{text}\n{table:?}");
        let read = row(&table, "4K random read, QD32");
        assert_eq!(read.operations_per_s, Some(14_334.0), "{text}");
        assert_eq!(read.setting.block_bytes, Some(4096), "{text}");
        let bandwidth = read.bandwidth_bytes_per_s.unwrap();
        assert!((bandwidth / 1_048_576.0 - 55.99).abs() < 1e-9, "{text}: {bandwidth}");
        let p99 = &read.latency.percentiles[0];
        assert!(
            (p99.value_ns - 1.5e6).abs() < 1e-3 && (p99.quantile - 0.99).abs() < 1e-12,
            "{text}: {p99:?}"
        );
        let spread = read.estimates[0].spread.as_ref().unwrap();
        assert!((spread.figure.value - 0.1).abs() < 1e-12, "{text}: {spread:?}");
        assert_eq!(row(&table, "4K random write").operations_per_s, Some(9200.0), "{text}");
        let guessed = table.remarks.iter().find(|remark| remark.starts_with("Guessed")).unwrap();
        // Not each form has the last column.
        let roles = "\"Block\" is block_bytes, \"Throughput\" is bandwidth_bytes_per_s, \"Operations/sec\" is iops, \
                     \"p99 (ms)\" is latency_p99_ms";
        let of_header = format!("Guessed from header and cells: {roles}");
        assert!(guessed.starts_with(&of_header), "{guessed}");
        let bandwidth = audit(&table).audits.into_iter().find(|audit| audit.name == "bandwidth").unwrap();
        assert_eq!(bandwidth.status, Status::Pass, "{text}: {bandwidth:?}");
    }
    let page = table(MARKDOWN, &[]);
    assert_eq!(page.rows[0].place, "line 11");
    assert!(
        page.remarks
            .iter()
            .any(|remark| remark.ends_with("are left out: line 3.")
                || remark.ends_with("is left out: line 3.")),
        "{:?}",
        page.remarks
    );
}

#[test]
fn labels_tell_settings_that_no_column_has() {
    let table = table(MARKDOWN, &[]);
    let setting = &row(&table, "4K random read, QD32").setting;
    assert_eq!((setting.pattern.as_deref(), setting.iodepth), (Some("randread"), Some(32)));
    insta::assert_snapshot!(table.remarks.join("\n"), @r#"
    Guessed from header and cells: "Block" is block_bytes, "Throughput" is bandwidth_bytes_per_s, "Operations/sec" is iops, "p99 (ms)" is latency_p99_ms, "vs baseline" is figure.
    Taken from the rows' labels: iodepth (1 row), rw (2 rows).
    Correct a guess with --column NAME=ROLE.
    The table without rates, bandwidths or latencies is left out: line 3.
    "#);
}

#[test]
fn a_guess_is_corrected() {
    let text = "| test | slowness | IOPS |\n|---|---|---|\n| a | 5 | 200,000 |\n";
    let guessed = table(text, &[]);
    assert_eq!(guessed.rows[0].latency.mean_ns, None);
    let corrected = table(text, &["slowness=latency_mean_us"]);
    assert_eq!(corrected.rows[0].latency.mean_ns, Some(5000.0));
    let other = table("| a, b = c | n |\n|---|---|\n| 5 | 6 |\n", &["a, b = c=iops"]);
    assert_eq!((other.rows[0].operations_per_s, other.rows[0].n), (Some(5.0), Some(6)));
    let mut mistyped = Mapping::default();
    mistyped.add_column("slownes=iops").unwrap();
    let error = read("page.md", text.as_bytes(), &mistyped).unwrap_err().to_string();
    insta::assert_snapshot!(error, @r#"page.md: unknown column "slownes"; did you mean "slowness"?"#);
    let mut mapping = Mapping::default();
    insta::assert_snapshot!(mapping.add_column("slowness=iosp").unwrap_err(), @r#"unknown role "iosp"; did you mean "iops"?"#);
    insta::assert_snapshot!(mapping.add_column("iops").unwrap_err(), @r#""iops": write NAME=ROLE"#);
}

#[test]
fn a_decimal_mark_that_nothing_shows_is_not_guessed() {
    let text = "| test | IOPS |\n|---|---|\n| a | 14,334 |\n| b | 281 |\n";
    let ambiguous = table(text, &[]);
    assert_eq!((ambiguous.rows[0].operations_per_s, ambiguous.rows[1].operations_per_s), (None, Some(281.0)));
    insta::assert_snapshot!(ambiguous.remarks.join("\n"), @r#"Left out as no figures: line 3, column IOPS: "14,334" has a comma that may group digits or begin decimals (state decimal:point or decimal:comma)."#);
    for (mapping, value) in [("decimal:point", 14_334.0), ("decimal:comma", 14.334)] {
        let read = read("page.md", text.as_bytes(), &Mapping::parse(mapping).unwrap()).unwrap();
        assert_eq!(read.rows[0].operations_per_s, Some(value));
    }
    insta::assert_snapshot!(Mapping::parse("decimal:dot").unwrap_err(), @r#"unknown decimal mark "dot"; there are: point, comma"#);
}

#[test]
fn reads_and_writes_of_one_line_are_two_rows() {
    let text = "\
| Backend | Sequential Read | Random Read (4K) | Random Write (4K) | Note |
|---|---|---|---|---|
| Longhorn | 1.2 GB/s | 95K IOPS | 60K IOPS | three replicas |
| Local | 3.5 GB/s | 500K IOPS | 0 IOPS | |
";
    let table = table(text, &[]);
    let labels: Vec<&str> = table.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(
        labels,
        [
            "Longhorn sequential reads",
            "Longhorn random reads",
            "Longhorn random writes",
            "Local sequential reads",
            "Local random reads"
        ]
    );
    let writes = row(&table, "Longhorn random writes");
    assert_eq!((writes.operations_per_s, writes.bandwidth_bytes_per_s), (Some(60_000.0), None));
    assert_eq!(
        (writes.setting.pattern.as_deref(), writes.setting.block_bytes),
        (Some("randwrite"), Some(4096))
    );
}

#[test]
fn a_table_of_names_and_values_is_turned() {
    let text = "\
| Metric | Before | After |
|---|---|---|
| IOPS | 1000 | 2,000 |
| Average latency (ms) | 32.0 | 16.0 |
| Queue depth | 32 | 32 |
| Threads | 1 | 1 |
";
    let table = table(text, &[]);
    assert_eq!(table.rows.iter().map(|row| row.label.as_str()).collect::<Vec<_>>(), ["Before", "After"]);
    assert_eq!(table.rows[1].operations_per_s, Some(2000.0));
    let law = audit(&table).audits.into_iter().find(|audit| audit.name == "littles-law").unwrap();
    assert_eq!(law.status, Status::Pass, "{law:?}");
}

#[test]
fn a_table_without_a_header_has_results_all_the_same() {
    let html = "<html><table><tr><td>LevelDB</td><td>4,030,000 ops/sec</td></tr><tr><td>SQLite</td><td>383,000 ops/sec</td></tr></table></html>";
    let table = table(html, &[]);
    assert_eq!(table.rows.len(), 2);
    assert_eq!(row(&table, "LevelDB").operations_per_s, Some(4_030_000.0));
}

#[test]
fn a_page_without_results_says_so() {
    for text in [
        "# Title\n\n| Component | Detail |\n|---|---|\n| CPU | fast |\n",
        "<html><table><tr><td>x</td></tr></table></html>",
        "```\nfn main() {}\n```\n",
    ] {
        let error = read("page.md", text.as_bytes(), &Mapping::default()).unwrap_err().to_string();
        assert!(
            error.starts_with("page.md: no table with a column of rates, bandwidths or latencies"),
            "{error}"
        );
    }
}

/// Page 002 recommends a median that the interval beside it leaves out; page 003 ranks promises in one table; page 001
/// has its figures in lines of fio.
#[test]
fn seed_pages_are_read_as_pages() {
    let find =
        |table: &Table, name: &str| audit(table).audits.into_iter().find(|audit| audit.name == name).unwrap();
    let statistics = table(include_str!("../pages/page-002.md"), &[]);
    let median = find(&statistics, "interval-excludes-median");
    assert_eq!(median.status, Status::Warn, "{median:?}");
    insta::assert_snapshot!(median.evidence[0], @"Value (line 9): Mean W/R Ratio is 1.15 ± 0.0220, but its median is 1.19.");
    assert_eq!(statistics.rows[0].n, Some(178), "178 measurements");
    let pages = row(&statistics, "8,192 writes");
    assert_eq!((pages.latency.mean_ns, pages.setting.direction), (Some(1520.0), Some(Direction::Write)));
    let logs = table(include_str!("../pages/page-003.md"), &[]);
    assert_eq!(find(&logs, "unlike-durability").status, Status::Warn);
    assert_eq!(row(&logs, "pwrite (O_SYNC)").setting.sync, Some(Sync::OSync));
    let fio = table(include_str!("../pages/page-001.txt"), &[]);
    let caps: Vec<Option<u64>> = fio.rows.iter().map(|row| row.setting.memory_cap_bytes).collect();
    assert_eq!(caps, [None, None, Some(10 << 30), Some(2560 << 20)]);
    assert_eq!(find(&fio, "littles-law").status, Status::Fail);
    assert_eq!(find(&fio, "duplicated-latency").status, Status::Fail);
    assert_eq!(find(&fio, "not-direct").status, Status::Fail);
    let hints = table(include_str!("../pages/page-004.md"), &[]);
    assert_eq!((hints.rows.len(), hints.rows[2].setting.block_bytes), (6, Some(256 << 10)));
    let commits = table(include_str!("../pages/page-000.md"), &[]);
    assert_eq!(find(&commits, "quantised-intervals").status, Status::Fail);
}
