//! Tables that others published, and what `--columns` says about them.

use super::refusal::says_something;
use tables::{Mapping, ReadError, Table, audit, csv, read};

const WIDTH: usize = 80;

/// Everything that `syncline audit` does with these bytes.
pub(super) fn table(bytes: &[u8]) {
    for columns in ["", "iops=a,latency_mean_us=b,in_flight:8", "figure=a,half_width_of_a=b"] {
        let mapping = Mapping::parse(columns).expect("sound");
        judge(read("page", bytes, &mapping));
    }
}

/// A column whose cells are these lines, as a table and below a header with a unit: what is read is finite and not
/// negative.
pub(super) fn number(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let lines: Vec<String> = text.lines().map(|line| format!("| x | {} |", line.replace('|', " "))).collect();
    for (header, mapping) in
        [("iops", ""), ("Throughput (MiB/s)", "decimal:comma"), ("Rate (kops/s)", "decimal:point")]
    {
        let page = format!("| name | {header} |\n|---|---|\n{}\n", lines.join("\n"));
        let read = read("page", page.as_bytes(), &Mapping::parse(mapping).expect("sound"));
        let rows = read.iter().flat_map(|table| &table.rows);
        let figures = rows.flat_map(|row| [row.operations_per_s, row.bandwidth_bytes_per_s]);
        assert!(figures.flatten().all(|figure| figure.is_finite() && figure >= 0.0), "{page}");
        if mapping.is_empty() {
            judge(read);
        }
    }
}

/// What `syncline audit` does with a file of device figures, alone and quoted in a page.
pub(super) fn device_file(bytes: &[u8]) {
    judge(read("file", bytes, &Mapping::default()));
    judge(read("page", &[b"# Disks\n```\n", bytes, b"\n```\n"].concat(), &Mapping::default()));
}

/// The text of `--columns` and of `--column`, and a table with it.
pub(super) fn columns(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Mapping::parse(text) {
        Ok(mapping) => judge(csv("page", b"a,b,iops\n1,2,3\n4,5,6\n", &mapping)),
        Err(error) => says_something(error),
    }
    let mut mapping = Mapping::default();
    match mapping.add_column(text) {
        Ok(()) => judge(csv("page", b"a,b,iops\n1,2,3\n4,5,6\n", &mapping)),
        Err(error) => says_something(error),
    }
}

fn judge(result: Result<Table, ReadError>) {
    match result {
        Ok(table) => {
            let report = audit(&table);
            assert_eq!(report.rows.len(), table.rows.len() + table.disks.len());
            assert!(!report::published_table(&report, WIDTH, false).is_empty());
        }
        Err(error) => {
            let said = error.to_string();
            assert!(!said.is_empty() && !said.chars().any(char::is_control), "{said:?}");
        }
    }
}
