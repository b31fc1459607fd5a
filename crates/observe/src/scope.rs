//! Which processes and files belong to the target.

use crate::system::{FoundFile, System};
use crate::target::Target;
use std::collections::HashMap;

/// Processes whose answer is kept.
const PROCESSES_MAX: usize = 1 << 16;
/// Generations between a process and an ancestor of it.
const GENERATIONS_MAX: usize = 256;

/// Which processes and files belong to the target. A process is looked up once.
#[derive(Debug)]
pub(crate) struct Scope {
    target: Target,
    processes: HashMap<u32, bool>,
    own: u32,
}

impl Scope {
    pub(crate) fn new(target: Target) -> Self {
        Self { target, processes: HashMap::new(), own: std::process::id() }
    }

    pub(crate) const fn target(&self) -> &Target {
        &self.target
    }

    /// Whether a process belongs to it. Syncline itself never does.
    pub(crate) fn has_process(&mut self, process: u32, system: &dyn System) -> bool {
        if process == self.own || process == 0 {
            return false;
        }
        if let Some(known) = self.processes.get(&process) {
            return *known;
        }
        let belongs = self.looked_up(process, system) && system.has_native_calls(process);
        self.remember(process, belongs);
        belongs
    }

    /// A child belongs to it if its parent does, also if it is gone before it can be looked up.
    pub(crate) fn forks(&mut self, process: u32, child: u32) {
        if matches!(self.target, Target::Process(_) | Target::Unit(_))
            && self.processes.get(&process) == Some(&true)
        {
            self.remember(child, true);
        }
    }

    /// Its number may be another process's next.
    pub(crate) fn ends(&mut self, process: u32) {
        self.processes.remove(&process);
    }

    pub(crate) fn has_file(&self, file: &FoundFile, system: &dyn System) -> bool {
        match &self.target {
            Target::Process(_) | Target::Unit(_) => true,
            Target::Directory(directory) => system.is_below(file, directory),
            Target::Device(disk) => system.disk(file).is_some_and(|of| of.device == disk.device),
        }
    }

    /// Whether files without a name can belong to it.
    pub(crate) const fn has_unnamed_files(&self) -> bool {
        matches!(self.target, Target::Process(_) | Target::Unit(_))
    }

    fn looked_up(&self, process: u32, system: &dyn System) -> bool {
        match &self.target {
            Target::Directory(_) | Target::Device(_) => true,
            Target::Process(root) => {
                let ancestors = std::iter::successors(Some(process), |of| system.parent(*of));
                ancestors.take(GENERATIONS_MAX).take_while(|of| *of > 0).any(|of| of == *root)
            }
            Target::Unit(unit) => system.groups(process).is_some_and(|groups| is_in_group(&groups, unit)),
        }
    }

    fn remember(&mut self, process: u32, belongs: bool) {
        if self.processes.len() >= PROCESSES_MAX {
            self.processes.clear();
        }
        self.processes.insert(process, belongs);
    }
}

/// Lines like `0::/system.slice/postgresql.service` (cgroups(7)).
fn is_in_group(groups: &str, unit: &str) -> bool {
    let paths = groups.lines().filter_map(|line| line.splitn(3, ':').nth(2));
    paths.into_iter().any(|path| path.split('/').any(|name| name == unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_of_a_unit_is_any_below_it() {
        let groups = "3:blkio:/user.slice\n0::/system.slice/mariadb.service/worker\n";
        assert!(is_in_group(groups, "mariadb.service"));
        assert!(!is_in_group(groups, "mariadb"));
        assert!(!is_in_group("", "mariadb.service"));
    }
}
