//! A doubly linked list of frames, which holds SIEVE's order.

/// No frame.
const NONE: u32 = u32::MAX;

/// A doubly linked list of frames, newest to oldest. It allocates only when it is created.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    /// By frame: the next newer one.
    newer: Vec<u32>,
    /// By frame: the next older one.
    older: Vec<u32>,
    newest: u32,
    oldest: u32,
}

impl Queue {
    /// An empty queue for frames below `frames`.
    pub(super) fn new(frames: u32) -> Self {
        let links = vec![NONE; frames as usize];
        Self { newer: links.clone(), older: links, newest: NONE, oldest: NONE }
    }

    /// The frame at the old end.
    pub(super) fn oldest(&self) -> Option<u32> {
        some(self.oldest)
    }

    /// The next newer frame.
    pub(super) fn newer(&self, frame: u32) -> Option<u32> {
        some(self.newer[frame as usize])
    }

    /// Inserts a frame that is not in the list at the new end.
    pub(super) fn push(&mut self, frame: u32) {
        self.newer[frame as usize] = NONE;
        self.older[frame as usize] = self.newest;
        match some(self.newest) {
            Some(newest) => self.newer[newest as usize] = frame,
            None => self.oldest = frame,
        }
        self.newest = frame;
    }

    pub(super) fn remove(&mut self, frame: u32) {
        let (newer, older) = (self.newer[frame as usize], self.older[frame as usize]);
        match some(newer) {
            Some(newer) => self.older[newer as usize] = older,
            None => self.newest = older,
        }
        match some(older) {
            Some(older) => self.newer[older as usize] = newer,
            None => self.oldest = newer,
        }
    }
}

fn some(frame: u32) -> Option<u32> {
    (frame != NONE).then_some(frame)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_leave_from_the_ends_and_the_middle() {
        let mut queue = Queue::new(4);
        let oldest_first = |queue: &Queue| {
            std::iter::successors(queue.oldest(), |frame| queue.newer(*frame)).collect::<Vec<_>>()
        };
        (0..4).for_each(|frame| queue.push(frame));
        queue.remove(1);
        assert_eq!(oldest_first(&queue), [0, 2, 3]);
        queue.remove(0);
        queue.remove(3);
        assert_eq!((oldest_first(&queue), some(queue.newest)), (vec![2], Some(2)));
        queue.remove(2);
        assert_eq!((queue.oldest(), some(queue.newest)), (None, None));
        queue.push(1);
        assert_eq!(oldest_first(&queue), [1]);
    }
}
