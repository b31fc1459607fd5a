//! Where a trial's files live: the parameter `filesystem`. `host` is the directory's own file system. Every other level
//! is a fresh one, with the options that differ from the default, such as `xfs+noatime+logbsize=256k`.

use crate::suggestion;
use crate::units::MIB;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// Between a file system and its options.
const SEPARATOR: char = '+';
/// What every file system has without an option (mount(8), xfs(5), mke2fs(8), mkfs.xfs(8), btrfs(5)).
const BY_DEFAULT: &[&str] =
    &["relatime", "nodiscard", "datacow", "bs=4k", "logbufs=8", "logbsize=32k", "defaults"];
/// An XFS has at least four allocation groups here, and a log lies within one of them.
const ALLOCATION_GROUPS: u64 = 4;
/// What an allocation group needs beside the log.
const BESIDE_LOG_BYTES: u64 = 16 * MIB;

levels! {
    /// The type of a file system that can be made fresh. The name of a level is also the kernel's.
    pub enum FileSystemKind {
        /// XFS: delayed allocation, a journal of metadata.
        Xfs = "xfs",
        /// ext4 with its journal.
        Ext4 = "ext4",
        /// btrfs: copy on write, checksums.
        Btrfs = "btrfs",
    }
}

impl FileSystemKind {
    /// Smallest image, bytes: what mkfs.xfs 6.0 insists on (300 MiB) and mkfs.btrfs 6.2 (109 MiB) with room to use, and
    /// an ext4 whose journal (4 MiB, `ext2fs_default_journal_size`) leaves most of it free.
    pub const fn minimum_bytes(self) -> u64 {
        match self {
            Self::Xfs => 300 * MIB,
            Self::Ext4 => 64 * MIB,
            Self::Btrfs => 128 * MIB,
        }
    }
}

levels! {
    /// An option of a fresh file system, in the words of mount(8) and of the program that makes it.
    pub enum FileSystemOption {
        /// A read changes no access time. By default (`relatime`) some reads change it.
        NoAccessTimes = "noatime",
        /// The file system discards the blocks of deleted files at once. By default the image keeps them.
        Discard = "discard",
        /// Files are overwritten in place and have no checksums.
        NoCopyOnWrite = "nodatacow",
        /// Blocks of 1 KiB.
        Blocks1Kib = "bs=1k",
        /// Blocks of 16 KiB, which are larger than the pages of most machines.
        Blocks16Kib = "bs=16k",
        /// Each buffer of the log in memory has 256 KiB.
        LogBuffers256Kib = "logbsize=256k",
        /// The log has two buffers in memory.
        TwoLogBuffers = "logbufs=2",
        /// The log has 128 MiB on the device.
        Log128Mib = "logsize=128m",
    }
}

impl FileSystemOption {
    /// The file systems that have the option.
    pub const fn kinds(self) -> &'static [FileSystemKind] {
        use FileSystemKind::{Btrfs, Ext4, Xfs};
        match self {
            Self::NoAccessTimes | Self::Discard => &[Xfs, Ext4, Btrfs],
            Self::NoCopyOnWrite => &[Btrfs],
            Self::Blocks1Kib => &[Xfs, Ext4],
            Self::Blocks16Kib | Self::LogBuffers256Kib | Self::TwoLogBuffers | Self::Log128Mib => &[Xfs],
        }
    }

    /// Whether both set the same thing, so that a file system has one of them.
    const fn excludes(self, other: Self) -> bool {
        matches!((self, other), (Self::Blocks1Kib, Self::Blocks16Kib) | (Self::Blocks16Kib, Self::Blocks1Kib))
    }

    /// Bytes of the log on the device, if it sets them.
    const fn log_bytes(self) -> Option<u64> {
        match self {
            Self::Log128Mib => Some(128 * MIB),
            Self::NoAccessTimes
            | Self::Discard
            | Self::NoCopyOnWrite
            | Self::Blocks1Kib
            | Self::Blocks16Kib
            | Self::LogBuffers256Kib
            | Self::TwoLogBuffers => None,
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }

    fn all() -> impl Iterator<Item = Self> {
        Self::NAMES.iter().filter_map(|name| Self::from_name(name))
    }

    /// The names of those that a file system has.
    fn names_of(kind: FileSystemKind) -> impl Iterator<Item = &'static str> + Clone {
        let has =
            move |name: &&str| Self::from_name(name).is_some_and(|option| option.kinds().contains(&kind));
        Self::NAMES.iter().copied().filter(has)
    }
}

