//! How writes are made durable.

/// How writes are made durable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// Not within the measured time.
    Never,
    /// After several writes, or at the end: what was acknowledged before is not durable.
    Later,
    /// `fsync` after each write.
    Fsync,
    /// `fdatasync` after each write.
    Fdatasync,
    /// macOS: `fcntl(F_FULLFSYNC)` after each write.
    FullFsync,
    /// Each write by `O_SYNC`.
    OSync,
    /// Each write by `O_DSYNC`.
    ODsync,
}

impl Sync {
    /// Words that name a sync after each write, the strictest first.
    pub const WAYS: &[(&str, Self)] = &[
        ("f_fullfsync", Self::FullFsync),
        ("full_fsync", Self::FullFsync),
        ("fsync_writethrough", Self::FullFsync),
        ("o_dsync", Self::ODsync),
        ("open_datasync", Self::ODsync),
        ("o_sync", Self::OSync),
        ("open_sync", Self::OSync),
        ("fdatasync", Self::Fdatasync),
        ("fsync", Self::Fsync),
    ];

    /// What a column may say.
    pub const NAMES: &[(&str, Self)] = &[
        ("never", Self::Never),
        ("later", Self::Later),
        ("fsync", Self::Fsync),
        ("fdatasync", Self::Fdatasync),
        ("full_fsync", Self::FullFsync),
        ("o_sync", Self::OSync),
        ("o_dsync", Self::ODsync),
    ];

    /// Its name in a column.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }

    /// What the program calls, and when if not for each write.
    pub const fn call(self) -> &'static str {
        match self {
            Self::Never => "no sync",
            Self::Later => "fsync at the end or after several writes",
            Self::Fsync => "fsync",
            Self::Fdatasync => "fdatasync",
            Self::FullFsync => "F_FULLFSYNC",
            Self::OSync => "O_SYNC",
            Self::ODsync => "O_DSYNC",
        }
    }

    /// Whether a write is acknowledged only when it was synced.
    pub const fn is_each_write(self) -> bool {
        match self {
            Self::Never | Self::Later => false,
            Self::Fsync | Self::Fdatasync | Self::FullFsync | Self::OSync | Self::ODsync => true,
        }
    }

    /// Whether the data leaves the drive's cache: on macOS `fsync` and `O_SYNC` hand it to the drive and no more
    /// (Apple's fsync(2)); only `F_FULLFSYNC` flushes it.
    pub const fn empties_cache(self, system: System) -> bool {
        match (system, self) {
            (System::Linux, _) | (System::MacOs, Self::FullFsync) => true,
            (
                System::MacOs,
                Self::Never | Self::Later | Self::Fsync | Self::Fdatasync | Self::OSync | Self::ODsync,
            ) => false,
        }
    }

    /// Whether syncing is a call of its own, whose time is in no write's latency.
    pub const fn is_call(self) -> bool {
        match self {
            Self::Never | Self::OSync | Self::ODsync => false,
            Self::Later | Self::Fsync | Self::Fdatasync | Self::FullFsync => true,
        }
    }
}

/// The operating system, where it decides what a sync does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Linux,
    /// macOS.
    MacOs,
}

impl System {
    /// What a column may say.
    pub const NAMES: &[(&str, Self)] = &[("linux", Self::Linux), ("macos", Self::MacOs)];
}
