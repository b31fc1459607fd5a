//! Names the nearest valid name for a mistyped one.

/// The candidate closest to `typed`, if it is close enough to be what was meant: at most a third of the letters off.
pub fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (typed.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&typed.to_lowercase(), candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// A sentence about an unknown name: `unknown study "comit"; did you mean "commit"?` or the list of what there is.
pub fn unknown<'a>(what: &str, typed: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(typed, candidates.clone()) {
        Some(candidate) => format!("unknown {what} \"{typed}\"; did you mean \"{candidate}\"?"),
        None => {
            let all: Vec<&str> = candidates.into_iter().collect();
            format!("unknown {what} \"{typed}\"; there are: {}", all.join(", "))
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
}
