//! The disks of a file, by their names.

use laws::{Claim, Property, Rated};
use model::printable;
use std::collections::BTreeMap;

/// The figures of one disk.
pub(super) struct Disk {
    /// Mount point, OSD or device number.
    pub(super) name: String,
    pub(super) line: u64,
    pub(super) figures: Vec<Rated>,
}

impl Disk {
    pub(super) fn has(&self, property: Property) -> bool {
        self.figures.iter().any(|figure| figure.property == property)
    }

    pub(super) fn into_claim(self) -> Claim {
        let label = printable(&self.name).into_owned();
        Claim { label, place: format!("line {}", self.line), rated: self.figures, ..Claim::default() }
    }
}

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

    /// Adds a figure to the disk of this name. A figure that it has already is of another measurement, and begins
    /// another disk.
    pub(super) fn add(&mut self, name: &str, line: u64, figure: Rated) {
        let is_known = self.named(name, line).has(figure.property);
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
