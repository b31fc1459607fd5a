//! The files that operations are on.

use crate::class::Class;
use crate::layout::{Recognised, Role, recognise};
use crate::observation::{FileFigures, RoleFigures};
use crate::order::{Last, Order};
use crate::system::{Disk, FoundFile, System};
use crate::windows::{Counted, Seen, Times};
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
    /// Each write of it is durable when it returns, so that its syncs are parts of writes.
    durable: bool,
    /// Its file system reports its syncs.
    reports: bool,
    counts: Counts,
    since_sync: Unsynced,
    last: Last,
}

/// Operations on a file, or on several.
#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    reads: Counted,
    writes: Counted,
    syncs: Counted,
    bytes_read: Counted,
    bytes_written: Counted,
}

impl Counts {
    fn add(&mut self, class: Class, seen: Seen, bytes: u64) {
        let (operations, sum) = match class {
            Class::Read => (&mut self.reads, Some(&mut self.bytes_read)),
            Class::Write => (&mut self.writes, Some(&mut self.bytes_written)),
            Class::Sync => (&mut self.syncs, None),
        };
        operations.add(seen, 1);
        if let Some(sum) = sum {
            sum.add(seen, bytes);
        }
    }

    fn extend(&mut self, other: Self) {
        self.reads.extend(other.reads);
        self.writes.extend(other.writes);
        self.syncs.extend(other.syncs);
        self.bytes_read.extend(other.bytes_read);
        self.bytes_written.extend(other.bytes_written);
    }

    const fn operations(self) -> u64 {
        self.reads.sum() + self.writes.sum() + self.syncs.sum()
    }

    fn operations_per_s(self, times: Times) -> f64 {
        [self.reads, self.writes, self.syncs].into_iter().map(|of| of.per_s(times)).sum()
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
            durable: false,
            reports: false,
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
            self.all[id].durable |= found.opened.durable;
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
            durable: found.opened.durable,
            reports: false,
            counts: Counts::default(),
            since_sync: Unsynced::default(),
            last: Last::default(),
        });
        self.by_number.insert(number, id);
        id
    }

    /// What comes next in a file is not what follows: operations were not seen.
    pub(crate) fn begin_anew(&mut self) {
        for file in &mut self.all {
            file.since_sync = Unsynced::default();
            file.last = Last::default();
        }
    }

    /// Its file system reports its syncs, inside its writes or by themselves.
    pub(crate) fn reports(&mut self, id: FileId, inside_writes: bool) {
        let file = &mut self.all[id];
        file.reports = true;
        file.durable |= inside_writes && id != OTHERS;
    }

    /// Whether its file system reports its syncs.
    pub(crate) fn is_reported(&self, id: FileId) -> bool {
        self.all[id].reports && id != OTHERS
    }

    /// Whether its writes are durable when they return.
    pub(crate) fn is_durable(&self, id: FileId) -> bool {
        self.all[id].durable
    }

    pub(crate) fn add(&mut self, id: FileId, class: Class, seen: Seen, bytes: u64) {
        let file = &mut self.all[id];
        file.counts.add(class, seen, bytes);
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
    pub(crate) fn roles(&self, times: Times) -> Vec<RoleFigures> {
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
            reads_per_s: counts.reads.per_s(times),
            bytes_read_per_s: counts.bytes_read.per_s(times),
            writes_per_s: counts.writes.per_s(times),
            bytes_written_per_s: counts.bytes_written.per_s(times),
            syncs_per_s: counts.syncs.per_s(times),
        };
        sums.into_iter().map(figures).collect()
    }

    /// The files with most operations.
    pub(crate) fn figures(&self, times: Times) -> Vec<FileFigures> {
        let mut used: Vec<&File> = self.all.iter().filter(|file| file.counts.operations() > 0).collect();
        let rate = |file: &File| file.counts.operations_per_s(times);
        used.sort_by(|one, other| rate(other).total_cmp(&rate(one)));
        used.truncate(SHOWN_MAX);
        let figures = |file: &File| FileFigures {
            path: file.path.clone(),
            database: file.recognised.as_ref().map_or_else(String::new, |of| of.database.to_owned()),
            role: file.recognised.as_ref().map_or(Role::Other, |of| of.role),
            direct: file.direct,
            reads: file.counts.reads.sum(),
            reads_per_s: file.counts.reads.per_s(times),
            bytes_read: file.counts.bytes_read.sum(),
            writes: file.counts.writes.sum(),
            writes_per_s: file.counts.writes.per_s(times),
            bytes_written: file.counts.bytes_written.sum(),
            bytes_written_per_s: file.counts.bytes_written.per_s(times),
            syncs: file.counts.syncs.sum(),
            syncs_per_s: file.counts.syncs.per_s(times),
        };
        used.into_iter().map(figures).collect()
    }
}
