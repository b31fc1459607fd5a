//! The HTML report in a real Chromium: every plot is drawn, nothing is logged, nothing is wider than a phone, and it
//! appears at once.

use crate::chromium;
use crate::fixture;
use crate::observed::observation;

use chromium::{Theme, open, with_script};
use fixture::specimen;
use scraper::{Html, Selector};
use std::fs;

fn select(document: &Html, selector: &str) -> usize {
    document.select(&Selector::parse(selector).unwrap()).count()
}

#[test]
fn every_plot_is_drawn_and_the_console_stays_silent() {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("report.html");
    let (run, verdict) = specimen(6);
    fs::write(&page, with_script(&report::html(&run, &verdict, &[], &report::Repeat::default()), ""))
        .unwrap();
    for (width, theme) in [(1440, Theme::Light), (500, Theme::Dark)] {
        let Some(output) = open(&directory.path().join("profile"), width, theme, &page) else { return };
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{log}");
        assert!(!log.contains("CONSOLE"), "the page logs: {log}");
        let document = Html::parse_document(&String::from_utf8_lossy(&output.stdout));
        let all = select(&document, "div.plot[data-plot]");
        assert!(all >= 8, "the specimen has {all} plots");
        let drawn = document
            .select(&Selector::parse("div.plot[data-plot]").unwrap())
            .filter(|place| place.select(&Selector::parse("svg.main-svg").unwrap()).next().is_some())
            .count();
        assert_eq!(drawn, all, "plots drawn at {width} px");
        // A band and a line for each of two modes in each of two studies.
        let over_time = select(&document, "div.plot[data-plot='over-time'] .scatterlayer .trace path");
        assert!(over_time >= 8, "no throughput over time at {width} px");
    }
}

/// The page in a frame of a phone's width, fully unfolded: the reader would have to scroll sideways to anything wider
/// than the frame.
fn assert_fits_a_phone(page: &str) {
    let directory = tempfile::tempdir().unwrap();
    let script = "addEventListener('load', () => { document.querySelectorAll('details').forEach((it) => { it.open = true; }); \
        setTimeout(() => parent.postMessage(`width ${document.documentElement.scrollWidth} of ${innerWidth}`, '*'), 4000); });";
    fs::write(directory.path().join("report.html"), with_script(page, script)).unwrap();
    let frame = directory.path().join("frame.html");
    fs::write(
        &frame,
        "<iframe src=report.html style='width:390px;height:8000px;border:0'></iframe><p id=told></p>\
         <script>addEventListener('message', (event) => { document.getElementById('told').textContent = event.data; });</script>",
    )
    .unwrap();
    let Some(output) = open(&directory.path().join("profile"), 1000, Theme::Light, &frame) else { return };
    let document = Html::parse_document(&String::from_utf8_lossy(&output.stdout));
    let told = document.select(&Selector::parse("#told").unwrap()).next().unwrap().text().collect::<String>();
    let widths: Vec<u32> = told.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(matches!(widths[..], [page, 390] if page <= 390), "{told}");
}

#[test]
fn nothing_is_wider_than_a_phone() {
    let (run, verdict) = specimen(6);
    assert_fits_a_phone(&report::html(&run, &verdict, &[], &report::Repeat::default()));
    assert_fits_a_phone(&report::page(&observation("orders").document(None)));
}

/// The reader's first view needs no scrolling on a usual screen: the disk, the answers, the start of what could not be
/// trusted.
#[test]
fn the_first_screen_holds_the_answers_and_the_head_of_what_could_not_be_trusted() {
    let directory = tempfile::tempdir().unwrap();
    let page = directory.path().join("report.html");
    let (run, verdict) = specimen(6);
    let script = "addEventListener('load', () => { const bottom = (it) => Math.round(document.querySelector(it).getBoundingClientRect().bottom); \
        document.title = `h1 ${bottom('h1')} answers ${bottom('section.answers')} trust ${bottom('#trust')}`; });";
    fs::write(&page, with_script(&report::html(&run, &verdict, &[], &report::Repeat::default()), script))
        .unwrap();
    let Some(output) = open(&directory.path().join("profile"), 1440, Theme::Light, &page) else { return };
    let document = Html::parse_document(&String::from_utf8_lossy(&output.stdout));
    let title =
        document.select(&Selector::parse("title").unwrap()).next().unwrap().text().collect::<String>();
    let bottoms: Vec<u32> = title.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    assert!(
        matches!(bottoms[..], [h1, answers, trust] if h1 < answers && answers < trust && trust < 900),
        "{title}"
    );
}
