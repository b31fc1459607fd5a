//! The bytes that a command and its processes have read from disks and written to them.

use crate::process_tree::below;
use std::fs;
use std::path::Path;

/// `read_bytes` and `write_bytes` of proc(5)'s `io`, of this process and those below it. A process that has ended is
/// counted in the parent that waited for it. One that this user may not look at counts as nothing.
pub(super) fn moved_bytes(proc: &Path, of: u32) -> u64 {
    below(proc, of).iter().map(|(id, _)| of_process(proc, *id)).sum()
}

fn of_process(proc: &Path, id: u32) -> u64 {
    let text = fs::read_to_string(proc.join(format!("{id}/io"))).unwrap_or_default();
    let field =
        |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    field("read_bytes:").unwrap_or(0) + field("write_bytes:").unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_and_those_below_it_are_counted() {
        let proc = tempfile::tempdir().unwrap();
        for (id, parent, read, written) in
            [(1, 0, 1_u64 << 40, 0), (10, 1, 4096, 8192), (11, 10, 1, 2), (12, 11, 0, 5)]
        {
            let directory = proc.path().join(format!("{id}"));
            fs::create_dir_all(&directory).unwrap();
            fs::write(directory.join("stat"), format!("{id} (a) S {parent} 1 1 0\n")).unwrap();
            let io =
                format!("rchar: 7\nread_bytes: {read}\nwrite_bytes: {written}\ncancelled_write_bytes: 9\n");
            fs::write(directory.join("io"), io).unwrap();
        }
        assert_eq!(moved_bytes(proc.path(), 10), 4096 + 8192 + 3 + 5);
        assert_eq!(moved_bytes(proc.path(), 12), 5);
    }
}
