//! axe-core over every kind of page in a real Chromium, light and dark: nothing serious, nothing critical.

use crate::chromium;
use crate::compared;
use crate::fixture;
use crate::observed::observation;

use chromium::{Theme, open, with_script};
use fixture::specimen;
use scraper::{Html, Selector};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

/// As in `scripts/install-axe-core`.
const VERSION: &str = "4.14.1";
/// axe has more rules than this for pages like these; with fewer it did not see the page.
const RULES_MIN: usize = 25;

/// axe-core, as installed by `make tools`.
fn axe() -> Option<String> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
    let path = cache.join(format!("syncline/axe-core-{VERSION}/axe.min.js"));
    match fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => {
            skip::because(format_args!("{}: {error}; make tools installs it", path.display()));
            None
        }
    }
}

/// Runs over the unfolded page and writes the result into the page's title, of which a page has only one.
const RUN: &str = "addEventListener('load', () => setTimeout(async () => { \
    document.querySelectorAll('details').forEach((it) => { it.open = true; }); \
    const found = await axe.run(document); \
    const short = (rule) => ({ id: rule.id, impact: rule.impact, where: rule.nodes.slice(0, 3).map((it) => it.html.slice(0, 160)) }); \
    document.title = JSON.stringify({ dark: matchMedia('(prefers-color-scheme: dark)').matches, \
        passes: found.passes.map((rule) => rule.id), violations: found.violations.map(short) }); }, 2000));";

/// axe's result for a page; `None` if a program is not installed.
fn audit(page: &str, theme: Theme) -> Option<Value> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("page.html");
    fs::write(&file, with_script(page, &format!("{};{RUN}", axe()?))).unwrap();
    let output = open(&directory.path().join("profile"), 1440, theme, &file)?;
    let document = Html::parse_document(&String::from_utf8_lossy(&output.stdout));
    let title =
        document.select(&Selector::parse("head title").unwrap()).next().unwrap().text().collect::<String>();
    let found: Value =
        serde_json::from_str(&title).unwrap_or_else(|error| panic!("axe has not run ({error}): {title}"));
    assert_eq!(found["dark"], Value::Bool(theme == Theme::Dark), "{found}");
    Some(found)
}

fn grave(found: &Value) -> Vec<&Value> {
    let is_grave = |rule: &&Value| matches!(rule["impact"].as_str(), Some("serious" | "critical"));
    found["violations"].as_array().unwrap().iter().filter(is_grave).collect()
}

fn assert_sound(page: &str) {
    for theme in [Theme::Light, Theme::Dark] {
        let Some(found) = audit(page, theme) else { return };
        assert_eq!(grave(&found), Vec::<&Value>::new(), "{theme:?}");
        let passes: Vec<&str> =
            found["passes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(passes.len() >= RULES_MIN, "axe judged {} rules only", passes.len());
        assert!(passes.contains(&"color-contrast"), "axe judged no colours: {passes:?}");
    }
}

#[test]
fn a_run_of_several_studies_has_no_serious_fault() {
    let (run, verdict) = specimen(6);
    assert_sound(&report::html(&run, &verdict, &[], &report::Repeat::default()));
}

#[test]
fn a_run_of_one_study_has_no_serious_fault() {
    let (mut run, mut verdict) = specimen(6);
    run.plan.studies.truncate(1);
    verdict.studies.truncate(1);
    assert_sound(&report::html(&run, &verdict, &[], &report::Repeat::default()));
}

#[test]
fn a_comparison_has_no_serious_fault() {
    let (comparison, rulings) = compared::comparison(&compared::runs());
    assert_sound(&report::comparison_html(&comparison, &rulings));
}

#[test]
fn what_was_observed_has_no_serious_fault() {
    assert_sound(&report::page(&observation("orders").document(None)));
}

/// The same audit over a page with faults: it shows that the test can find some.
#[test]
fn faults_are_found() {
    let (run, verdict) = specimen(6);
    let faults = "<img src=\"data:,\"><p style=\"color:#8a8a8a;background:#999\">faint</p><main";
    let page = report::html(&run, &verdict, &[], &report::Repeat::default()).replacen("<main", faults, 1);
    for theme in [Theme::Light, Theme::Dark] {
        let Some(found) = audit(&page, theme) else { return };
        let rules: Vec<&str> = grave(&found).iter().filter_map(|rule| rule["id"].as_str()).collect();
        assert!(rules.contains(&"image-alt") && rules.contains(&"color-contrast"), "{rules:?}");
    }
}
