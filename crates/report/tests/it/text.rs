//! The complete output of the terminal and the CSV formats.

use crate::fixture;

use crate::outline::{outline_of, texts};
use fixture::specimen;
use scraper::Html;
use verdict::Status;
use verdict::finding::Noise;

#[test]
fn terminal_at_a_hundred_columns() {
    let (run, verdict) = specimen(6);
    let text = report::terminal(&run, &verdict, &[], 100, false);
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{} columns: {line}", line.chars().count());
        assert_eq!(line, line.trim_end());
    }
    insta::assert_snapshot!(text);
}

/// For a run of many studies the terminal named no audit, and did not print a noise floor of 2.43. What a terminal
/// shows of a long text is its end, which names the failed audits again.
#[test]
fn the_first_screen_says_what_to_distrust_and_the_end_names_it() {
    let (run, mut verdict) = specimen(6);
    let study = &mut verdict.studies[0];
    for (audit, status) in study.audits.iter_mut().zip([Status::Fail, Status::Warn, Status::Warn]) {
        audit.status = status;
        audit.summary = format!("{} was found wanting.", audit.name);
    }
    study.audits[3..].iter_mut().for_each(|audit| audit.status = Status::Pass);
    let asked = study.asked[0].clone();
    study.noise.values_mut().for_each(|floor| *floor = Noise::Floor(1.01));
    study.noise.insert(asked, Noise::Floor(2.43));
    // With more studies than are printed in full, the terminal did not mention audits.
    let told = [1, 6].map(|count| {
        let mut many = verdict.clone();
        many.studies = vec![verdict.studies[0].clone(); count];
        let (text, told) =
            (report::terminal(&run, &many, &[], 100, false), report::distrust(&many, 100, false));
        let (before, after) = text.split_once(&told).expect("check shows the same");
        assert!(before.lines().count() <= 24, "{before}");
        let end: Vec<&str> = after.lines().rev().take(3).collect();
        assert!(end.iter().any(|line| line.trim_start().starts_with("FAIL")), "{after}");
        // The end of a run has what they come to, and of many studies nothing else: 389 lines hid it.
        let outcome = report::outcome(&run, &many, &[], 100, false);
        assert!(outcome.contains(&told));
        assert_eq!(outcome == text, count == 1);
        assert!(outcome.lines().count() <= text.lines().count());
        told
    });
    insta::assert_snapshot!(told.concat(), @r"
    FAIL  drift in commit: drift was found wanting. Let the device cool down: --fix cooldown=2s.
    warn  these limit no answer: steal-and-pressure in commit · littles-law in commit
    noise floor  commit: commits/s a factor of 2.43 · every other metric within ±1.00 % (the baseline
                 against itself; Syncline calls no smaller difference an effect)
    FAIL  drift in commit, commit, commit, commit, commit, commit: drift was found wanting. Let the
          device cool down: --fix cooldown=2s.
    warn  these limit no answer: steal-and-pressure in commit, commit, commit, commit, commit, commit
          · littles-law in commit, commit, commit, commit, commit, commit
    noise floor  commit: commits/s a factor of 2.43 · commit: commits/s a factor of 2.43 · commit:
                 commits/s a factor of 2.43 · commit: commits/s a factor of 2.43 · 2 more above ±5 %
                 (the baseline against itself; Syncline calls no smaller difference an effect)
    ");
}

#[test]
fn the_audits_of_a_run_have_their_evidence() {
    let (_, verdict) = specimen(3);
    insta::assert_snapshot!(report::run_audits(&verdict, 100, false));
}

#[test]
fn a_narrow_terminal_folds_the_table() {
    let (run, verdict) = specimen(6);
    let text = report::terminal(&run, &verdict, &[], 64, false);
    let longest = text.lines().map(|line| line.chars().count()).max();
    assert!(longest <= Some(64), "{longest:?}");
    assert!(text.matches(" mode ").count() > 2, "{text}");
}

#[test]
fn one_is_no_plural() {
    let (mut run, verdict) = specimen(6);
    run.plan.studies[0].rounds = 1;
    let text = report::terminal(&run, &verdict, &[], 200, false);
    let line = text.lines().find_map(|line| line.strip_prefix("  profile ")).unwrap();
    let page = Html::parse_document(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    assert_eq!(texts(&page, "#study-0 > p.note")[0], format!("profile {line}"));
    insta::assert_snapshot!(line, @"quick · 1 round after 1 warm-up · 16 configurations · 102 of 119 trials analysed, 17 warm-up");
}

#[test]
fn colour_adds_nothing_but_escapes() {
    let (run, verdict) = specimen(6);
    let coloured = report::terminal(&run, &verdict, &[], 100, true);
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    // A bold heading is padded to its column's width.
    let plain: Vec<&str> = plain.lines().map(str::trim_end).collect();
    let expected = report::terminal(&run, &verdict, &[], 100, false);
    assert_eq!(plain, expected.lines().collect::<Vec<_>>());
    assert_eq!(coloured.matches("\u{1b}[31mFAIL").count(), expected.matches("FAIL").count());
}

#[test]
fn a_hostile_name_does_not_steer_the_terminal() {
    let (mut run, mut verdict) = specimen(6);
    run.host.name = "\u{1b}]0;owned\u{7}host\r\n".to_owned();
    verdict.studies[0].cells[0].levels[0] = "\u{1b}[2Jbuffered".to_owned();
    let text = report::terminal(&run, &verdict, &[], 100, false);
    assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
}

#[test]
fn page_000_has_its_columns_and_order() {
    let (run, verdict) = specimen(6);
    insta::assert_snapshot!(report::csv_page_000(&run, &verdict).expect("the specimen has a commit study"));
}

#[test]
fn page_000_without_enough_rounds_says_why_its_intervals_are_empty() {
    let (run, verdict) = specimen(3);
    let text = report::csv_page_000(&run, &verdict).expect("the specimen has a commit study");
    let comment = text.lines().last().expect("there are lines");
    assert_eq!(comment, "# empty cells: n = 3 trials, and fewer than 6 give no interval");
    for line in text.lines().skip(1).filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields.len(), 20);
        assert!(fields.iter().skip(5).step_by(2).all(|half| half.is_empty()), "{line}");
        assert!(fields.iter().skip(4).step_by(2).all(|mean| !mean.is_empty()), "{line}");
    }
}

