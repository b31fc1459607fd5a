//! The HTML report in a real Chromium: every plot is drawn, nothing is logged, nothing is wider than a phone.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod fixture;

use fixture::specimen;
use scraper::{Html, Selector};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const HEIGHT: u32 = 2_000;
const VIRTUAL_TIME_MS: u32 = 20_000;

fn chromium(profile: &Path, width: u32, page: &Path) -> Option<Output> {
    let started = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--enable-logging=stderr", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--window-size={width},{HEIGHT}"))
        .arg(format!("--virtual-time-budget={VIRTUAL_TIME_MS}"))
        .arg(format!("file://{}", page.display()))
        .output();
    match started {
        Ok(output) => Some(output),
        Err(error) => {
            println!("skipped: no chromium ({error}); make tools installs it");
            None
        }
    }
}

/// Plots are drawn when they come into sight, which headless Chromium under virtual time reports now and then or never.
/// Here everything is in sight from the start.
const ALL_IN_SIGHT: &str = "<script>window.IntersectionObserver = class { \
    constructor(tell) { this.tell = tell; } \
    observe(target) { setTimeout(() => this.tell([{ isIntersecting: true, target }], this), 0); } \
    unobserve() {} disconnect() {} };</script></head>";

/// The report without its policy, which forbids scripts that are not its own: a test's copy has some.
fn without_policy(page: &str) -> String {
    let policy = page.find("<meta http-equiv=\"Content-Security-Policy\"").expect("the page has a policy");
    let policy_end = policy + page[policy..].find('>').unwrap() + 1;
    format!("{}{}", &page[..policy], &page[policy_end..])
}

fn places(document: &Html) -> (usize, usize) {
    let place = Selector::parse("div.plot[data-plot]").unwrap();
    let drawing = Selector::parse("svg.main-svg").unwrap();
    let all: Vec<_> = document.select(&place).collect();
    let drawn = all.iter().filter(|place| place.select(&drawing).next().is_some()).count();
    (all.len(), drawn)
}

#[test]
fn every_plot_is_drawn_and_the_console_stays_silent() {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("report.html");
    let (run, verdict) = specimen(6);
    let text = without_policy(&report::html(&run, &verdict)).replacen("</head>", ALL_IN_SIGHT, 1);
    fs::write(&page, text).unwrap();
    for width in [1440, 500] {
        let Some(output) = chromium(&directory.path().join("profile"), width, &page) else { return };
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{log}");
        assert!(!log.contains("CONSOLE"), "the page logs: {log}");
        let document = Html::parse_document(&String::from_utf8_lossy(&output.stdout));
        let (all, drawn) = places(&document);
        assert!(all >= 8, "the specimen has {all} plots");
        // A band and a line for each of two modes in each of two studies.
        let over_time = Selector::parse("div.plot[data-plot='over-time'] .scatterlayer .trace path").unwrap();
        assert!(document.select(&over_time).count() >= 8, "no throughput over time at {width} px");
        assert_eq!(drawn, all, "plots drawn at {width} px");
    }
}

/// The page in a frame of a phone's width: what is wider than the frame would have to be scrolled sideways.
#[test]
fn nothing_is_wider_than_a_phone() {
    let directory = tempfile::tempdir().unwrap();
    let (run, verdict) = specimen(6);
    let script = "<script>addEventListener('load', () => setTimeout(() => { document.title = 'width ' + \
        document.documentElement.scrollWidth + ' of ' + innerWidth; parent.postMessage(document.title, '*'); }, 4000));</script></body>";
    let page = without_policy(&report::html(&run, &verdict)).replacen("</body>", script, 1);
    fs::write(directory.path().join("report.html"), page).unwrap();
    let frame = directory.path().join("frame.html");
    fs::write(
        &frame,
        "<iframe src=report.html style='width:390px;height:8000px;border:0'></iframe><p id=told></p>\
         <script>addEventListener('message', (event) => { document.getElementById('told').textContent = event.data; });</script>",
    )
    .unwrap();
    let Some(output) = chromium(&directory.path().join("profile"), 1000, &frame) else { return };
    let document = Html::parse_document(&String::from_utf8_lossy(&output.stdout));
    let told = document.select(&Selector::parse("#told").unwrap()).next().unwrap().text().collect::<String>();
    let widths: Vec<u32> = told.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(matches!(widths[..], [page, 390] if page <= 390), "{told}");
}
