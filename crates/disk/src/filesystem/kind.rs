//! How each file system is made and mounted: its program, and what the program and mount(8) get.

use model::{FileSystemKind, FileSystemOption, FreshFileSystem};

/// The program that makes it.
pub(super) const fn program(kind: FileSystemKind) -> &'static str {
    match kind {
        FileSystemKind::Xfs => "mkfs.xfs",
        FileSystemKind::Ext4 => "mkfs.ext4",
        FileSystemKind::Btrfs => "mkfs.btrfs",
    }
}

/// The Debian package that has the program.
pub(super) const fn package(kind: FileSystemKind) -> &'static str {
    match kind {
        FileSystemKind::Xfs => "xfsprogs",
        FileSystemKind::Ext4 => "e2fsprogs",
        FileSystemKind::Btrfs => "btrfs-progs",
    }
}

/// The program's arguments before the image: force, and discard nothing, because a discard would punch holes into the
/// image that was filled on purpose. ext4's tables are written now rather than in the background of a measurement, and
/// `-T default` keeps blocks of 4 KiB, which mke2fs.conf makes 1 KiB below 512 MiB.
pub(super) fn arguments(fresh: FreshFileSystem) -> Vec<&'static str> {
    let kind = fresh.kind();
    let always: &[&str] = match kind {
        FileSystemKind::Xfs | FileSystemKind::Btrfs => &["-f", "-q", "-K"],
        FileSystemKind::Ext4 => {
            &["-F", "-q", "-T", "default", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"]
        }
    };
    let of_options = fresh.options().filter_map(|option| match given_to(option, kind) {
        GivenTo::Program(words) => Some(words),
        GivenTo::Mount(_) => None,
    });
    always.iter().copied().chain(of_options.flatten().copied()).collect()
}

/// Its options of mount(8). btrfs discards by itself since Linux 6.2 if the device can, and a loop device can.
pub(super) fn mount_options(fresh: FreshFileSystem) -> Vec<&'static str> {
    let of_options = fresh.options().filter_map(|option| match given_to(option, fresh.kind()) {
        GivenTo::Mount(word) => Some(word),
        GivenTo::Program(_) => None,
    });
    let keeps = (!fresh.has(FileSystemOption::Discard)).then_some("nodiscard");
    ["loop", "nosuid", "nodev"].into_iter().chain(keeps).chain(of_options).collect()
}

/// The program that gets an option, and its words.
enum GivenTo {
    /// The program that makes the file system.
    Program(&'static [&'static str]),
    Mount(&'static str),
}

const fn given_to(option: FileSystemOption, kind: FileSystemKind) -> GivenTo {
    match option {
        FileSystemOption::NoAccessTimes => GivenTo::Mount("noatime"),
        FileSystemOption::Discard => GivenTo::Mount("discard"),
        FileSystemOption::NoCopyOnWrite => GivenTo::Mount("nodatacow"),
        FileSystemOption::Blocks1Kib => GivenTo::Program(match kind {
            FileSystemKind::Ext4 => &["-b", "1024"],
            FileSystemKind::Xfs | FileSystemKind::Btrfs => &["-b", "size=1024"],
        }),
        FileSystemOption::Blocks16Kib => GivenTo::Program(&["-b", "size=16384"]),
        FileSystemOption::LogBuffers256Kib => GivenTo::Mount("logbsize=256k"),
        FileSystemOption::TwoLogBuffers => GivenTo::Mount("logbufs=2"),
        FileSystemOption::Log128Mib => GivenTo::Program(&["-l", "size=128m"]),
    }
}

/// The first Linux that mounts XFS with blocks that are larger than a page.
const LARGE_BLOCKS_SINCE: (u32, u32) = (6, 12);

/// The version of Linux that this file system needs and that an older kernel is not.
pub(super) fn needs_linux(fresh: FreshFileSystem, release: &str, page_bytes: usize) -> Option<&'static str> {
    let is_large = fresh.has(FileSystemOption::Blocks16Kib) && page_bytes < 16 << 10;
    let is_older = version(release).is_some_and(|version| version < LARGE_BLOCKS_SINCE);
    (is_large && is_older).then_some("Linux 6.12")
}

/// `6.18.44-generic` is 6.18.
fn version(release: &str) -> Option<(u32, u32)> {
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::FileSystem;

    fn fresh(level: &str) -> FreshFileSystem {
        match FileSystem::parse(level) {
            Ok(FileSystem::Fresh(fresh)) => fresh,
            other => panic!("{level}: {other:?}"),
        }
    }

    /// What is given beyond what the same file system gets without options.
    fn given(level: &str) -> (String, String) {
        let of_options = fresh(level);
        let plain = FreshFileSystem::from(of_options.kind());
        let more = |all: Vec<&'static str>, usual: &[&str]| -> String {
            let more: Vec<&str> = all.into_iter().filter(|word| !usual.contains(word)).collect();
            more.join(" ")
        };
        (
            more(arguments(of_options), &arguments(plain)),
            more(mount_options(of_options), &mount_options(plain)),
        )
    }

    #[test]
    fn an_option_goes_to_mkfs_or_to_mount() {
        for (level, to_mkfs, to_mount) in [
            ("ext4", "", ""),
            ("ext4+noatime", "", "noatime"),
            ("ext4+bs=1k", "-b 1024", ""),
            ("xfs+bs=1k", "-b size=1024", ""),
            ("xfs+bs=16k", "-b size=16384", ""),
            ("xfs+logsize=128m+logbsize=256k+logbufs=2", "-l size=128m", "logbsize=256k logbufs=2"),
            ("btrfs+noatime+nodatacow", "", "noatime nodatacow"),
        ] {
            assert_eq!(given(level), (to_mkfs.to_owned(), to_mount.to_owned()), "{level}");
        }
    }

    #[test]
    fn nothing_is_discarded_unless_it_is_asked_for() {
        for kind in ["xfs", "ext4", "btrfs"] {
            let plain = mount_options(fresh(kind));
            assert!(plain.contains(&"nodiscard") && !plain.contains(&"discard"), "{plain:?}");
            let discarding = mount_options(fresh(&format!("{kind}+discard")));
            assert!(discarding.contains(&"discard") && !discarding.contains(&"nodiscard"), "{discarding:?}");
            assert_eq!(
                arguments(fresh(kind)),
                arguments(fresh(&format!("{kind}+discard"))),
                "mkfs discards nothing"
            );
        }
    }

    #[test]
    fn large_blocks_need_a_kernel_that_has_them() {
        let large = fresh("xfs+bs=16k");
        for (release, page_bytes, is_refused) in [
            ("6.1.0-30-amd64", 4096, true),
            ("6.12", 4096, false),
            ("7.0.1", 4096, false),
            ("5.4.0", 65536, false),
        ] {
            assert_eq!(needs_linux(large, release, page_bytes).is_some(), is_refused, "{release}");
        }
        assert_eq!(needs_linux(fresh("xfs+bs=1k"), "4.0", 4096), None);
        assert_eq!(needs_linux(large, "unknown", 4096), None);
    }
}
