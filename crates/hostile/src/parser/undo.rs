//! The undo journal of a proof on the user's server.

use super::refusal::says_something;
use postgresql::Undo;

pub(super) fn journal(bytes: &[u8]) {
    match Undo::parse(bytes) {
        Ok(undo) => {
            assert_eq!(Undo::parse(undo.text().as_bytes()).as_ref(), Ok(&undo));
            assert!(undo.database.starts_with("syncline_"), "{undo:?}");
            let is_plain =
                |name: &String| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.');
            assert!(undo.settings.keys().all(is_plain), "{undo:?}");
        }
        Err(error) => says_something(error),
    }
}
