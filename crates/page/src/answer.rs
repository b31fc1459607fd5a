//! Answers with their numbers.

use crate::figure::Figure;
use crate::text::{Badge, Text};

/// An answer: its number first, then a sentence.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Name of what is answered.
    pub name: Text,
    /// Where the page has its evidence: an anchor.
    pub anchor: String,
    pub badge: Option<Badge>,
    pub number: Option<Number>,
    /// The answer in words.
    pub text: Text,
    /// A drawing of the figure.
    pub figure: Option<Figure>,
}

/// The figure of an answer.
#[derive(Clone, Debug)]
pub struct Number {
    pub point: String,
    /// Its interval, or the reason why there is none.
    pub interval: String,
    /// What it is a figure of.
    pub what: String,
}
