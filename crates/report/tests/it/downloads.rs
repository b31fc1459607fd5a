//! Each figure as a file: a real Chromium clicks every button below every plot, under the page's own policy, and the
//! bytes that would be saved are looked at.

use crate::chromium::message_of;
use crate::fixture::specimen;
use scraper::{Html, Selector};
use serde_json::Value;
use std::collections::BTreeSet;

/// Keeps each file instead of saving it, and posts its name, its first bytes, its size, and how many points the plot
/// beside the button has.
const CLICK: &str = "addEventListener('load', () => setTimeout(async () => { \
    document.querySelectorAll('details').forEach((it) => { it.open = true; }); \
    for (const plot of document.querySelectorAll('.plot')) { \
        plot.scrollIntoView(); \
        while (!plot.data) await new Promise((wait) => setTimeout(wait, 5)); } \
    const files = []; let blob; \
    URL.createObjectURL = (it) => { blob = it; return 'blob:kept'; }; \
    HTMLAnchorElement.prototype.click = function () { files.push({ name: this.download, blob }); }; \
    const told = []; \
    for (const button of document.querySelectorAll('.downloads button')) { \
        const before = files.length; button.click(); \
        while (files.length === before && button.isConnected) await new Promise((wait) => setTimeout(wait, 5)); \
        const file = files[before]; \
        if (!file) { told.push({ missing: button.getAttribute('aria-label') }); continue; } \
        const bytes = new Uint8Array(await file.blob.arrayBuffer()); \
        const text = file.name.endsWith('.png') ? '' : new TextDecoder().decode(bytes); \
        const plot = button.closest('figure').querySelector('.plot'); \
        const points = plot.data.filter((it) => it.hoverinfo !== 'skip' && !(it.line && it.line.width === 3)).reduce((sum, it) => sum + it.x.length, 0); \
        const parsed = file.name.endsWith('.svg') && new DOMParser().parseFromString(text, 'image/svg+xml'); \
        told.push({ name: file.name, magic: [...bytes.slice(0, 8)], size: bytes.length, points, \
            parses: parsed && !parsed.querySelector('parsererror') && parsed.documentElement.localName === 'svg', \
            marks: parsed ? parsed.querySelectorAll('.trace').length : 0, \
            rows: file.name.endsWith('.csv') ? text.split('\\r\\n').length - 2 : 0 }); } \
    parent.postMessage(JSON.stringify(told)); }, 500));";

#[test]
fn every_button_gives_a_file_of_its_kind() {
    let (run, verdict) = specimen(6);
    let page = report::html(&run, &verdict, &[], &report::Repeat::default());
    let end = page.rfind("</body>").unwrap();
    let clicked = format!("{}<script>{CLICK}</script>{}", &page[..end], &page[end..]);
    let Some(message) = message_of(&clicked) else { return };
    let files: Vec<Value> =
        serde_json::from_str(&message).unwrap_or_else(|error| panic!("{error}: {message}"));
    let plots = Html::parse_document(&page).select(&Selector::parse("div.plot").unwrap()).count();
    assert_eq!(files.len(), 3 * plots, "three files of each plot");
    let mut kinds = BTreeSet::new();
    for file in &files {
        let (name, points) = (file["name"].as_str().expect("a file"), file["points"].as_u64().unwrap());
        kinds.insert(name.trim_start_matches("syncline-commit-").to_owned());
        assert!(points > 0, "{file}");
        match name.rsplit_once('.').unwrap().1 {
            "png" => {
                assert_eq!(file["magic"], serde_json::json!([0x89, 0x50, 0x4e, 0x47, 0xd, 0xa, 0x1a, 0xa]));
                // An empty picture of this size compresses to less.
                assert!(file["size"].as_u64().unwrap() > 20_000, "{file}");
            }
            "svg" => {
                assert_eq!(file["parses"], true, "{file}");
                assert!(file["marks"].as_u64().unwrap() > 0, "{file}");
            }
            "csv" => assert_eq!(file["rows"], points, "{file}"),
            other => panic!("{other}"),
        }
    }
    for kind in ["headline.csv", "curves.svg", "over-time.png", "drift.csv", "mechanism.csv", "forest-1.png"]
    {
        assert!(kinds.contains(kind), "{kind} is not among {kinds:?}");
    }
}
