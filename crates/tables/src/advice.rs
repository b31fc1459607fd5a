//! What a report advises its reader to type next: the only words of the command line here. Errors have none.

/// How to correct the roles that were guessed.
pub(crate) const CORRECT_A_GUESS: &str = "Correct a guess with --column NAME=ROLE.";
/// How to have a column read, as the end of a sentence.
pub(crate) const GIVE_A_ROLE: &str = "give a column its role with --column NAME=ROLE.";
