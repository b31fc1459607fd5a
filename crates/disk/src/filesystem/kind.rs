//! The file systems that can be made fresh.

use model::FileSystem;
use std::fmt;

/// A file system type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileSystemKind {
    /// XFS: delayed allocation, a journal of metadata.
    Xfs,
    /// ext4 with its journal.
    Ext4,
    /// btrfs: copy on write, checksums.
    Btrfs,
}

impl FileSystemKind {
    /// What is made fresh for a level of `filesystem`; `None` is the host's own.
    pub const fn for_level(filesystem: FileSystem) -> Option<Self> {
        match filesystem {
            FileSystem::Host => None,
            FileSystem::Xfs => Some(Self::Xfs),
            FileSystem::Ext4 => Some(Self::Ext4),
            FileSystem::Btrfs => Some(Self::Btrfs),
        }
    }

    /// The level name, which is also the kernel's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xfs => FileSystem::Xfs.name(),
            Self::Ext4 => FileSystem::Ext4.name(),
            Self::Btrfs => FileSystem::Btrfs.name(),
        }
    }

    /// Smallest image, bytes: what mkfs.xfs 6.0 insists on (300 MiB) and mkfs.btrfs 6.2 (109 MiB) with room to
    /// use, and an ext4 whose journal (4 MiB, `ext2fs_default_journal_size`) leaves most of it free.
    pub const fn minimum_bytes(self) -> u64 {
        match self {
            Self::Xfs => 300 << 20,
            Self::Ext4 => 64 << 20,
            Self::Btrfs => 128 << 20,
        }
    }

    /// The program that makes it.
    pub(super) const fn program(self) -> &'static str {
        match self {
            Self::Xfs => "mkfs.xfs",
            Self::Ext4 => "mkfs.ext4",
            Self::Btrfs => "mkfs.btrfs",
        }
    }

    /// The Debian package that has the program.
    pub(super) const fn package(self) -> &'static str {
        match self {
            Self::Xfs => "xfsprogs",
            Self::Ext4 => "e2fsprogs",
            Self::Btrfs => "btrfs-progs",
        }
    }

    /// The program's arguments before the image: force, and discard nothing, because a discard would punch holes
    /// into the image that was filled on purpose. ext4's tables are written now rather than in the background
    /// of a measurement, and `-T default` keeps blocks of 4 KiB, which mke2fs.conf makes 1 KiB below 512 MiB.
    pub(super) const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Xfs | Self::Btrfs => &["-f", "-q", "-K"],
            Self::Ext4 => {
                &["-F", "-q", "-T", "default", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"]
            }
        }
    }
}

impl fmt::Display for FileSystemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
