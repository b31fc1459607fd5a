//! Syncs that the file system itself reports, in windows and outside.
//!
//! A file system has a number for a file, and no descriptor. The file is the one that the thread's call is for, if that
//! was seen, and otherwise found among those that the process has open.

use super::{Begun, Observer};
use crate::descriptors::UNNAMED;
use crate::files::FileId;
use crate::windows::Seen;
use trace::Device;
use trace::stream::{FileCall, FileEvent};

impl Observer<'_> {
    pub(super) fn sync_begins(&mut self, event: &FileEvent, device: Device, inode: u64) {
        let FileEvent { time_ns, process, thread, kind: _ } = *event;
        if !self.scope.has_process(process, self.system) {
            return;
        }
        let call = self.calls.get(&thread).copied().filter(|begun| begun.seen == Seen::InWindows);
        let file = match call {
            // A write that is to be durable: it is counted itself.
            Some(begun) if begun.call == FileCall::Write => return self.files.reports(begun.file, true),
            Some(begun) if begun.call == FileCall::Sync => {
                // This event and its end count it, so that it is also seen if the window ends first.
                self.calls.remove(&thread);
                self.abandon(begun, time_ns);
                if begun.file != UNNAMED {
                    self.synced.remember((device, inode), Some(begun.file));
                }
                begun.file
            }
            Some(_) | None => {
                let Some(file) = self.synced_file(process, device, inode) else { return };
                if self.files.is_durable(file) {
                    return;
                }
                file
            }
        };
        self.files.reports(file, false);
        let begun = Begun {
            call: FileCall::Sync,
            process,
            descriptor: None,
            file,
            offset: None,
            durable: false,
            thread: Some(thread),
            from_ns: time_ns,
            is_counted: true,
            seen: Seen::Always,
        };
        self.rise(begun, time_ns);
        self.call_begins(thread, begun);
    }

    pub(super) fn sync_ends(&mut self, event: &FileEvent, result: i64) {
        if self.calls.get(&event.thread).is_some_and(|begun| begun.seen == Seen::Always)
            && let Some(begun) = self.calls.remove(&event.thread)
        {
            self.complete(begun, result, event.time_ns);
        }
    }

    /// The file of a number; `None` if it is not one of the target's.
    fn synced_file(&mut self, process: u32, device: Device, inode: u64) -> Option<FileId> {
        if let Some(known) = self.synced.files.get(&(device, inode)) {
            return *known;
        }
        let file = match self.system.open_file(process, device, inode) {
            Some(found) if found.is_regular && self.scope.has_file(&found, self.system) => {
                Some(self.files.find(&found, self.system))
            }
            Some(_) => None,
            None => self.scope.has_unnamed_files().then_some(UNNAMED),
        };
        self.synced.remember((device, inode), file);
        file
    }
}
