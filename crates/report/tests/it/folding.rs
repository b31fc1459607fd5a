//! What is folded opens when a link leads into it and when the page is printed, in a real Chromium.

use crate::chromium::{Theme, open, with_script};
use crate::fixture::specimen;
use scraper::{Html, Selector};
use std::fs;

/// The page's title after the script, which puts its results there.
fn told(script: &str) -> Option<String> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("page.html");
    let (run, verdict) = specimen(6);
    let page = report::html(&run, &verdict, &[], &report::Repeat::default());
    let script = format!(
        "addEventListener('load', () => setTimeout(async () => {{ {script} document.title = told.join(' '); }}, 500));"
    );
    fs::write(&file, with_script(&page, &script)).unwrap();
    let output = open(&directory.path().join("profile"), 1440, Theme::Light, &file)?;
    let document = Html::parse_document(&String::from_utf8_lossy(&output.stdout));
    let title = document.select(&Selector::parse("head title").unwrap()).next().unwrap();
    Some(title.text().collect())
}

#[test]
fn a_link_into_what_is_folded_unfolds_it() {
    let script = "const told = []; const audits = document.getElementById('audits-0'); told.push(audits.open); \
        document.querySelector('.trust a[href=\"#audits-0\"]').click(); await new Promise((wait) => setTimeout(wait, 200)); \
        told.push(audits.open); audits.open = false; \
        document.querySelector('.trust a[href=\"#audits-0\"]').click(); await new Promise((wait) => setTimeout(wait, 200)); \
        told.push(audits.open);";
    let Some(told) = told(script) else { return };
    assert_eq!(told, "false true true", "closed, then opened by the link, and again by the same link");
}

/// The table of all trials can be hundreds of pages, and stays folded.
#[test]
fn print_unfolds_everything_and_screen_folds_it_again() {
    let script = "const folded = () => document.querySelectorAll('main details:not([open], :has(> .scroll[aria-label=\"All trials\"]))').length; \
        const told = [folded() > 10]; dispatchEvent(new Event('beforeprint')); told.push(folded()); \
        told.push(document.querySelectorAll('.plot svg.main-svg').length > 0); \
        dispatchEvent(new Event('afterprint')); told.push(folded() > 10);";
    let Some(told) = told(script) else { return };
    assert_eq!(told, "true 0 true true");
}

/// A phone showed only the configurations of a wide table.
#[test]
fn the_first_column_stays_while_a_table_scrolls() {
    let script = "const told = []; const scroll = document.querySelector('.scroll[aria-label=\"Every configuration against the best\"]'); \
        scroll.style.width = '300px'; scroll.scrollLeft = 200; \
        const [label, figure] = ['th', 'td'].map((it) => scroll.querySelector(`tbody ${it}`).getBoundingClientRect().left); \
        const left = scroll.getBoundingClientRect().left; \
        told.push(scroll.scrollLeft, Math.round(label - left), figure < left, scroll.tabIndex, Boolean(scroll.ariaLabel));";
    let Some(told) = told(script) else { return };
    assert_eq!(told, "200 0 true 0 true");
}
