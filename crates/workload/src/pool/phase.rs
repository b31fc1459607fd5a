//! The phases of a trial.

use model::PageKind;

/// A part of a trial in which every page of the table is accessed once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Every page is created in the pool, in page order, and is dirty.
    Fill,
    /// Every page that is still dirty is written back, in the order of `access`.
    WriteBack,
    /// Pages of another table replace this table's pages in the pool.
    Displace,
    /// Every page is read in the order of `access`; none is in the pool.
    FirstRead,
    /// Every page is read again.
    SecondRead,
}

impl Phase {
    /// Every phase, in the order in which a trial runs them.
    pub const ALL: &'static [Self] =
        &[Self::Fill, Self::WriteBack, Self::Displace, Self::FirstRead, Self::SecondRead];

    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::WriteBack => "write_back",
            Self::Displace => "displace",
            Self::FirstRead => "first_read",
            Self::SecondRead => "second_read",
        }
    }

    /// The operation on each page.
    pub(super) const fn operation(self) -> PageKind {
        match self {
            Self::Fill => PageKind::Create,
            Self::WriteBack => PageKind::WriteBack,
            Self::Displace => PageKind::Displace,
            Self::FirstRead | Self::SecondRead => PageKind::Read,
        }
    }

    /// The latency families that it records, in the form that the driver expects; a phase without one has no time per
    /// page.
    pub(super) const fn families(self) -> &'static [&'static str] {
        match self {
            Self::Fill | Self::Displace => &[],
            Self::WriteBack => &["page_write_latency"],
            Self::FirstRead => &["page_read_latency"],
            Self::SecondRead => &["page_hit_latency"],
        }
    }

    /// The phase whose record contains a metric.
    pub fn of_metric(name: &str) -> Self {
        match name {
            "fill_us" | "pool_frames" | "map_pages" | "wal_bytes_per_page" | "full_page_images_per_page" => {
                Self::Fill
            }
            "page_write_us" | "page_change_us" | "page_change_write_us" => Self::WriteBack,
            _ if name.starts_with("page_write_latency") => Self::WriteBack,
            _ if name.starts_with("second_read") || name.starts_with("page_hit") => Self::SecondRead,
            _ => Self::FirstRead,
        }
    }
}
