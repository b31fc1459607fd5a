//! Two compared runs: the terminal and the page.

use crate::compared;
use crate::outline::outline;

use compared::{comparison, runs};
use scraper::{Html, Selector};
use verdict::RunRemark;
use verdict::compare::{ComparisonRemark, Held, Lone, Plots, RowReason, Unjudged};

#[test]
fn terminal_at_a_hundred_and_ten_columns() {
    let (comparison, rulings) = comparison(&runs());
    let text = report::comparison(&comparison, &rulings, 110, false);
    for line in text.lines() {
        assert!(line.chars().count() <= 110, "{} columns: {line}", line.chars().count());
        assert_eq!(line, line.trim_end());
    }
    insta::assert_snapshot!(text);
}

/// The number of comparisons that share the error equals the number of intervals in the tables.
#[test]
fn the_comparisons_that_are_counted_are_those_that_are_shown() {
    let (comparison, rulings) = comparison(&runs());
    let text = report::comparison(&comparison, &rulings, 200, false);
    let said: Vec<usize> = text
        .lines()
        .filter_map(|line| line.split_once("interval of the change: ")?.1.split(' ').next()?.parse().ok())
        .collect();
    let tested: Vec<usize> = comparison
        .studies
        .iter()
        .map(|study| study.rows.iter().filter(|row| row.p_adjusted.is_some()).count())
        .filter(|count| *count > 1)
        .collect();
    assert_eq!(said, tested, "{text}");
    // A change has its interval in brackets, and so has the result of a limit, above the tables.
    let tables = text.split_once("What differs").unwrap().1;
    // An answer may have a footnote.
    let tables = tables.replace("same within 5 % [", "same [");
    assert_eq!(
        tables.matches(" % [").count() + tables.matches("× [").count(),
        said.iter().sum::<usize>(),
        "{tables}"
    );
}

#[test]
fn markdown_of_a_comparison() {
    let (comparison, rulings) = comparison(&runs());
    insta::assert_snapshot!(page::markdown::document(&comparison.document(&rulings, &Plots::NONE)));
}

#[test]
fn page_of_a_comparison() {
    let (comparison, rulings) = comparison(&runs());
    insta::assert_snapshot!(outline(&report::comparison_html(&comparison, &rulings)));
}

#[test]
fn the_page_is_well_formed_offline_and_says_what_the_terminal_says() {
    let (comparison, rulings) = comparison(&runs());
    let text = report::comparison_html(&comparison, &rulings);
    for scheme in ["http://", "https://", "url(", "@import", "fetch("] {
        assert!(!text.contains(scheme), "{scheme}");
    }
    let page = Html::parse_document(&text);
    assert_eq!(page.errors, Vec::<String>::new());
    let select = |selector: &str| {
        let selector = Selector::parse(selector).unwrap();
        page.select(&selector).map(|found| found.text().collect::<String>()).collect::<Vec<_>>()
    };
    assert!(select("script").is_empty());
    let rows: usize = comparison.studies.iter().map(|study| study.rows.len()).sum();
    assert_eq!(select("section.study tbody tr").len(), rows);
    assert!(select("td").iter().any(|cell| cell == "rw,noatime,|<b>"));
    for table in page.select(&Selector::parse("table").unwrap()) {
        assert!(table.select(&Selector::parse("thead th[scope=col]").unwrap()).count() > 0);
    }
}

#[test]
fn names_stay_text_on_the_page_and_in_the_terminal() {
    let hostile = "</td></table><script>alert(1)</script>\u{1b}]0;owned\u{7}\u{202e}\u{2066}\r\n|`";
    let mut runs = runs();
    runs.1.host.name = hostile.to_owned();
    runs.1.host.processor = hostile.to_owned();
    runs.1.plan.directory = hostile.into();
    for run in [&mut runs.0, &mut runs.1] {
        run.plan.studies[0].question = hostile.to_owned();
    }
    let (mut comparison, mut rulings) = comparison(&runs);
    comparison.a.name = hostile.to_owned();
    comparison.studies[0].rows[0].configuration = Some(hostile.to_owned());
    comparison.studies[0].rows[1].why = Some(RowReason::NoValue { side: 'A', why: hostile.to_owned() });
    comparison.studies[0].rows[1].metric = hostile.to_owned();
    comparison.studies[0].metrics.push(hostile.to_owned());
    comparison.studies[0].left_out.push(Lone { side: 'A', names: vec![hostile.to_owned()] });
    comparison
        .remarks
        .push(ComparisonRemark::OfRun { side: 'A', remark: RunRemark::Read(hostile.to_owned()) });
    let ratio = comparison.studies[0].rows[0].ratio.clone().unwrap();
    rulings[0].broken.push(Held { row: hostile.to_owned(), ratio });
    rulings[0].unjudged.push(Unjudged { why: comparison.studies[0].rows[1].why.clone(), rows: Vec::new() });
    let text = report::comparison(&comparison, &rulings, 110, false);
    assert!(text.chars().all(|c| c == '\n' || model::printable::is_printable(c)));
    let html = report::comparison_html(&comparison, &rulings);
    assert!(html.chars().all(|c| c == '\n' || model::printable::is_printable(c)));
    let page = Html::parse_document(&html);
    assert_eq!(page.errors, Vec::<String>::new());
    assert_eq!(page.select(&Selector::parse("script").unwrap()).count(), 0);
}
