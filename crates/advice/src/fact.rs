//! Names with their values, as a block of a document.

use page::{Block, Text};

/// A name and a value.
pub(crate) type Fact = (&'static str, String);

/// The facts that there are.
pub(crate) fn facts(facts: impl IntoIterator<Item = Fact>) -> Option<Block> {
    let known = facts.into_iter().filter(|(_, fact)| !fact.is_empty());
    let facts: Vec<(Text, Text)> = known.map(|(name, fact)| (name.into(), fact.into())).collect();
    (!facts.is_empty()).then_some(Block::Facts(facts))
}
