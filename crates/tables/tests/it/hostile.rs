//! Files that are not tables, or no longer: one clear line each, never a panic, never more memory than the file allows.

use proptest::prelude::*;
use std::sync::Arc;
use tables::{Mapping, ROWS_MAX, audit, csv, fio_json, read};

const FIXTURES: [&[u8]; 8] = [
    include_bytes!("../../../../examples/page-000.csv"),
    include_bytes!("../../../../examples/page-001.csv"),
    include_bytes!("../../../../examples/page-002.csv"),
    include_bytes!("../../../../examples/page-003.csv"),
    include_bytes!("../../../../examples/page-004.csv"),
    include_bytes!("../../../fio/tests/fixtures/fio-3.33-fdatasync.json"),
    include_bytes!("../../../fio/tests/fixtures/fio-3.33.json"),
    include_bytes!("../../../fio/tests/fixtures/fio-3.33-plus.json"),
];

fn refusal(text: &[u8], mapping: &str) -> String {
    let error = read("page.csv", text, &Mapping::parse(mapping).unwrap()).unwrap_err().to_string();
    assert!(!error.chars().any(char::is_control), "{error:?}");
    error
}

#[test]
fn what_is_wrong_is_named_with_line_and_column() {
    for (text, mapping, message) in [
        (&b""[..], "", "page.csv: the file is empty"),
        (b"# nothing\n", "", "page.csv: no header: the file has no line but comments"),
        (
            b"colour,shape\nred,round\n",
            "",
            "page.csv line 1: Syncline knows none of these columns as a figure: give one its role",
        ),
        (b"iops\n", "", "page.csv line 1: a header and no rows"),
        (b"iops,n\n1,2\n3\n", "", "page.csv line 3: 1 cells where the header has 2"),
        (b"iops\nmany\n", "", "page.csv line 2, column iops: \"many\" is not a number"),
        (b"iops\n-4\n", "", "page.csv line 2, column iops: -4 is negative"),
        (b"iops\n1e999\n", "", "page.csv line 2, column iops: \"1e999\" is not finite"),
        (b"iops,n\n1,2.5\n", "", "page.csv line 2, column n: \"2.5\" is not a count"),
        (
            b"iops,rw\n1,sideways\n",
            "",
            "page.csv line 2, column rw: unknown pattern \"sideways\"; there are: read, write, randread, randwrite, rw, randrw",
        ),
        (b"iops\n\xff\n", "", "page.csv line 2, column iops: not UTF-8: convert the file"),
        (b"i\0ops\n1\n", "", "page.csv: it holds NUL bytes, so it is not text: UTF-8 is needed"),
        (
            b"iops,iops\n1,2\n",
            "",
            "page.csv line 1: the columns \"iops\" and \"iops\" both give iops: state which one does",
        ),
        (b"rate\n1\n", "iops=rat", "page.csv line 1: unknown column \"rat\"; did you mean \"rate\"?"),
        (
            b"iops\n1\n",
            "in_flight:many",
            "page.csv: the value stated for in_flight: \"many\" is not a number",
        ),
        (
            b"{}",
            "iops=x",
            "page.csv: this is fio's JSON, which has no columns to map: write ROLE:VALUE for what holds for every row",
        ),
    ] {
        assert_eq!(refusal(text, mapping), message);
    }
    let long = format!("iops\n\"{}\n", "9".repeat(10_000));
    insta::assert_snapshot!(refusal(long.as_bytes(), ""), @"page.csv line 2, column iops: 10000 bytes in one cell, at most 4096; a quote may be left open");
    let wide = format!("iops{}\n", ",x".repeat(2000));
    insta::assert_snapshot!(refusal(wide.as_bytes(), ""), @"page.csv line 1: 2001 columns; at most 1024");
    let many = format!("iops\n{}", "1\n".repeat(ROWS_MAX + 1));
    insta::assert_snapshot!(refusal(many.as_bytes(), ""), @"page.csv line 100002: more than 100000 rows: audit a part of it");
    let escape = refusal(b"iops\n\x1b[31mred\n", "");
    insta::assert_snapshot!(escape, @r#"page.csv line 2, column iops: "\u{1b}[31mred" is not a number"#);
    for json in
        ["{", "{\"jobs\": []}", "{\"fio version\": 3}", &"[".repeat(100_000), &"{\"a\":".repeat(100_000)]
    {
        assert!(
            !fio_json("fio.json", json.as_bytes(), &Mapping::default()).unwrap_err().to_string().is_empty()
        );
    }
}

/// Small pages that took gigabytes: a line is as long as the header, and a cell stands for all the columns that it
/// spans.
#[test]
fn a_page_keeps_no_more_cells_than_a_table_may_have() {
    let rows = "<tr><td>5".repeat(20_000);
    let wide = format!("<table><tr>{}{rows}</table>", "<th>iops".repeat(1000));
    insta::assert_snapshot!(refusal(wide.as_bytes(), ""), @"page.csv: more than 1000000 cells: audit a part of it");
    let spans = format!("<table>{}</table>", "<tr><td colspan=64>5".repeat(20_000));
    insta::assert_snapshot!(refusal(spans.as_bytes(), ""), @"page.csv: more than 1000000 cells: audit a part of it");
    let in_markdown = format!("```\n```\n\n{spans}\n");
    insta::assert_snapshot!(refusal(in_markdown.as_bytes(), ""), @"page.csv: more than 1000000 cells: audit a part of it");
    // Columns of one long line, and nearly nothing in all the others.
    let aligned = format!("{}\n{}", "ab  ".repeat(1000), "5\n".repeat(20_000));
    assert!(!refusal(aligned.as_bytes(), "").is_empty());
}

/// Every row of a page of fio kept the name of the command above it: 8 KiB a hundred thousand times.
#[test]
fn a_long_name_is_not_kept_in_every_row() {
    let name = "ä".repeat(3000);
    let text = format!(
        "$ fio --name={name} --rw=randread --ioengine={name}\n{}",
        "  read: IOPS=5, BW=1MiB/s (1MB/s)(6MiB/3001msec)\n".repeat(50)
    );
    let table = read("page", text.as_bytes(), &Mapping::default()).unwrap();
    assert_eq!(table.rows.len(), 50);
    let lengths = |row: &laws::Claim| row.label.len() + row.setting.engine.as_ref().map_or(0, String::len);
    assert!(table.rows.iter().all(|row| lengths(row) <= 256), "{:?}", table.rows[0]);
}

/// The options of the command above them were copied into each row of a page.
#[test]
fn rows_below_one_command_share_its_options() {
    let text = format!(
        "$ fio --name=a --rw=randwrite --bs=4k --direct=1 --size=1g --ioengine=io_uring --iodepth=32 --numjobs=4\n{}",
        "  write: IOPS=5, BW=1MiB/s (1MB/s)(6MiB/3001msec)\n".repeat(50)
    );
    let table = read("page", text.as_bytes(), &Mapping::default()).unwrap();
    let knobs = |row: usize| &table.rows[row].setting.knobs;
    assert!(!knobs(0).is_empty());
    assert!((1..50).all(|row| Arc::ptr_eq(knobs(0), knobs(row))));
}

#[test]
fn a_page_keeps_no_more_rows_than_a_table_may_have() {
    let many = format!("test,iops,n\n{}", "a,5,1\n".repeat(ROWS_MAX + 1));
    insta::assert_snapshot!(refusal(format!("```\n{many}```\n").as_bytes(), ""), @"page.csv: more than 100000 rows: audit a part of it");
    let output = "read: IOPS=5\n".repeat(ROWS_MAX + 2);
    insta::assert_snapshot!(refusal(output.as_bytes(), ""), @"page.csv: more than 100000 rows: audit a part of it");
}

/// Each name on fio's command line had a copy of the options before it, and each row one of its job's name: a page of 4
/// MB took hundreds of gigabytes.
#[test]
fn a_long_line_is_not_part_of_every_row() {
    let value = "v".repeat(2 << 20);
    let names = " --name=a".repeat(100_000);
    let command = format!("fio --filename={value}{names}");
    let below = command.replace(" --name", " \\\n --name");
    for line in [&command, &below, &format!("{value}: (groupid=0, jobs=1)"), &format!("numjobs={value}")] {
        let page = format!("{line}\n{}", "read: IOPS=5\n".repeat(50_000));
        let table = read("page", page.as_bytes(), &Mapping::default()).unwrap();
        assert_eq!(table.rows.len(), 50_000);
        assert!(table.rows.iter().all(|row| row.label.is_empty() && row.setting.numjobs.is_none()));
    }
}

#[test]
fn other_separators_and_marks_are_taken() {
    for text in
        ["iops;n\n5;6\n", "iops\tn\n5\t6\n", "\u{feff}iops,n\r\n5,6\r\n", "# said\n\niops, n\n 5 , 6 \n"]
    {
        let table = csv("page.csv", text.as_bytes(), &Mapping::default()).unwrap();
        assert_eq!((table.rows[0].operations_per_s, table.rows[0].n), (Some(5.0), Some(6)), "{text}");
    }
    let unknown = csv("page.csv", b"iops,colour\n5,red\n", &Mapping::default()).unwrap();
    let remarks = audit(&unknown).remarks;
    assert_eq!(
        remarks,
        ["The column \"colour\" is left out: give a column its role with --column NAME=ROLE."]
    );
}

/// Everything a command would do with these bytes.
fn survive(bytes: &[u8]) {
    for mapping in ["", "iops=a,latency_mean_us=b,in_flight:8", "figure=a,half_width_of_a=b"] {
        let mapping = Mapping::parse(mapping).unwrap();
        for result in [read("f", bytes, &mapping), csv("f", bytes, &mapping), fio_json("f", bytes, &mapping)]
        {
            match result {
                Ok(table) => assert_eq!(audit(&table).rows.len(), table.rows.len() + table.disks.len()),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}

/// A fixture with some bytes replaced, cut or repeated.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let change = (any::<prop::sample::Index>(), prop::collection::vec(any::<u8>(), 0..6), 0..12usize);
    (0..FIXTURES.len(), prop::collection::vec(change, 0..8)).prop_map(|(fixture, changes)| {
        let mut bytes = FIXTURES[fixture].to_vec();
        for (place, new, removed) in changes {
            let from = place.index(bytes.len().max(1));
            let to = (from + removed).min(bytes.len());
            bytes.splice(from.min(to)..to, new);
        }
        bytes
    })
}

/// Tables of numbers of every size, with every role a header can name.
fn tables() -> impl Strategy<Value = Vec<u8>> {
    let names = prop::sample::subsequence(
        tables::role_help().into_iter().map(|role| role.0).collect::<Vec<_>>(),
        1..12,
    );
    let cell = prop_oneof![
        any::<f64>().prop_map(|number| number.to_string()),
        any::<u32>().prop_map(|number| number.to_string()),
        Just(String::new()),
        Just("1e308".to_owned()),
        Just("randrw".to_owned()),
        Just("direct".to_owned()),
        Just("0".to_owned()),
    ];
    (names, prop::collection::vec(cell, 12..60)).prop_map(|(names, cells)| {
        let rows = cells.chunks_exact(names.len()).map(|row| row.join(","));
        std::iter::once(names.join(",")).chain(rows).collect::<Vec<_>>().join("\n").into_bytes()
    })
}

proptest! {
    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        survive(&bytes);
    }

    #[test]
    fn any_text(text in "[a-z0-9,;\t\n\"#{}:.eE+-]{0,300}") {
        survive(text.as_bytes());
    }

    #[test]
    fn fixtures_with_errors(bytes in mutated()) {
        survive(&bytes);
    }

    #[test]
    fn tables_of_anything(bytes in tables()) {
        survive(&bytes);
    }

    #[test]
    fn any_mapping(text in ".{0,80}") {
        if let Ok(mapping) = Mapping::parse(&text) {
            let _ = csv("f", b"a,b,iops\n1,2,3\n", &mapping);
        }
    }
}
