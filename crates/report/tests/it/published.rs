//! The terminal's judgement of a published table: how much of it was checked.

use report::published_table;
use tables::{Mapping, audit, csv};

/// The terminal's heading and rows.
fn rows(text: &str) -> String {
    let table = csv("page.csv", text.as_bytes(), &Mapping::default()).unwrap();
    let text = published_table(&audit(&table), 200, false);
    text.split_once("\nAudits\n").unwrap().0.to_owned()
}

/// It printed "of 6 rows 6 can be believed" although 11 of 13 checks had nothing to look at.
#[test]
fn what_was_not_checked_is_counted_as_not_checked() {
    insta::assert_snapshot!(rows("label,cost,cost_ci,n\na,1.652,0.241,30\nb,1.182,0.093,30\n"), @r"
    page.csv — of 2 rows 2 are not checked; 3 of 32 checks applied; nothing found

      not checked   2 rows, from a (line 2) to b (line 3)
          3 of 32 checks applied; nothing found
    ");
}

#[test]
fn a_row_names_its_figures_that_nothing_looked_at() {
    let rows = rows("iops,latency_mean_us,in_flight,commits_mean,commits_ci,n\n721000,177,128,5,1,6\n");
    insta::assert_snapshot!(rows, @r"
    page.csv — of 1 row 1 is checked in part; 6 of 32 checks applied; nothing found

      part checked   (line 2)
          6 of 32 checks applied; nothing found
          not checked: commits_mean, commits_ci
    ");
}