/// A file system that is made for a run, on a loop image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FreshFileSystem {
    kind: FileSystemKind,
    /// A bit for each option.
    options: u16,
}

impl FreshFileSystem {
    /// Its type.
    pub const fn kind(self) -> FileSystemKind {
        self.kind
    }

    /// What it has otherwise than by default.
    pub fn options(self) -> impl Iterator<Item = FileSystemOption> {
        FileSystemOption::all().filter(move |option| self.has(*option))
    }

    /// Whether it has this option.
    pub const fn has(self, option: FileSystemOption) -> bool {
        self.options & option.bit() != 0
    }

    /// The same with one more option.
    ///
    /// # Errors
    /// Why it cannot have the option, as a clause.
    pub fn with(self, option: FileSystemOption) -> Result<Self, String> {
        let kind = self.kind;
        if !option.kinds().contains(&kind) {
            let kinds: Vec<&str> = option.kinds().iter().map(|kind| kind.name()).collect();
            return Err(format!("{kind} has no option {option}, which {} has", kinds.join(" or ")));
        }
        if self.has(option) {
            return Err(format!("{option} is given twice"));
        }
        if let Some(other) = self.options().find(|other| other.excludes(option)) {
            return Err(format!("{other} and {option} exclude each other"));
        }
        Ok(Self { options: self.options | option.bit(), ..self })
    }

    /// Bytes of the log on the device, if an option sets them.
    pub fn log_bytes(self) -> Option<u64> {
        self.options().find_map(FileSystemOption::log_bytes)
    }

    /// Smallest image, bytes.
    pub fn minimum_bytes(self) -> u64 {
        self.kind.minimum_bytes().max(self.room_for_log_bytes())
    }

    /// Bytes that an image has to have so that a log of this size lies within an allocation group; 0 if no option sets
    /// a size.
    pub fn room_for_log_bytes(self) -> u64 {
        self.log_bytes().map_or(0, |log| ALLOCATION_GROUPS * (log + BESIDE_LOG_BYTES))
    }

    fn with_word(self, word: &str) -> Result<Self, String> {
        if BY_DEFAULT.contains(&word) {
            return Err(format!("{word} is the default: leave it out"));
        }
        let unknown = || {
            suggestion::unknown(
                &format!("option of {}", self.kind),
                word,
                FileSystemOption::names_of(self.kind),
            )
        };
        self.with(FileSystemOption::from_name(word).ok_or_else(unknown)?)
    }
}

impl From<FileSystemKind> for FreshFileSystem {
    fn from(kind: FileSystemKind) -> Self {
        Self { kind, options: 0 }
    }
}

impl fmt::Display for FreshFileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind)?;
        self.options().try_for_each(|option| write!(f, "{SEPARATOR}{option}"))
    }
}

/// Where the files live: the parameter `filesystem`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileSystem {
    /// The directory's own file system.
    #[default]
    Host,
    Fresh(FreshFileSystem),
}

impl FileSystem {
    /// The level of the directory's own file system.
    pub const HOST: &'static str = "host";

