//! The disks of a file, by their names.

use crate::device_file::{Disk, Figure};
use std::collections::BTreeMap;

/// The disks of a file, in its order.
#[derive(Default)]
pub(super) struct Disks {
    disks: Vec<Disk>,
    /// Each name's last disk.
    places: BTreeMap<String, usize>,
}

impl Disks {
    /// The disk of this name, which the file may have named before.
    pub(super) fn named(&mut self, name: &str, line: u64) -> &mut Disk {
        let place = match self.places.get(name) {
            Some(place) => *place,
            None => self.push(name, line),
        };
        &mut self.disks[place]
    }

    /// Adds a figure to the disk of this name. A figure that it has already is of another measurement, and begins another disk.
    pub(super) fn add(&mut self, name: &str, line: u64, figure: Figure) {
        let is_known = self.named(name, line).figure(figure.property).is_some();
        if is_known {
            self.push(name, line);
        }
        self.named(name, line).figures.push(figure);
    }

    pub(super) fn into_list(self) -> Vec<Disk> {
        self.disks
    }

    fn push(&mut self, name: &str, line: u64) -> usize {
        let place = self.disks.len();
        self.disks.push(Disk { name: name.to_owned(), line, figures: Vec::new() });
        self.places.insert(name.to_owned(), place);
        place
    }
}
