//! Frames by age: a binary heap that any frame can be removed from. It allocates only when it is created.

/// Not in the heap.
const NOWHERE: u32 = u32::MAX;

/// Frames, the one with the lowest time at the top.
#[derive(Clone, Debug)]
pub(super) struct Heap {
    /// Frames; the children of place `i` are at `2i + 1` and `2i + 2`.
    frames: Vec<u32>,
    /// By frame: its place.
    places: Vec<u32>,
    /// By frame: its time.
    times: Vec<u64>,
}

impl Heap {
    /// An empty heap for frames below `frames`.
    pub(super) fn new(frames: u32) -> Self {
        let count = frames as usize;
        Self { frames: Vec::with_capacity(count), places: vec![NOWHERE; count], times: vec![0; count] }
    }

    /// The frame with the lowest time, and that time.
    pub(super) fn first(&self) -> Option<(u32, u64)> {
        self.frames.first().map(|frame| (*frame, self.times[*frame as usize]))
    }

    /// Inserts a frame that is not in the heap.
    pub(super) fn insert(&mut self, frame: u32, time: u64) {
        self.times[frame as usize] = time;
        self.frames.push(frame);
        self.rise(self.frames.len() - 1, frame);
    }

    /// Gives a frame in the heap a later time.
    pub(super) fn delay(&mut self, frame: u32, time: u64) {
        self.times[frame as usize] = time;
        self.sink(self.places[frame as usize] as usize, frame);
    }

    /// Removes a frame from any place.
    pub(super) fn remove(&mut self, frame: u32) {
        let place = self.places[frame as usize] as usize;
        self.places[frame as usize] = NOWHERE;
        let Some(last) = self.frames.pop() else { return };
        if last != frame {
            self.rise(place, last);
            self.sink(self.places[last as usize] as usize, last);
        }
    }

    /// Puts a frame at a place or above it.
    fn rise(&mut self, mut place: usize, frame: u32) {
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.time(parent) <= self.times[frame as usize] {
                break;
            }
            self.set(place, self.frames[parent]);
            place = parent;
        }
        self.set(place, frame);
    }

    /// Puts a frame at a place or below it.
    fn sink(&mut self, mut place: usize, frame: u32) {
        loop {
            let mut child = 2 * place + 1;
            if child + 1 < self.frames.len() && self.time(child + 1) < self.time(child) {
                child += 1;
            }
            if child >= self.frames.len() || self.times[frame as usize] <= self.time(child) {
                break;
            }
            self.set(place, self.frames[child]);
            place = child;
        }
        self.set(place, frame);
    }

    fn time(&self, place: usize) -> u64 {
        self.times[self.frames[place] as usize]
    }

    fn set(&mut self, place: usize, frame: u32) {
        self.frames[place] = frame;
        self.places[frame as usize] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Compared with a list that is searched: after any inserts, delays and removals, the first frame is the
        /// earliest.
        #[test]
        fn the_first_is_the_earliest(steps in proptest::collection::vec((0_u32..12, 0_u64..40), 1..200)) {
            let mut heap = Heap::new(12);
            let mut model: Vec<Option<u64>> = vec![None; 12];
            for (index, (frame, number)) in steps.into_iter().enumerate() {
                // Times differ, as a clock's times do.
                let time = number * 1000 + index as u64;
                match model[frame as usize] {
                    None => {
                        heap.insert(frame, time);
                        model[frame as usize] = Some(time);
                    }
                    Some(before) if time > before => {
                        heap.delay(frame, time);
                        model[frame as usize] = Some(time);
                    }
                    Some(_) => {
                        heap.remove(frame);
                        model[frame as usize] = None;
                    }
                }
                let times = model.iter().zip(0_u32..).filter_map(|(time, frame)| Some(((*time)?, frame)));
                prop_assert_eq!(heap.first(), times.min().map(|(time, frame)| (frame, time)));
            }
        }
    }
}