    /// Reads `host`, or a type with options: `ext4`, `xfs+noatime+logbsize=256k`.
    ///
    /// # Errors
    /// What is wrong, as a clause.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut words = text.trim().split(SEPARATOR);
        let name = words.next().unwrap_or_default();
        if name == Self::HOST {
            return match words.next() {
                None => Ok(Self::Host),
                Some(_) => Err("host is mounted as it is: it takes no options".to_owned()),
            };
        }
        if name == "zfs" {
            let why = "zfs is a pool of whole devices, which Syncline does not make: name a directory on a dataset of \
                       yours";
            return Err(why.to_owned());
        }
        let names = std::iter::once(Self::HOST).chain(FileSystemKind::NAMES.iter().copied());
        let kind = FileSystemKind::from_name(name);
        let fresh =
            FreshFileSystem::from(kind.ok_or_else(|| suggestion::unknown("file system", name, names))?);
        words.try_fold(fresh, FreshFileSystem::with_word).map(Self::Fresh)
    }

    /// What a level can be, for help: every type, with its options in brackets.
    pub fn forms() -> String {
        let kinds = FileSystemKind::NAMES.iter().filter_map(|name| FileSystemKind::from_name(name));
        let form = |kind: FileSystemKind| {
            let option = |name| format!("[{SEPARATOR}{name}]");
            let options: String = FileSystemOption::names_of(kind).map(option).collect();
            format!("{kind}{options}")
        };
        std::iter::once(Self::HOST.to_owned()).chain(kinds.map(form)).collect::<Vec<_>>().join(" | ")
    }

    /// Levels to complete what is typed: every type alone, and with each option alone.
    pub fn examples() -> Vec<String> {
        let mut levels = vec![Self::HOST.to_owned()];
        for kind in FileSystemKind::NAMES.iter().filter_map(|name| FileSystemKind::from_name(name)) {
            levels.push(kind.to_string());
            levels.extend(FileSystemOption::names_of(kind).map(|name| format!("{kind}{SEPARATOR}{name}")));
        }
        levels
    }
}

impl From<FileSystemKind> for FileSystem {
    fn from(kind: FileSystemKind) -> Self {
        Self::Fresh(kind.into())
    }
}

impl fmt::Display for FileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Host => f.write_str(Self::HOST),
            Self::Fresh(fresh) => fresh.fmt(f),
        }
    }
}

impl Serialize for FileSystem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FileSystem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        FileSystem::parse(text).map_or_else(|why| format!("error: {why}"), |found| found.to_string())
    }

    #[test]
    fn a_level_has_one_text() {
        for text in ["host", "xfs", "ext4+bs=1k", "btrfs+noatime+nodatacow", "xfs+bs=16k+logbufs=2"] {
            assert_eq!(read(text), text);
            let found = FileSystem::parse(text).unwrap();
            let json = serde_json::to_string(&found).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            assert_eq!(serde_json::from_str::<FileSystem>(&json).unwrap(), found);
        }
        assert_eq!(read(" xfs+logbsize=256k+noatime "), "xfs+noatime+logbsize=256k");
    }

    #[test]
    fn an_option_that_a_file_system_lacks_is_refused_with_the_reason() {
        for (text, why) in [
            ("xsf", "unknown file system \"xsf\"; did you mean \"xfs\"?"),
            (
                "zfs",
                "zfs is a pool of whole devices, which Syncline does not make: name a directory on a dataset of yours",
            ),
            ("host+noatime", "host is mounted as it is: it takes no options"),
            ("ext4+nodatacow", "ext4 has no option nodatacow, which btrfs has"),
            ("btrfs+bs=1k", "btrfs has no option bs=1k, which xfs or ext4 has"),
            ("xfs+noatme", "unknown option of xfs \"noatme\"; did you mean \"noatime\"?"),
            ("xfs+relatime", "relatime is the default: leave it out"),
            ("xfs+logbufs=8", "logbufs=8 is the default: leave it out"),
            ("xfs+noatime+noatime", "noatime is given twice"),
            ("xfs+bs=1k+bs=16k", "bs=1k and bs=16k exclude each other"),
        ] {
            assert_eq!(read(text), format!("error: {why}"), "{text}");
        }
        for wrong in ["", "+", "ext4+", "xfs,noatime", "ext4 + noatime"] {
            assert!(FileSystem::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn every_example_is_a_level() {
        let examples = FileSystem::examples();
        assert!(examples.len() > 10, "{examples:?}");
        for level in examples {
            assert_eq!(read(&level), level);
        }
    }

    #[test]
    fn an_image_has_room_for_its_log() {
        let FileSystem::Fresh(plain) = FileSystem::parse("xfs").unwrap() else { panic!("fresh") };
        let FileSystem::Fresh(large) = FileSystem::parse("xfs+logsize=128m").unwrap() else {
            panic!("fresh")
        };
        assert_eq!((plain.room_for_log_bytes(), plain.minimum_bytes()), (0, 300 * MIB));
        assert_eq!(large.log_bytes(), Some(128 * MIB));
        assert!(large.minimum_bytes() > 4 * 128 * MIB);
    }
}
