//! What strangers' input may be: the promise of every parser, and mutations of sound input.
//!
//! For tests and fuzzing only; the program does not depend on it. A promise is one function for each parser
//! ([`parser::PARSERS`]): the tests call it with seeds and mutations of them, the fuzz targets of `fuzz/` with what libFuzzer
//! finds. A promise is broken by a panic, by a text that is read back as another value, or by an error without words.

pub mod json;
pub mod mutation;
pub mod parser;
pub mod random;
pub mod run;
