//! Names that become part of a file's name: a study's, of which each trial's sidecar has its own.

/// Leaves room for what is put behind it, in the 255 bytes that file systems give a name.
const BYTES_MAX: usize = 160;

/// Why a name cannot be part of a file's name, if it cannot.
pub fn objection(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("is empty");
    }
    if name.len() > BYTES_MAX {
        return Some("has more than 160 bytes");
    }
    if name.contains('/') {
        return Some("has a slash in it, so it would name a file elsewhere");
    }
    name.contains(char::is_control).then_some("has a control character in it")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::TrialKey;

    #[test]
    fn what_names_a_file_stays_in_its_directory() {
        for name in ["../../victim/esc", "/etc/passwd", "", "a\0b", "a\nb", &"x".repeat(161)] {
            assert!(objection(name).is_some(), "{name:?}");
        }
        for name in ["commit-modes", "my study", "..", "Grüße", &"x".repeat(160)] {
            assert_eq!(objection(name), None, "{name:?}");
        }
    }

    #[test]
    fn the_longest_name_leaves_room_for_a_sidecars() {
        let study = "x".repeat(BYTES_MAX);
        let key =
            TrialKey { study, round: u32::MAX, configuration: usize::MAX, duplicate: true, block: u32::MAX };
        assert!(key.sidecar_name().len() <= 255);
    }
}
