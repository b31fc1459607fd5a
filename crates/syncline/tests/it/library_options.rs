//! No text of a library names an option of the command line: a library does not know who calls it. The binary adds the
//! option that mends an error, in `crates/syncline/src/remedy.rs`.

use crate::laboratory::root;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The binary, what renders results, and what only tests use.
const NOT_LIBRARIES: &[&str] = &["syncline", "report", "hostile", "synthetic"];

/// Files that may have such texts, and what these are.
const EXEMPT: &[(&str, &str)] = &[
    ("advice/src/no_advice.rs", "results: the command that decides a setting"),
    ("advice/src/source.rs", "results: the study that decides a setting"),
    ("tables/src/advice.rs", "results: what a reader types next"),
    ("disk/src/cgroup/systemd.rs", "arguments of systemd-run"),
    ("fio/src/export/comments.rs", "commands of fio"),
    ("postgresql/src/installation.rs", "arguments of PostgreSQL's programs"),
    ("server/src/list/mariadb.rs", "arguments of mariadbd"),
    ("server/src/contract.rs", "an argument of servers' programs"),
    ("server/src/list/mysql.rs", "arguments of mysqld"),
    ("server/src/list/valkey.rs", "arguments of valkey-server"),
];

const INSTEAD: &str =
    "name what is wrong and the parameter or field; crates/syncline/src/remedy.rs names the option for it";

/// The options of the program, as its help lists them: `--dir`.
fn options() -> BTreeSet<String> {
    let help = root().join("crates/syncline/tests/it/snapshots/it__help__every_command_is_described.snap");
    let help = fs::read_to_string(help).unwrap();
    let listed = help.lines().filter_map(|line| {
        let line = line.trim_start();
        let long = line.split_once(", ").filter(|(short, _)| short.len() == 2).map_or(line, |(_, long)| long);
        named(long).into_iter().next().filter(|_| long.starts_with("--"))
    });
    listed.collect()
}

/// What looks like an option in a text: `--dir` of `below --dir=x`.
fn named(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let begins = text.match_indices("--").map(|(at, _)| &text[at..]).filter(|rest| !rest.starts_with("---"));
    let options = begins.map(|rest| rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())].to_owned());
    options.filter(|option| option.len() > 2).collect()
}

/// Every text in quotation marks, with its line; no comment, and nothing of the tests below the code.
fn texts(code: &str) -> Vec<(usize, String)> {
    let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or(code);
    let mut found = Vec::new();
    collect(code.parse().unwrap(), &mut found);
    found
}

fn collect(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    let mut before: Option<TokenTree> = None;
    for token in tokens {
        match &token {
            TokenTree::Group(group) => {
                let is_hash = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if "#!".contains(mark.as_char()));
                let is_attribute =
                    group.delimiter() == Delimiter::Bracket && before.as_ref().is_some_and(is_hash);
                let is_comment =
                    group.stream().into_iter().next().is_some_and(|first| first.to_string() == "doc");
                if !(is_attribute && is_comment) {
                    collect(group.stream(), found);
                }
            }
            TokenTree::Literal(literal) => found.push((literal.span().start().line, literal.to_string())),
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
        before = Some(token);
    }
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

#[test]
fn no_text_of_a_library_names_an_option() {
    let (options, crates) = (options(), root().join("crates"));
    assert!(options.len() > 40 && options.contains("--dir") && options.contains("--out"), "{options:?}");
    let mut paths = Vec::new();
    for entry in fs::read_dir(&crates).unwrap() {
        let path = entry.unwrap().path();
        if !NOT_LIBRARIES.iter().any(|name| path.ends_with(name)) {
            sources(&path.join("src"), &mut paths);
        }
    }
    assert!(paths.len() > 500, "{}", paths.len());
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for path in paths {
        let name = path.strip_prefix(&crates).unwrap().display().to_string();
        for (line, text) in texts(&fs::read_to_string(&path).unwrap()) {
            for option in named(&text).into_iter().filter(|option| options.contains(option)) {
                if EXEMPT.iter().any(|(exempt, _)| *exempt == name) {
                    used.insert(name.clone());
                } else {
                    wrong.push(format!("crates/{name}:{line}: {option}: {INSTEAD}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} options:\n{}", wrong.len(), wrong.join("\n"));
    let idle: Vec<&str> = EXEMPT.iter().map(|(name, _)| *name).filter(|name| !used.contains(*name)).collect();
    assert!(idle.is_empty(), "these files need no exemption: {idle:?}");
}

#[test]
fn a_planted_option_is_found_and_comments_are_none() {
    let code = r#"
        //! Reads `--dir`.
        #[error("{path} is taken: use another --out, or\
                 --resume {path}")]
        /// Like `--dir`.
        fn f() { g("var(---x) -- none", format!("below --dir={dir}")); }
        #[cfg(test)]
mod tests { const A: &str = "--dir"; }
    "#;
    let found: Vec<String> = texts(code).iter().flat_map(|(_, text)| named(text)).collect();
    assert_eq!(found, ["--out", "--resume", "--dir"]);
}
