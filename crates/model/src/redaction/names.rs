//! Which names a run holds, and a text without them.

use crate::Value;
use crate::run::Run;
use std::collections::{BTreeMap, BTreeSet};

/// Replaces a name.
pub const REDACTED: &str = "redacted";

/// Paths below these are the kernel's and tell nothing of a user, and neither does a device's own name (`/dev/vda`).
/// What lies deeper below `/dev` does: `/dev/disk/by-id` has serial numbers, `/dev/mapper` names of the user's,
/// `/dev/shm` files.
const KERNEL_PATHS: [&str; 2] = ["/proc/", "/sys/"];
/// Mount options of network file systems whose value is an address or a name.
const ADDRESSES: [&str; 7] = ["addr=", "clientaddr=", "mountaddr=", "username=", "user=", "domain=", "ip="];
/// Settings of the kernel begin with these, whatever the host is called.
const SETTINGS: [&str; 5] = ["vm.", "fs.", "kernel.", "net.", "dev."];

/// The names that some runs hold.
pub(super) struct Names {
    /// The measured directories as text, a longer one before one that it lies below.
    directories: Vec<String>,
    /// The hosts, with and without their domains, and the users that home directories name.
    words: BTreeSet<String>,
    /// Parameters that are paths: two of them stay two.
    parameters: BTreeMap<String, String>,
}

impl Names {
    pub(super) fn in_runs(runs: &[&Run]) -> Self {
        let directories = runs.iter().map(|run| run.plan.directory.display().to_string());
        let mut directories: Vec<String> =
            directories.filter(|directory| !directory.is_empty() && directory != "/").collect();
        directories.sort_by_key(|directory| std::cmp::Reverse(directory.len()));
        let words = runs.iter().flat_map(|run| words(run)).collect();
        let mut names = Self { directories, words, parameters: BTreeMap::new() };
        names.parameters = names.of_parameters(runs);
        names
    }

    /// The parameters that hold a name. If there are several, each has its own replacement.
    fn of_parameters(&self, runs: &[&Run]) -> BTreeMap<String, String> {
        let studies = runs.iter().flat_map(|run| &run.plan.studies);
        let configurations = studies.flat_map(|study| &study.configurations);
        let values = configurations.flat_map(|configuration| configuration.0.values());
        let texts: BTreeSet<&String> = values
            .filter_map(|value| match value {
                Value::Name(text) => Some(text),
                Value::Bytes(_)
                | Value::Duration(_)
                | Value::Count(_)
                | Value::Number(_)
                | Value::Percent(_)
                | Value::Flag(_) => None,
            })
            .filter(|text| self.left_out_of(text) != **text)
            .collect();
        let several = texts.len() > 1;
        let replacement = |place: usize| {
            if several { format!("{REDACTED}-{}", place + 1) } else { REDACTED.to_owned() }
        };
        texts.into_iter().enumerate().map(|(place, text)| (text.clone(), replacement(place))).collect()
    }

    /// The text without the names in it.
    pub(super) fn left_out_of(&self, text: &str) -> String {
        if let Some(replacement) = self.parameters.get(text) {
            return replacement.clone();
        }
        self.without_words(&self.without_paths(text))
    }

    fn without_paths(&self, text: &str) -> String {
        let mut kept = String::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let before = kept.chars().next_back();
            let (shown, length) = match self.path(rest, before) {
                Some(length) if is_kernels(&rest[..length]) => (&rest[..length], length),
                Some(length) => (REDACTED, length),
                None => (&rest[..first.len_utf8()], first.len_utf8()),
            };
            kept.push_str(shown);
            rest = &rest[length..];
        }
        kept
    }

    /// How long the path, or what follows an address's scheme or option, is that the text begins with.
    fn path(&self, text: &str, before: Option<char>) -> Option<usize> {
        let in_word = before.is_some_and(|before| before.is_alphanumeric() || "_-./~".contains(before));
        if let Some(address) = text.strip_prefix("//").filter(|_| before == Some(':')) {
            return Some(2 + end(address, |c| is_end(c) && c != ':' && c != ','));
        }
        let mut directories = self.directories.iter().filter(|_| !in_word);
        if let Some(directory) = directories.find(|directory| text.starts_with(directory.as_str())) {
            return Some(directory.len() + end(&text[directory.len()..], is_end));
        }
        if in_word || !(text.starts_with('/') || text.starts_with("~/")) {
            return None;
        }
        let length = match before {
            // A quoted path may hold spaces.
            Some(quote @ ('"' | '\'' | '`')) if text.contains(quote) => end(text, |c| c == quote),
            Some(_) | None => end(text, is_end),
        };
        // `commits (/s)` is a unit.
        (length > 2).then_some(length)
    }

    /// A text of one word stays as it is: it is a name of the program's, such as a level.
    fn without_words(&self, text: &str) -> String {
        let in_word = |c: char| c.is_alphanumeric() || "_-.".contains(c);
        let mut kept = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            let length = end(rest, |c| !in_word(c));
            let (word, after) = rest.split_at(length);
            let is_whole = word.len() == text.len();
            kept.push_str(if !is_whole && self.is_name(word) { REDACTED } else { word });
            let gap = end(after, in_word);
            kept.push_str(&after[..gap]);
            rest = &after[gap..];
            if ADDRESSES.into_iter().any(|option| is_option(&kept, option)) {
                kept.push_str(REDACTED);
                rest = &rest[end(rest, |c| c == ',' || c.is_whitespace())..];
            }
        }
        kept
    }

    fn is_name(&self, word: &str) -> bool {
        let word = word.trim_end_matches('.').to_lowercase();
        let is_setting = SETTINGS.into_iter().any(|setting| word.starts_with(setting));
        let below = |name: &String| word.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        self.words.contains(&word) || !is_setting && self.words.iter().any(below)
    }
}

/// The words of one run that are names.
fn words(run: &Run) -> impl Iterator<Item = String> {
    let host = run.host.name.to_lowercase();
    let short = host.find('.').map(|end| host[..end].to_owned());
    let directory = run.plan.directory.display().to_string();
    let home = ["/home/", "/Users/"].into_iter().find_map(|homes| directory.strip_prefix(homes));
    let user = home.and_then(|rest| rest.split('/').next()).map(str::to_lowercase);
    let words = [Some(host), short, user].into_iter().flatten();
    words.filter(|word| !word.is_empty() && word != "localhost")
}

fn is_kernels(path: &str) -> bool {
    let is_device = path.strip_prefix("/dev/").is_some_and(|name| !name.contains('/'));
    is_device || KERNEL_PATHS.into_iter().any(|known| path.starts_with(known))
}

/// Whether the text ends with this option, and not with one whose name ends alike.
fn is_option(text: &str, option: &str) -> bool {
    text.strip_suffix(option).is_some_and(|before| before.is_empty() || before.ends_with([',', ' ']))
}

/// What ends a path in a sentence or among mount options.
fn is_end(c: char) -> bool {
    c.is_whitespace() || "\"'`,;:()[]{}<>|".contains(c)
}

/// Where the first such character stands, or the end; a full stop before it ends the sentence.
fn end(text: &str, is_end: impl Fn(char) -> bool) -> usize {
    let length = text.find(is_end).unwrap_or(text.len());
    if length == text.len() { text.trim_end_matches('.').len().max(usize::from(length > 0)) } else { length }
}
