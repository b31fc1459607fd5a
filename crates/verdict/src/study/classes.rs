//! The configurations of a study by what their acknowledged writes survive.

use crate::promise::Promise;
use crate::verdict::{Cell, Group, StudyVerdict};
use page::Block;

/// Arms that promise the same, below the heading `Durability class process: no acknowledged entry lost in 42 kills` if
/// there are others.
pub(super) fn groups(study: &StudyVerdict) -> Vec<(Option<Block>, Vec<&Cell>)> {
    let groups = study.by_durability();
    let is_alone = groups.len() == 1;
    let heading = |group: &Group<'_>| {
        let known = group.promise.map(Promise::text).filter(|known| !known.is_empty());
        match (&group.class, known) {
            (None, _) => "Durability class unknown: no trial succeeded".to_owned(),
            (Some(class), None) => format!("Durability class {class}"),
            (Some(class), Some(known)) => format!("Durability class {class}: {known}"),
        }
    };
    groups
        .into_iter()
        .map(|group| ((!is_alone).then(|| Block::paragraph(heading(&group))), group.cells))
        .collect()
}
