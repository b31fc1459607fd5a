//! One operation on an object: a file of a directory, or an object of a store; and what objects are called.

use crate::Operation;
use std::fmt;

/// The result of an operation that failed in the end and that the trial tolerates (`-EIO`). It counts in no rate and
/// has no latency.
pub const FAILED: i32 = -5;

/// The largest object: what the kernel moves in one call (`read(2)`), in whole pages.
pub const OBJECT_BYTES_MAX: u64 = crate::scan::READ_BYTES_MAX;

/// Requests that were sent to an object store, by what stores charge for them. A request that was repeated counts as
/// often as it was sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Puts, and the begin, the parts and the end of a put in parts.
    pub writes: u64,
    /// Pages of lists.
    pub lists: u64,
    /// Gets and stats.
    pub reads: u64,
    /// Deletes, and aborts of puts in parts.
    pub deletes: u64,
}

impl Requests {
    /// All of them.
    pub const fn total(self) -> u64 {
        self.writes + self.lists + self.reads + self.deletes
    }

    /// Those that were sent after `earlier` was read from the same counts.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self {
            writes: self.writes - earlier.writes,
            lists: self.lists - earlier.lists,
            reads: self.reads - earlier.reads,
            deletes: self.deletes - earlier.deletes,
        }
    }

    /// The sum of both.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            writes: self.writes + other.writes,
            lists: self.lists + other.lists,
            reads: self.reads + other.reads,
            deletes: self.deletes + other.deletes,
        }
    }
}

/// What an [`ObjectOp`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    /// Asks for `length` bytes from `offset` on; complete when the first of them are there.
    Get,
    /// Waits for the `length` bytes from `offset` on that the get with the same id has left.
    GetRest,
    /// Writes the object, or replaces it.
    Put,
    /// The same in parts, several at a time.
    PutInParts,
    /// Asks for the object's size, which is to be `length`.
    Stat,
    /// Asks for a page of at most `length` names of the folder that the object is in.
    List,
    /// Asks for the page behind that of the list with the same id.
    ListRest,
    /// Removes the object.
    Delete,
}

/// One operation on an object, as a workload emits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectOp {
    /// Identity among the operations in flight: below the workload's `in_flight_max`, reused once completed.
    pub id: u32,
    pub kind: ObjectKind,
    /// The object's number, from which its name follows ([`ObjectTree`]).
    pub object: u64,
    /// The number from which its bytes follow: another one if the object is replaced.
    pub content: u64,
    /// Byte offset in the object; 0 unless it is read.
    pub offset: u64,
    /// Bytes that are read, written or expected, or names of a page.
    pub length: u32,
}

impl Operation for ObjectOp {
    #[inline]
    fn id(&self) -> u32 {
        self.id
    }

    /// Bytes, or names of a page; a page behind one may be empty.
    #[inline]
    fn expected_result(&self) -> i32 {
        match self.kind {
            ObjectKind::Delete | ObjectKind::ListRest => 0,
            ObjectKind::Get
            | ObjectKind::GetRest
            | ObjectKind::Put
            | ObjectKind::PutInParts
            | ObjectKind::Stat
            | ObjectKind::List => self.length as i32,
        }
    }

    /// The first bytes of an object may be any number of them, and so may the names of a page. A failure comes here
    /// only if the trial tolerates it.
    #[inline]
    fn is_success(&self, result: i32) -> bool {
        match self.kind {
            _ if result == FAILED => true,
            ObjectKind::Get | ObjectKind::List | ObjectKind::ListRest => {
                (0..=self.length as i32).contains(&result)
            }
            ObjectKind::GetRest
            | ObjectKind::Put
            | ObjectKind::PutInParts
            | ObjectKind::Stat
            | ObjectKind::Delete => result == self.expected_result(),
        }
    }
}

impl fmt::Display for ObjectOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { object, offset, length, .. } = self;
        match self.kind {
            ObjectKind::Get | ObjectKind::GetRest => {
                write!(f, "get of {length} bytes at offset {offset} of object {object}")
            }
            ObjectKind::Put => write!(f, "put of {length} bytes as object {object}"),
            ObjectKind::PutInParts => write!(f, "put in parts of {length} bytes as object {object}"),
            ObjectKind::Stat => write!(f, "stat of object {object}"),
            ObjectKind::List | ObjectKind::ListRest => {
                write!(f, "list of up to {length} names beside object {object}")
            }
            ObjectKind::Delete => write!(f, "delete of object {object}"),
        }
    }
}

/// The names of objects: a tree of folders in which each folder has as many others, and the lowest ones hold the
/// objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectTree {
    /// Objects of the dataset; larger numbers are those that a trial writes.
    pub objects: u64,
    /// Folders in each folder.
    pub prefixes: u32,
    /// Folders above an object.
    pub depth: u32,
}

/// The folder of the dataset.
pub const DATASET: &str = "data";
/// The folder of what trials write, which is empty between them.
pub const WRITTEN: &str = "written";

impl ObjectTree {
    /// How many folders hold objects.
    pub fn folders(&self) -> u64 {
        u64::from(self.prefixes).saturating_pow(self.depth).max(1)
    }

    /// Objects of the dataset in the folder of this object.
    pub fn in_folder_of(&self, object: u64) -> u64 {
        let (folders, folder) = (self.folders(), object % self.folders());
        self.objects / folders + u64::from(folder < self.objects % folders)
    }

    /// The folder that an object is in, without a slash at the end.
    pub fn folder(&self, object: u64) -> String {
        let top = if object < self.objects { DATASET } else { WRITTEN };
        let below = u64::from(self.prefixes);
        let mut rest = object % self.folders();
        (0..self.depth).fold(top.to_owned(), |above, _| {
            let name = format!("{above}/{:03}", rest % below);
            rest /= below;
            name
        })
    }

    /// An object's name: its folders, then its number.
    pub fn name(&self, object: u64) -> String {
        format!("{}/{object:010}", self.folder(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn every_object_has_a_name_and_folders_are_as_full_as_is_said() {
        for (prefixes, depth) in [(1, 0), (4, 0), (1, 3), (3, 1), (3, 2), (10, 2)] {
            let tree = ObjectTree { objects: 100, prefixes, depth };
            let mut folders: BTreeMap<String, u64> = BTreeMap::new();
            for object in 0..tree.objects {
                *folders.entry(tree.folder(object)).or_default() += 1;
                assert_eq!(tree.name(object).matches('/').count(), depth as usize + 1);
            }
            assert_eq!(folders.len() as u64, tree.folders().min(100), "{prefixes}^{depth}");
            for object in 0..tree.objects {
                assert_eq!(folders[&tree.folder(object)], tree.in_folder_of(object));
            }
            assert!(tree.name(100).starts_with(WRITTEN));
        }
    }

    #[test]
    fn a_short_get_is_its_beginning_and_a_short_put_is_a_failure() {
        let of = |kind| ObjectOp { id: 0, kind, object: 0, content: 0, offset: 0, length: 10 };
        assert!(of(ObjectKind::Get).is_success(1) && !of(ObjectKind::Get).is_success(11));
        assert!(!of(ObjectKind::GetRest).is_success(9) && of(ObjectKind::GetRest).is_success(10));
        assert!(!of(ObjectKind::Put).is_success(9) && of(ObjectKind::List).is_success(3));
        assert!(of(ObjectKind::Delete).is_success(0) && of(ObjectKind::Put).is_success(FAILED));
        assert!(!of(ObjectKind::Put).is_success(-2), "only a failure that is tolerated comes so far");
    }
}
