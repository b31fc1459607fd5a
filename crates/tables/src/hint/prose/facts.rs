//! All statements of a page's text.

use super::fact::{Drops, Fact};
use super::statements;
use laws::Circumstances;
use std::mem::{Discriminant, discriminant};

/// A longer paragraph is not one that a person wrote, bytes.
const PARAGRAPH_MAX: usize = 16 << 10;

/// A sentence with its place and the heading above it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sentence<'a> {
    pub(crate) line: u64,
    pub(crate) heading: &'a str,
    pub(crate) text: &'a str,
}

/// What a page's text states: each statement with the line of the first that made it; `None` if others contradict it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    found: Vec<(Discriminant<Fact>, Option<Fact>, u64)>,
}

impl Facts {
    /// Reads a paragraph or a line of a list.
    pub(crate) fn read(&mut self, sentence: Sentence<'_>) {
        if sentence.text.len() > PARAGRAPH_MAX {
            return;
        }
        for text in sentence.text.split(". ").flat_map(|text| text.split([';', '\n'])) {
            for fact in statements::facts(sentence.heading, text) {
                self.add(fact, sentence.line);
            }
        }
    }

    fn add(&mut self, fact: Fact, line: u64) {
        match self.found.iter_mut().find(|(kind, ..)| *kind == discriminant(&fact)) {
            Some((_, known, _)) if *known == Some(fact) => {}
            Some((_, known, _)) => *known = None,
            None => self.found.push((discriminant(&fact), Some(fact), line)),
        }
    }

    /// Repetitions of each row.
    pub(crate) fn runs(&self) -> Option<u64> {
        self.agreed().find_map(|(fact, _)| if let Fact::Runs(runs) = fact { Some(runs) } else { None })
    }

    /// The rest as settings.
    pub(crate) fn setting(&self) -> Circumstances {
        let mut setting = Circumstances::default();
        let mut drops = None;
        for (fact, _) in self.agreed() {
            match fact {
                Fact::Runs(_) => {}
                Fact::Passes(passes) => setting.passes = Some(passes),
                Fact::CacheDrops(known) => drops = Some(known),
                Fact::System(system) => setting.system = Some(system),
                Fact::Threads(threads) => setting.numjobs = Some(threads),
                Fact::Depth(depth) => setting.iodepth = Some(depth),
                Fact::Clients(clients) => setting.in_flight = Some(clients),
                Fact::Memory(bytes) => setting.memory_bytes = Some(bytes),
                Fact::EntryBytes(bytes) => setting.block_bytes = Some(bytes),
                Fact::FileBytes(bytes) => setting.file_bytes = Some(bytes),
                Fact::OfDevice => setting.said_of_device = Some(true),
            }
        }
        setting.cache_drops = match drops {
            Some(Drops::Never) => Some(0),
            Some(Drops::EachTest) => Some(1),
            Some(Drops::EachPass) => setting.passes,
            None => None,
        };
        setting
    }

    /// The line that states what the role of this name is.
    pub(crate) fn line_of(&self, role: &str) -> Option<u64> {
        self.agreed().find(|(fact, _)| fact.role() == role).map(|(_, line)| line)
    }

    fn agreed(&self) -> impl Iterator<Item = (Fact, u64)> {
        self.found.iter().filter_map(|(_, fact, line)| Some(((*fact)?, *line)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_contradicts_itself_is_not_taken() {
        let mut known = Facts::default();
        for text in ["We used 8 threads", "With 16 threads it is slower", "5 runs"] {
            known.read(Sentence { line: 1, heading: "", text });
        }
        assert_eq!((known.setting().numjobs, known.runs()), (None, Some(5)));
    }
}
