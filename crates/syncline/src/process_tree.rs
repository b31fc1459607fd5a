//! A process and those that it started, by proc(5).

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// This process, those that it started, and theirs.
pub(crate) fn below(proc: &Path, of: u32) -> Vec<(u32, Stat)> {
    let processes: BTreeMap<u32, Stat> =
        numbered(proc).filter_map(|id| Some((id, Stat::read(&proc.join(id.to_string()))?))).collect();
    let is_below = |id: u32| {
        let parent = |id: &u32| processes.get(id).map(|stat| stat.parent);
        // A chain of parents is never longer than there are processes.
        std::iter::successors(Some(id), parent).take(processes.len()).any(|ancestor| ancestor == of)
    };
    let ids: Vec<u32> = processes.keys().copied().filter(|id| is_below(*id)).collect();
    processes.into_iter().filter(|(id, _)| ids.contains(id)).collect()
}

/// The entries of a directory of proc(5) that are numbers: processes or threads.
pub(crate) fn numbered(directory: &Path) -> impl Iterator<Item = u32> + use<> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// What is needed of proc(5)'s `stat`.
pub(crate) struct Stat {
    pub(crate) command: String,
    pub(crate) state: char,
    parent: u32,
}

impl Stat {
    /// A command may hold spaces and brackets: the last bracket ends it.
    pub(crate) fn read(directory: &Path) -> Option<Self> {
        let text = fs::read(directory.join("stat")).ok()?;
        let text = String::from_utf8_lossy(&text);
        let (before, after) = text.rsplit_once(')')?;
        let mut fields = after.split_whitespace();
        Some(Self {
            command: before.split_once('(')?.1.to_owned(),
            state: fields.next()?.chars().next()?,
            parent: fields.next()?.parse().ok()?,
        })
    }
}
