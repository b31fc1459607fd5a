//! Which file a descriptor is, and where in it operations were last.

use crate::class::Class;
use crate::files::{FileId, Files, OTHERS};
use crate::scope::Scope;
use crate::system::System;
use std::collections::HashMap;

/// Descriptors whose file is kept.
const DESCRIPTORS_MAX: usize = 1 << 16;
/// Where a position of unknown value begins: no file is as long.
const UNKNOWN_POSITION: u64 = 1 << 62;

/// What a descriptor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Is {
    /// A file of the target.
    File(FileId),
    /// Anything else.
    Other,
    /// It was closed before it could be looked up.
    Gone,
}

#[derive(Debug)]
struct Descriptor {
    is: Is,
    durable: bool,
    appends: bool,
    /// Its own position.
    position: u64,
}

/// Descriptors of all processes. Each is looked up once, until it is closed.
#[derive(Debug, Default)]
pub(crate) struct Descriptors {
    all: HashMap<(u32, u32), Descriptor>,
}

impl Descriptors {
    /// What a descriptor is, if it was looked up.
    pub(crate) fn known(&self, of: (u32, u32)) -> Option<Is> {
        self.all.get(&of).map(|known| known.is)
    }

    pub(crate) fn look_up(
        &mut self,
        (process, number): (u32, u32),
        scope: &Scope,
        files: &mut Files,
        system: &dyn System,
    ) -> Is {
        let Some(found) = system.file(process, number) else { return Is::Gone };
        let is = if found.is_regular && scope.has_file(&found, system) {
            Is::File(files.find(&found, system))
        } else {
            Is::Other
        };
        if self.all.len() >= DESCRIPTORS_MAX {
            self.all.clear();
        }
        let (durable, appends) = (found.opened.durable, found.opened.appends);
        let descriptor = Descriptor { is, durable, appends, position: UNKNOWN_POSITION };
        self.all.insert((process, number), descriptor);
        is
    }

    /// Whether each write to it is durable when it returns.
    pub(crate) fn is_durable(&self, of: (u32, u32)) -> bool {
        self.all.get(&of).is_some_and(|descriptor| descriptor.durable)
    }

    /// It is another file from now on, or none.
    pub(crate) fn forget(&mut self, of: (u32, u32)) {
        self.all.remove(&of);
    }

    /// The process has ended.
    pub(crate) fn forget_process(&mut self, process: u32) {
        self.all.retain(|(of, _), _| *of != process);
    }

    pub(crate) fn seek(&mut self, of: (u32, u32), position: u64) {
        if let Some(descriptor) = self.all.get_mut(&of) {
            descriptor.position = position;
        }
    }

    /// Where a read or a write of this number of bytes begins: at its place, or where the descriptor's own position is,
    /// which then goes on. `None` if everything goes to the end of the file.
    pub(crate) fn begin(
        &mut self,
        of: (u32, u32),
        class: Class,
        offset: Option<u64>,
        bytes: u64,
    ) -> Option<u64> {
        let descriptor = self.all.get_mut(&of)?;
        let from = offset.unwrap_or(descriptor.position);
        if offset.is_none() {
            descriptor.position = from.saturating_add(bytes);
        }
        (class != Class::Write || !descriptor.appends).then_some(from)
    }
}

/// The file of what could not be looked up.
pub(crate) const UNNAMED: FileId = OTHERS;

#[cfg(test)]
mod tests {
    use super::*;

    fn descriptors(appends: bool) -> Descriptors {
        let descriptor = Descriptor { is: Is::File(1), durable: false, appends, position: UNKNOWN_POSITION };
        Descriptors { all: HashMap::from([((7, 3), descriptor)]) }
    }

    #[test]
    fn the_position_of_a_descriptor_goes_on_until_it_is_moved() {
        let mut of = descriptors(false);
        let first = of.begin((7, 3), Class::Write, None, 10).unwrap();
        assert_eq!(of.begin((7, 3), Class::Write, None, 10), Some(first + 10));
        of.seek((7, 3), 4096);
        assert_eq!(of.begin((7, 3), Class::Write, None, 10), Some(4096));
        assert_eq!(of.begin((7, 3), Class::Write, Some(5), 10), Some(5));
        assert_eq!(of.begin((7, 3), Class::Read, None, 10), Some(4106));
        assert_eq!(of.begin((8, 3), Class::Read, None, 10), None, "it is gone");
    }

    #[test]
    fn what_is_appended_has_no_place() {
        assert_eq!(descriptors(true).begin((7, 3), Class::Write, None, 10), None);
        assert!(descriptors(true).begin((7, 3), Class::Read, None, 10).is_some());
    }
}
