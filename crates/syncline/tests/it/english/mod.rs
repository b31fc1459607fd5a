//! Plain English: no page, comment, printed text, help text or snapshot has a phrase of [`phrases::BANNED`].

mod phrases;

use crate::laboratory::root;
use phrases::{BANNED, Phrase};
use std::fs;
use std::path::{Path, PathBuf};

/// What ends a phrase: an empty line, or a line of Rust that is not a comment.
const BREAK: &str = "¶";
const MARKS: &[char] = &['.', ',', ';', ':', '?', '!', '(', ')', '|'];

/// A word or a punctuation mark, with the line that it is in.
#[derive(Clone, Debug)]
struct Word {
    text: String,
    line: usize,
}

/// Words and punctuation marks. Emphasis, quotation marks and backticks are dropped.
fn words(lines: impl Iterator<Item = String>) -> Vec<Word> {
    let mut words = vec![Word { text: BREAK.to_owned(), line: 0 }];
    for (line, text) in lines.enumerate() {
        let mut push = |text: &str| words.push(Word { text: text.to_owned(), line: line + 1 });
        if text.trim().is_empty() {
            push(BREAK);
        }
        for piece in text.split_whitespace() {
            let piece = piece.trim_matches(['*', '_', '`', '"', '“', '”']);
            let word = piece.trim_start_matches(MARKS);
            piece[..piece.len() - word.len()].split("").filter(|mark| !mark.is_empty()).for_each(&mut push);
            let end = word.trim_end_matches(MARKS);
            push(end.trim_matches(['*', '_', '`', '"', '“', '”', '[', ']']));
            word[end.len()..].split("").filter(|mark| !mark.is_empty()).for_each(&mut push);
        }
    }
    words.retain(|word| !word.text.is_empty());
    words
}

/// Whether one word of a pattern matches.
fn fits(pattern: &str, word: &str) -> bool {
    if pattern == "_" {
        return word != BREAK;
    }
    let is_one_of = |alternatives: &str| {
        // A bar is a punctuation mark too: no pattern needs it.
        alternatives.split('|').any(|one| one == word || one == word.to_lowercase())
    };
    match pattern.strip_prefix('!') {
        Some(others) if !others.is_empty() => !is_one_of(others),
        _ => is_one_of(pattern),
    }
}

/// Every phrase in these words, with its line and the words themselves.
fn found(words: &[Word]) -> Vec<(&'static Phrase, usize, String)> {
    let mut found = Vec::new();
    for phrase in BANNED {
        let pattern: Vec<&str> = phrase.pattern.split(' ').collect();
        for window in words.windows(pattern.len()) {
            if pattern.iter().zip(window).all(|(pattern, word)| fits(pattern, &word.text)) {
                let words: Vec<&str> = window.iter().map(|word| word.text.as_str()).collect();
                found.push((phrase, window[window.len() - 1].line, words.join(" ")));
            }
        }
    }
    found
}

/// The texts in quotation marks of a line of Rust, with breaks between them. `is_open` is whether a text continues from
/// the previous line.
fn quoted(line: &str, is_open: &mut bool) -> String {
    let line = line.replace("'\"'", "");
    let mut text = String::new();
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                *is_open = !*is_open;
                text.push_str(" ¶ ");
            }
            '\\' if *is_open => {
                characters.next();
            }
            _ if *is_open => text.push(character),
            _ => {}
        }
    }
    *is_open &= line.ends_with('\\');
    text
}

/// The lines of a file that a reader reads: for Rust its comments and, if the program can print them, its texts; for
/// anything else all of them.
fn prose(path: &Path, text: &str) -> Vec<String> {
    if path.extension().is_none_or(|extension| extension != "rs") {
        return text.lines().map(str::to_owned).collect();
    }
    let is_printed = path.iter().any(|part| part == "src") && !path.display().to_string().contains("tests");
    let mut is_open = false;
    text.lines()
        .map(|line| {
            let begin = ["// ", "//! ", "/// "].iter().find_map(|mark| line.find(mark));
            match begin {
                Some(begin) if !is_open => line[begin..].trim_start_matches(['/', '!']).to_owned(),
                _ if is_printed => quoted(line, &mut is_open),
                _ => String::new(),
            }
        })
        .collect()
}

/// Pages, comments, studies and snapshots.
fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.')
                && !["target", "syncline-runs", "seeds", "english"].contains(&name.as_str())
            {
                files(&path, found);
            }
        } else if path.extension().is_some_and(|e| ["md", "rs", "snap", "toml"].iter().any(|one| e == *one)) {
            found.push(path);
        }
    }
}

#[test]
fn every_text_is_plain_english() {
    let root = root().canonicalize().unwrap();
    let mut paths = Vec::new();
    files(&root, &mut paths);
    assert!(paths.len() > 300, "{}", paths.len());
    let mut wrong = Vec::new();
    for path in paths {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let text = fs::read_to_string(&path).unwrap();
        for (phrase, line, words) in found(&words(prose(&path, &text).into_iter())) {
            wrong.push(format!("{name}:{line}: \"{words}\": write {}", phrase.instead));
        }
    }
    assert!(wrong.is_empty(), "{} phrases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_planted_phrase_is_found_and_its_replacement_is_not() {
    let read = |text: &str| found(&words(text.lines().map(str::to_owned)));
    for phrase in BANNED {
        let found = read(phrase.wrong);
        assert!(found.iter().any(|(one, ..)| one.pattern == phrase.pattern), "{}", phrase.wrong);
        let found: Vec<&str> = read(phrase.right).into_iter().map(|(one, ..)| one.pattern).collect();
        assert_eq!(found, Vec::<&str>::new(), "{}", phrase.right);
    }
}

#[test]
fn a_phrase_may_be_broken_over_lines_but_not_over_paragraphs() {
    let read = |text: &str| found(&words(text.lines().map(str::to_owned))).len();
    assert_eq!((read("It comes **only**\nwhere it mounts."), read("It is\n\nasked.")), (1, 0));
    let rust = "let told = 1; // It is\n// asked for.\nfn said() {}\n";
    assert_eq!(found(&words(prose(Path::new("a.rs"), rust).into_iter())).len(), 1);
}

#[test]
fn a_printed_text_is_read_and_code_is_not() {
    let read = |path: &str, text: &str| found(&words(prose(Path::new(path), text).into_iter())).len();
    let rust = "let so = many(\"{so} is \\\n    asked for.\");\nprint('\"', \"It is\", \"asked.\");\n";
    assert_eq!((read("src/a.rs", rust), read("src/tests.rs", rust)), (1, 0));
}
