//! Files that include others: PostgreSQL's `include`, `include_if_exists` and `include_dir`, MySQL's `!include` and
//! `!includedir`. Their settings take effect at the place of the include.

use super::entry::{Entry, Include, Item, Place, Unreadable};
use super::syntax::{Syntax, items};

/// PostgreSQL has the same limit (`CONF_FILE_MAX_DEPTH` in its `guc-file.l`).
const DEPTH_MAX: usize = 10;
/// Ends the reading of a directory that includes itself through other files.
const FILES_MAX: usize = 1000;

/// An included file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Its path, as it is shown, and as its own includes are relative to.
    pub file: String,
    pub text: String,
}

/// Resolves an include. The second argument is the including file, `None` for the file that was given. An error is a
/// clause.
pub type Fetch<'a> = dyn FnMut(&Include, Option<&str>) -> Result<Vec<Included>, String> + 'a;

/// The settings of a file and of the files that it includes, in the order in which the database reads them. If a
/// setting occurs twice, the database uses the last.
///
/// # Errors
/// [`Unreadable`] with file and line, if the database would refuse one of the files or one cannot be read.
pub fn read_with_includes(
    syntax: Syntax,
    text: &str,
    fetch: &mut Fetch<'_>,
) -> Result<Vec<Entry>, Unreadable> {
    let mut reading = Reading { syntax, fetch, files: 0, entries: Vec::new() };
    reading.file(None, text, 0)?;
    Ok(reading.entries)
}

struct Reading<'a, 'b> {
    syntax: Syntax,
    fetch: &'a mut Fetch<'b>,
    files: usize,
    entries: Vec<Entry>,
}

impl Reading<'_, '_> {
    fn file(&mut self, file: Option<&str>, text: &str, depth: usize) -> Result<(), Unreadable> {
        let placed = |place: Place| Place { file: file.map(str::to_owned), ..place };
        let read = items(self.syntax, text).map_err(|why| Unreadable { place: placed(why.place), ..why })?;
        for item in read {
            match item {
                Item::Setting(entry) => {
                    self.entries.push(Entry { place: placed(entry.place), ..entry });
                }
                Item::Include(include) => {
                    let unreadable = |why: String| Unreadable {
                        place: placed(Place::line(include.line())),
                        why: format!("cannot include {}: {why}", include.path()),
                    };
                    if depth == DEPTH_MAX {
                        return Err(unreadable(format!("includes are nested more than {DEPTH_MAX} deep")));
                    }
                    for found in (self.fetch)(&include, file).map_err(unreadable)? {
                        self.files += 1;
                        if self.files > FILES_MAX {
                            return Err(unreadable(format!("more than {FILES_MAX} files are included")));
                        }
                        self.file(Some(&found.file), &found.text, depth + 1)?;
                    }
                }
            }
        }
        Ok(())
    }
}
