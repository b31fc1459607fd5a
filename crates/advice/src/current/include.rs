//! Files that take in others: PostgreSQL's `include`, `include_if_exists` and `include_dir`, MySQL's `!include` and
//! `!includedir`. What they set counts where they stand.

use super::entry::{Entry, Include, Item, Place, Unreadable};
use super::syntax::items;
use crate::setting::Syntax;

/// PostgreSQL refuses deeper nesting too (`CONF_FILE_MAX_DEPTH` in its `guc-file.l`).
const DEPTH_MAX: usize = 10;
/// A directory of includes that takes in itself through others would not end before this.
const FILES_MAX: usize = 1000;

/// A file that was taken in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// Its path, as it is shown and as its own includes are relative to.
    pub file: String,
    /// What stands in it.
    pub text: String,
}

/// Finds what an include means; the second is the file that it stands in, `None` for the one that was given. An error is a
/// clause.
pub type Fetch<'a> = dyn FnMut(&Include, Option<&str>) -> Result<Vec<Included>, String> + 'a;

/// The settings of a file and of those that it takes in, in the order in which the database reads them; of one that is set
/// twice it takes the last.
///
/// # Errors
/// [`Unreadable`] with file and line, where the database would refuse one of them or where one cannot be had.
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
                        why: format!("cannot take in {}: {why}", include.path()),
                    };
                    if depth == DEPTH_MAX {
                        return Err(unreadable(format!(
                            "files take in each other more than {DEPTH_MAX} deep"
                        )));
                    }
                    for found in (self.fetch)(&include, file).map_err(unreadable)? {
                        self.files += 1;
                        if self.files > FILES_MAX {
                            return Err(unreadable(format!("more than {FILES_MAX} files are taken in")));
                        }
                        self.file(Some(&found.file), &found.text, depth + 1)?;
                    }
                }
            }
        }
        Ok(())
    }
}
