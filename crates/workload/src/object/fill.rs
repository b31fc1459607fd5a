//! Makes the dataset: one put for each object that is not there.

use super::levels::FAMILIES;
use super::parameters::Parameters;
use super::sizes::ObjectSizes;
use driver::{Next, Recorder, Workload};
use model::{Completion, Nanos, ObjectKind, ObjectOp};

/// Puts some objects of the dataset, several at a time; not measured.
#[derive(Clone, Debug)]
pub struct Fill {
    missing: std::vec::IntoIter<u64>,
    sizes: ObjectSizes,
    /// Larger objects are written in parts of this size; 0 if none is.
    part_bytes: u64,
    free: Vec<u32>,
    in_flight_max: u32,
}

impl Fill {
    /// Objects of the dataset with these sizes that a client puts, with this number of puts in flight.
    pub fn new(parameters: &Parameters, sizes: ObjectSizes, missing: Vec<u64>, in_flight_max: u32) -> Self {
        Self {
            missing: missing.into_iter(),
            sizes,
            part_bytes: if parameters.is_remote() { parameters.part_size } else { 0 },
            free: (0..in_flight_max).rev().collect(),
            in_flight_max,
        }
    }
}

impl Workload for Fill {
    type Op = ObjectOp;

    fn poll(&mut self, _: Nanos, out: &mut Vec<ObjectOp>) -> Next {
        while let Some(id) = self.free.pop() {
            let Some(object) = self.missing.next() else {
                self.free.push(id);
                return Next::Done;
            };
            let bytes = self.sizes.of(object);
            let is_in_parts = self.part_bytes > 0 && bytes > self.part_bytes;
            let kind = if is_in_parts { ObjectKind::PutInParts } else { ObjectKind::Put };
            out.push(ObjectOp { id, kind, object, content: object, offset: 0, length: bytes as u32 });
        }
        Next::Wait
    }

    fn complete(&mut self, completion: &Completion, _: &mut Recorder) {
        self.free.push(completion.id);
    }

    fn in_flight_max(&self) -> usize {
        self.in_flight_max as usize
    }

    fn families(&self) -> &'static [&'static str] {
        FAMILIES
    }
}
