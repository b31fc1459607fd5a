//! The files that operations are on.

use crate::class::Class;
use crate::layout::{Recognised, Role, recognise};
use crate::observation::{FileFigures, RoleFigures};
use crate::order::{Last, Order};
use crate::system::{Disk, FoundFile, System};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Files that are counted one by one; later ones are counted together.
const FILES_MAX: usize = 8192;
/// Files in a result.
const SHOWN_MAX: usize = 20;

/// Index of a file.
pub(crate) type FileId = usize;

/// The files that could not be named, or that came after the limit.
pub(crate) const OTHERS: FileId = 0;

#[derive(Debug)]
struct File {
    path: String,
    recognised: Option<Recognised>,
    direct: bool,
    counts: Counts,
    since_sync: Unsynced,
    last: Last,
}

/// Operations on a file, or on several.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    reads: u64,
    writes: u64,
    syncs: u64,
    bytes_read: u64,
    bytes_written: u64,
}

impl Counts {
    fn add(&mut self, class: Class, bytes: u64) {
        match class {
            Class::Read => (self.reads, self.bytes_read) = (self.reads + 1, self.bytes_read + bytes),
            Class::Write => (self.writes, self.bytes_written) = (self.writes + 1, self.bytes_written + bytes),
            Class::Sync => self.syncs += 1,
        }
    }

    fn extend(&mut self, other: Self) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.syncs += other.syncs;
        self.bytes_read += other.bytes_read;
        self.bytes_written += other.bytes_written;
    }

    const fn operations(self) -> u64 {
        self.reads + self.writes + self.syncs
    }
}

/// What was written to a file since its last sync.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Unsynced {
    pub(crate) bytes: u64,
    pub(crate) writes: u64,
    /// A sync came before: what was written before the first one is not known.
    has_begun: bool,
}

#[derive(Debug)]
pub(crate) struct Files {
    all: Vec<File>,
    by_number: HashMap<(u64, u64), FileId>,
    disks: BTreeSet<Disk>,
}

impl Default for Files {
    fn default() -> Self {
        let others = File {
            path: "other files".to_owned(),
            recognised: None,
            direct: false,
            counts: Counts::default(),
            since_sync: Unsynced::default(),
            last: Last::default(),
        };
        Self { all: vec![others], by_number: HashMap::new(), disks: BTreeSet::new() }
    }
}

impl Files {
    pub(crate) fn find(&mut self, found: &FoundFile, system: &dyn System) -> FileId {
        let number = (found.device, found.inode);
        let recognised = || recognise(&found.path, &|path| system.exists(found.process, path));
        if let Some(id) = self.by_number.get(&number) {
            let id = *id;
            // The number of a file that was removed is soon another's: logs are renamed and recycled.
            if self.all[id].path.as_str() != found.path.to_string_lossy() {
                self.all[id].path = found.path.to_string_lossy().into_owned();
                self.all[id].recognised = recognised();
            }
            return id;
        }
        if self.all.len() >= FILES_MAX {
            return OTHERS;
        }
        self.disks.extend(system.disk(found));
        let id = self.all.len();
        self.all.push(File {
            path: found.path.to_string_lossy().into_owned(),
            recognised: recognised(),
            direct: found.opened.direct,
            counts: Counts::default(),
            since_sync: Unsynced::default(),
            last: Last::default(),
        });
        self.by_number.insert(number, id);
        id
    }

    pub(crate) fn add(&mut self, id: FileId, class: Class, bytes: u64) {
        let file = &mut self.all[id];
        file.counts.add(class, bytes);
        if class == Class::Write {
            file.since_sync.bytes += bytes;
            file.since_sync.writes += 1;
        }
    }

    /// Whether a read or a write begins where the one before it ended; without a place it goes to the end of the file.
    pub(crate) fn order(&mut self, id: FileId, class: Class, from: Option<u64>, bytes: u64) -> Order {
        match from {
            None if class == Class::Write => Order::Sequential,
            Some(from) if id != OTHERS => self.all[id].last.pass(class, from, bytes),
            Some(_) | None => Order::First,
        }
    }

    /// What was written between the syncs before and this one; `None` if this is the file's first, or none of a known
    /// file.
    pub(crate) fn sync(&mut self, id: FileId) -> Option<Unsynced> {
        let file = &mut self.all[id];
        let since =
            std::mem::replace(&mut file.since_sync, Unsynced { has_begun: true, ..Unsynced::default() });
        (since.has_begun && id != OTHERS).then_some(since)
    }

    pub(crate) fn path(&self, id: FileId) -> &str {
        &self.all[id].path
    }

    /// Whether it was opened past the page cache.
    pub(crate) fn is_direct(&self, id: FileId) -> bool {
        self.all[id].direct
    }

    pub(crate) fn role(&self, id: FileId) -> Role {
        self.all[id].recognised.as_ref().map_or(Role::Other, |of| of.role)
    }

    /// Disks that files of it are on.
    pub(crate) const fn disks(&self) -> &BTreeSet<Disk> {
        &self.disks
    }

    /// Databases whose files these are, each with its directory.
    pub(crate) fn databases(&self) -> BTreeSet<(&'static str, String)> {
        let used = self.all.iter().filter(|file| file.counts.operations() > 0);
        let recognised = used.filter_map(|file| file.recognised.as_ref());
        recognised.map(|of| (of.database, of.root.to_string_lossy().into_owned())).collect()
    }

    /// Sums of what files are to their database.
    pub(crate) fn roles(&self, seconds: f64) -> Vec<RoleFigures> {
        let mut sums: BTreeMap<(&'static str, Role), (usize, Counts)> = BTreeMap::new();
        for file in self.all.iter().filter(|file| file.counts.operations() > 0) {
            let of = file.recognised.as_ref().map_or(("", Role::Other), |of| (of.database, of.role));
            let (files, counts) = sums.entry(of).or_default();
            *files += 1;
            counts.extend(file.counts);
        }
        let figures = |((database, role), (files, counts)): ((&str, Role), (usize, Counts))| RoleFigures {
            database: database.to_owned(),
            role,
            files,
            reads_per_s: counts.reads as f64 / seconds,
            bytes_read_per_s: counts.bytes_read as f64 / seconds,
            writes_per_s: counts.writes as f64 / seconds,
            bytes_written_per_s: counts.bytes_written as f64 / seconds,
            syncs_per_s: counts.syncs as f64 / seconds,
        };
        sums.into_iter().map(figures).collect()
    }

    /// The files with most operations.
    pub(crate) fn figures(&self) -> Vec<FileFigures> {
        let mut used: Vec<&File> = self.all.iter().filter(|file| file.counts.operations() > 0).collect();
        used.sort_by_key(|file| std::cmp::Reverse(file.counts.operations()));
        used.truncate(SHOWN_MAX);
        let figures = |file: &File| FileFigures {
            path: file.path.clone(),
            database: file.recognised.as_ref().map_or_else(String::new, |of| of.database.to_owned()),
            role: file.recognised.as_ref().map_or(Role::Other, |of| of.role),
            direct: file.direct,
            reads: file.counts.reads,
            bytes_read: file.counts.bytes_read,
            writes: file.counts.writes,
            bytes_written: file.counts.bytes_written,
            syncs: file.counts.syncs,
        };
        used.into_iter().map(figures).collect()
    }
}
