//! The chapters in `docs/` describe every study, name files that exist, and lead to each other.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// README, the map, the guide to a change, and every page below `docs/`.
fn pages() -> Vec<PathBuf> {
    let mut pages = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(PathBuf::from).to_vec();
    for folder in ["docs", "docs/runs"] {
        let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
        let names =
            entries.filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "md"));
        pages.extend(names.map(|name| Path::new(folder).join(name)));
    }
    pages
}

/// A page without its blocks of code.
fn prose(page: &str) -> String {
    page.split("```").step_by(2).collect()
}

/// What stands between single backticks.
fn code(page: &str) -> Vec<String> {
    prose(page)
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>())
        .collect()
}

/// The targets of a page's links, images too.
fn links(page: &str) -> Vec<String> {
    let prose = prose(page);
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(str::to_owned).collect()
}

/// Study → chapter, as the table of chapters has it.
fn chapters() -> BTreeMap<String, String> {
    let index = read("docs/README.md");
    let mut chapters = BTreeMap::new();
    for row in index.lines().filter(|line| line.starts_with("| [")) {
        let cells: Vec<&str> = row.split('|').collect();
        let chapter = links(cells[1]).remove(0);
        for study in
            code(cells[2]).into_iter().filter(|word| root().join(format!("studies/{word}.toml")).exists())
        {
            assert_eq!(chapters.insert(study.clone(), chapter.clone()), None, "{study} has two chapters");
        }
    }
    chapters
}

#[test]
fn every_study_has_a_chapter_that_tells_of_it() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_syncline"));
    let output = command.args(["studies", "--format", "json"]).output().unwrap();
    let list: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let studies: Vec<&str> =
        list.as_array().unwrap().iter().map(|study| study["name"].as_str().unwrap()).collect();
    assert!(studies.len() >= 19, "{studies:?}");
    let chapters = chapters();
    for study in &studies {
        let chapter =
            chapters.get(*study).unwrap_or_else(|| panic!("docs/README.md has no chapter for {study}"));
        let text = read(Path::new("docs").join(chapter));
        let is_run = text.lines().any(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.windows(2).any(|pair| pair[0] == "run" && pair[1] == *study)
        });
        assert!(is_run || code(&text).iter().any(|word| word == study), "{chapter} says nothing of {study}");
    }
    assert_eq!(chapters.len(), studies.len(), "the index has studies that are not there");
}

#[test]
fn every_chapter_of_a_study_tells_what_it_grew_from() {
    for chapter in chapters().values() {
        let text = read(Path::new("docs").join(chapter)).to_lowercase();
        assert!(text.contains("page it grew from") || text.contains("grown from a page"), "{chapter}");
    }
}

#[test]
fn every_page_of_the_docs_is_in_the_index() {
    let listed = links(&read("docs/README.md"));
    for page in pages().iter().filter(|page| page.parent() == Some(Path::new("docs"))) {
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(name == "README.md" || listed.iter().any(|link| link == name), "{name}");
    }
}

#[test]
fn links_lead_somewhere() {
    for page in pages() {
        for link in links(&read(&page)) {
            let target = link.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let path = root().join(page.parent().unwrap()).join(target);
            assert!(path.exists(), "{} leads to {link}, which is not there", page.display());
        }
    }
}

/// A path of the repository that a page names exists: files move, and pages do not follow by themselves.
#[test]
fn files_that_are_named_exist() {
    let mut named = 0;
    for page in pages() {
        // The change log and the map shorten the names of folders below crates/.
        for word in code(&read(&page)) {
            let is_ours = ["crates/", "studies/", "scripts/", "examples/", "docs/"]
                .iter()
                .any(|top| word.starts_with(top));
            if is_ours && !word.contains(['…', '*', ' ', '<']) {
                assert!(root().join(&word).exists(), "{} names {word}, which is not there", page.display());
                named += 1;
            }
        }
    }
    assert!(named > 40, "{named}");
}

/// The names that `docs/extending.md` sends its reader to are in the files that it names beside them.
#[test]
fn names_in_the_walk_through_exist() {
    for (name, file) in [
        ("const AUDITS", "crates/verdict/src/audits/list.rs"),
        ("struct Judgement", "crates/verdict/src/audits/check.rs"),
        ("struct Context", "crates/verdict/src/audits/context.rs"),
        ("struct Check", "crates/verdict/src/audits/check.rs"),
        ("enum Bearing", "crates/verdict/src/basis.rs"),
        ("const DATABASES", "crates/advice/src/database/mod.rs"),
        ("enum Syntax", "crates/settings/src/syntax.rs"),
        ("const ANSWER", "crates/syncline/src/studies.rs"),
        ("const SCHEMAS", "crates/workload/src/lib.rs"),
        ("const SUBJECTS", "crates/trial/src/subject.rs"),
        ("trait Engine", "crates/engine/src/contract.rs"),
        ("trait Adapter", "crates/engine/src/contract.rs"),
    ] {
        assert!(read(file).contains(name), "{file} has no {name}");
        let word = name.split(' ').nth(1).unwrap();
        assert!(read("docs/extending.md").contains(word), "docs/extending.md does not say {word}");
    }
}

/// The example in the page is the file in the repository, without its comments.
#[test]
fn the_study_that_is_shown_is_the_one_that_runs() {
    let page = read("docs/extending.md");
    let (_, rest) = page.split_once("```toml\n").unwrap();
    let shown: toml::Table = rest.split_once("```").unwrap().0.parse().unwrap();
    let there: toml::Table = read("examples/record-size.toml").parse().unwrap();
    for (key, value) in &shown {
        if !value.is_table() {
            assert_eq!(Some(value), there.get(key), "{key}");
            continue;
        }
        for (name, value) in value.as_table().unwrap() {
            assert_eq!(Some(value), there[key].get(name), "{key}.{name}");
        }
    }
}

/// What a page's table takes is stated once in its study, and its chapter has the same figure.
#[test]
fn every_seed_states_its_time_in_its_chapter_too() {
    for (study, chapter) in chapters() {
        let table: toml::Table = read(format!("studies/{study}.toml")).parse().unwrap();
        let Some(seed) = table["profile"].get("seed") else { continue };
        let minutes = seed["minutes"].as_integer().unwrap();
        let page = read(format!("docs/{chapter}")).split_whitespace().collect::<Vec<_>>().join(" ");
        let command = format!("`syncline run {study} --profile seed`");
        let rest = page.split_once(&command).unwrap_or_else(|| panic!("{chapter}: {command}")).1;
        let sentence = rest.split_once("minutes").unwrap_or_else(|| panic!("{chapter}: {command}")).0;
        assert!(sentence.ends_with(&format!("within {minutes} ")), "{chapter}: {command}{sentence}");
    }
}