#[test]
fn page_000_refuses_what_it_has_no_column_for() {
    let (mut run, verdict) = specimen(6);
    // Without the commit study only the layouts are left, and the page has no column that distinguishes them.
    run.plan.studies.remove(0);
    let error = report::csv_page_000(&run, &verdict).expect_err("layouts have no column");
    insta::assert_snapshot!(error, @r#"page 000 has no column for the difference between "mode=buffered wal_layout=prefilled" and "mode=buffered wal_layout=fallocated" in study wal-layout; use the long format"#);
    run.plan.studies.clear();
    let error = report::csv_page_000(&run, &verdict).expect_err("there is no commit study");
    insta::assert_snapshot!(error, @"page 000 is about commits, and this run has no study with the workload commit");
}

#[test]
fn the_long_format_quotes_and_reads_back() {
    let (mut run, _) = specimen(1);
    run.records.retain(|record| record.key.study == "wal-layout" && record.key.configuration == 5);
    run.records[0].values.0.insert("ioengine".to_owned(), model::Value::Name("a \"b\", c\nd".to_owned()));
    let text = report::csv_long(&run);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().expect("there is a header").clone();
    let column = |name: &str| headers.iter().position(|header| header == name).expect("the column is there");
    let rows: Vec<csv::StringRecord> =
        reader.records().collect::<Result<_, _>>().expect("rows are equally long");
    assert_eq!(&rows[0][column("ioengine")], "a \"b\", c\nd");
    let failed: Vec<_> = rows.iter().filter(|row| &row[column("outcome")] == "failed").collect();
    assert_eq!(failed.len(), 1);
    assert_eq!(&failed[0][column("metric")], "");
    let reason = "write wal-0.dat: no space left on device (128MiB needed, 90MiB free)";
    assert_eq!(&failed[0][column("reason")], reason);
    for row in rows.iter().filter(|row| !row[column("value")].is_empty()) {
        let record = &run.records[row[column("round")].parse::<usize>().expect("a round")];
        let value: f64 = row[column("value")].parse().expect("a number");
        assert_eq!(record.figure(&row[column("metric")]), Some(value), "values read back exactly");
        assert!(!row[column("unit")].is_empty());
    }
    insta::assert_snapshot!(text.lines().take(12).collect::<Vec<_>>().join("\n"));
}

/// The long format contained records of a study that the plan lacks; the page also listed those of an unknown
/// configuration, as trials without a name.
#[test]
fn what_the_plan_lacks_is_in_no_form_of_the_report() {
    let (mut run, verdict) = specimen(6);
    let (long, page) =
        (report::csv_long(&run), report::html(&run, &verdict, &[], &report::Repeat::default()));
    let markdown = report::markdown(&run, &verdict, &[], &report::Repeat::default());
    let first = run.records[0].clone();
    let edits: [fn(&mut model::trial::TrialRecord); 4] = [
        |record| "stranger".clone_into(&mut record.key.study),
        |record| record.key.configuration = 4096,
        |record| record.key.round = 4096,
        |record| (record.key.configuration, record.key.duplicate) = (1, true),
    ];
    for edit in edits {
        let mut record = first.clone();
        edit(&mut record);
        record.values.0.insert("of_another_plan".to_owned(), model::Value::Count(1));
        if let Some(measurement) = &mut record.measurement {
            "btrfs".clone_into(&mut measurement.placement.filesystem);
            "stranger".clone_into(&mut measurement.files[0].role);
        }
        run.records.insert(0, record);
    }
    assert_eq!(report::csv_long(&run), long);
    assert!(
        report::html(&run, &verdict, &[], &report::Repeat::default()) == page,
        "the page tells what the plan lacks"
    );
    assert_eq!(report::markdown(&run, &verdict, &[], &report::Repeat::default()), markdown);
}

/// Six trials, one of them with a stall: a mean of 500 ± 2 000 commits/s.
#[test]
fn no_form_of_the_report_shows_a_figure_below_zero() {
    let (run, mut verdict) = specimen(6);
    let figure = verdict.studies[0].cells[0].figures.get_mut("commits_per_s").expect("it was measured");
    (figure.mean.point, figure.mean.interval) = (Some(500.0), Some((-1500.0, 2500.0)));
    // The configuration's rows, and the note about an interval that is cut.
    let lines = |text: &str| {
        let is_about = |line: &&str| line.contains("500 (0–2") || line.contains("cut at zero");
        text.lines().filter(is_about).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(lines(&report::terminal(&run, &verdict, &[], 200, false)), @r"
    buffered           1                 1  6  500 (0–2 500)             2 148 ±  35             3 502 ±  68     441 ±     6
     and findings are geometric means. In brackets the interval itself, cut at zero because no figure can be negative.
    ");
    insta::assert_snapshot!(lines(&report::markdown(&run, &verdict, &[], &report::Repeat::default())), @r"
    | buffered | 1 | 1 | 6 | 500 (0–2 500) | 0.912 (0.895–0.928) | 1.09 (1.07–1.11) | 1.11 (1.09–1.13) | 0.0146 (0.0144–0.0149) |
    | buffered | 1 | 1 | 6 | 500 (0–2 500) | 2 148 ± 35 | 3 502 ± 68 | 441 ± 6 |
    Arithmetic mean ± half the width of its 95 % t interval over n trials (never over operations). The figures of answers and findings are geometric means. In brackets the interval itself, cut at zero because no figure can be negative.
    ");
    let page = report::html(&run, &verdict, &[], &report::Repeat::default());
    insta::assert_snapshot!(lines(&outline_of(&page, "#study-0")), @r"
        tr: buffered · 1 · 1 | 6.number | 500 (0–2 500).number | 0.912 (0.895–0.928).number | 1.09 (1.07–1.11).number | 1.11 (1.09–1.13).number | 0.0146 (0.0144–0.0149).number
          tr: buffered · 1 · 1 | 6.number | 500 (0–2 500).number | 2 148 ± 35.number | 3 502 ± 68.number | 441 ± 6.number
    p.note: Arithmetic mean ± half the width of its 95 % t interval over n trials (never over operations). The figures of answers and findings are geometric means. In brackets the interval itself, cut at zero because no figure can be negative.
            tr: buffered · 1 · 1 | 6.number | 500 (0–2 500).number | 443 ± 4.number | 441 ± 6.number | 1.00 ± 0.number | 2.09 ± 0.01.number | 5.02 ± 0.05 KiB.number | 1.00 ± 0.number | 4.00 ± 0 KiB.number | 2.09 ± 0.06.number
      p.note: In brackets the interval itself, cut at zero because no figure can be negative.
    ");
    let data = &texts(&Html::parse_document(&page), "script[type='application/json']")[0];
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(data["metrics"]["commits_per_s"]["means"][0], serde_json::json!([500, 0, 2500]));
    let (run, verdict) = specimen(6);
    assert_eq!(lines(&report::terminal(&run, &verdict, &[], 200, false)), "");
}

#[test]
fn a_run_of_many_studies_is_told_in_its_answers_and_figures() {
    let (run, mut verdict) = specimen(6);
    let of_findings = |text: &str| text.lines().filter(|line| *line == "Findings").count();
    let whole = report::terminal(&run, &verdict, &[], 100, false);
    assert_eq!(of_findings(&whole), verdict.studies.len());
    for _ in 0..2 {
        verdict.studies.extend(verdict.studies.clone());
    }
    let text = report::terminal(&run, &verdict, &[], 100, false);
    insta::assert_snapshot!("many_studies_at_a_hundred_columns", text);
    assert_eq!(of_findings(&text), 0);
    assert_eq!(text.matches("  Answer  ").count(), verdict.studies.len());
    // Every study has its absolute figures.
    assert_eq!(text.lines().filter(|line| line.starts_with('─')).count(), verdict.studies.len());
}
