//! Names the nearest valid name for a mistyped one.

use crate::printable;

/// The candidate closest to `typed`, if it is close enough to be what was meant: at most a third of the letters off.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = typed.chars().count();
    let limit = (letters / 3).max(1);
    // No distance is less than the difference of the lengths; if a file holds a name of a megabyte, it takes minutes to
    // tell by how much more.
    let is_as_long = |candidate: &&str| candidate.chars().count().abs_diff(letters) <= limit;
    let typed = typed.to_lowercase();
    candidates
        .into_iter()
        .filter(is_as_long)
        .map(|candidate| (strsim::damerau_levenshtein(&typed, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Letters of a mistyped name that are repeated to who typed it.
const LETTERS_SHOWN: usize = 60;

/// A sentence about an unknown name: `unknown study "comit"; did you mean "commit"?` or the list of what there is.
pub fn unknown<'a>(what: &str, typed: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let nearest = nearest(typed, candidates.clone());
    let beginning: String = typed.chars().take(LETTERS_SHOWN).collect();
    let mut shown = printable(&beginning).into_owned();
    if beginning.len() < typed.len() {
        shown.push('…');
    }
    match nearest {
        Some(candidate) => format!("unknown {what} \"{shown}\"; did you mean \"{candidate}\"?"),
        None => {
            let all: Vec<&str> = candidates.into_iter().collect();
            format!("unknown {what} \"{shown}\"; there are: {}", all.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_names_its_neighbour() {
        let names = ["commit", "commit-modes", "wal-layout"];
        assert_eq!(unknown("study", "comit", names), "unknown study \"comit\"; did you mean \"commit\"?");
        assert_eq!(
            unknown("study", "zzz", names),
            "unknown study \"zzz\"; there are: commit, commit-modes, wal-layout"
        );
    }

    /// A column of somebody's table steered the terminal of who had it audited.
    #[test]
    fn a_name_with_control_characters_is_told_with_marks_for_them() {
        let said = unknown("way to sync", "6\0T\u{1b}[2J", ["never", "fsync"]);
        assert!(!said.chars().any(char::is_control), "{said:?}");
    }

    /// The distance of a name of a hundred megabytes is never found; its line would fill the terminal.
    #[test]
    fn a_name_of_a_hundred_megabytes_has_no_neighbour_and_is_not_repeated() {
        let said = unknown("study", &"[".repeat(100 << 20), ["commit", "commit-modes"]);
        assert!(said.ends_with("[…\"; there are: commit, commit-modes") && said.len() < 120, "{said}");
    }
}
