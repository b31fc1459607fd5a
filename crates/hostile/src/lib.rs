//! Hostile input: the guarantee of every parser, and mutations of valid input.
//!
//! For tests and fuzzing only; the program does not depend on this crate. A guarantee is one function for each parser
//! ([`parser::PARSERS`]). The tests call it with seeds and mutations of them, the fuzz targets of `fuzz/` with inputs
//! from libFuzzer. A panic breaks the guarantee, and so does text that is read back as another value, or an error
//! without a message.

pub mod json;
pub mod mutation;
pub mod parser;
pub mod random;
pub mod run;
