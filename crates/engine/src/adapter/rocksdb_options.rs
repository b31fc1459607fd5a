//! RocksDB's own settings by name: an OPTIONS file is written and loaded, as a user's would be, and what RocksDB took
//! of it is read back from the file that it writes beside the data.
//!
//! An option is of the database, of its column family or of its table format. Which one is not listed here: RocksDB
//! refuses an option in a section that does not have it.

use crate::EngineError;
use ::rocksdb::{Cache, ColumnFamilyDescriptor, Env, Options};
use model::{Settings, units};
use std::fs;
use std::path::{Path, PathBuf};

const ENGINE: &str = "rocksdb";
/// What the durability level decides, and what would put files outside the store's directory.
const DECIDED: &[&str] = &["manual_wal_flush", "create_if_missing", "wal_dir", "db_log_dir"];

/// The sections of an OPTIONS file that have settings, in its order.
const SECTIONS: [&str; 3] =
    ["[DBOptions]", "[CFOptions \"default\"]", "[TableOptions/BlockBasedTable \"default\"]"];
const VERSION: &str = "[Version]\n  rocksdb_version=10.4.2\n  options_file_version=1.1\n";
/// The newest file of this name is the one that RocksDB loads, and the newest one that it wrote is what it took.
const FILE: &str = "OPTIONS-";

/// Lines of an OPTIONS file, by section.
pub(super) type Lines = [Vec<(String, String)>; SECTIONS.len()];

/// What RocksDB makes of these lines and settings. The settings take the place of lines of the same name, but not of
/// those that the options have chosen.
pub(super) fn load(
    mut lines: Lines,
    chosen: &[&str],
    settings: &Settings,
    data: &Path,
    cache: &Cache,
) -> Result<(Options, Vec<ColumnFamilyDescriptor>), EngineError> {
    let given = Given::new(data)?;
    for (name, value) in settings.iter() {
        if DECIDED.contains(&name) || chosen.contains(&name) {
            return Err(refused(
                name,
                value,
                "another parameter of the study decides it, or the store's directory",
            ));
        }
        let section = given.section_of(name, value, cache)?;
        lines[section].retain(|(other, _)| other != name);
        lines[section].push((name.to_owned(), value.to_owned()));
    }
    given.load(&lines, cache)?.map_err(EngineError::failed(ENGINE, "load its options"))
}

/// Checks that RocksDB, which is open on `data`, has these settings.
pub(super) fn verify(settings: &Settings, data: &Path) -> Result<(), EngineError> {
    if settings.is_empty() {
        return Ok(());
    }
    let failed = EngineError::failed(ENGINE, "read its options");
    let files = fs::read_dir(data).map_err(&failed)?.filter_map(|entry| Some(entry.ok()?.path()));
    let is_options =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(FILE));
    let newest = files.filter(is_options).max().unwrap_or_default();
    let taken = fs::read_to_string(newest).map_err(&failed)?;
    for (name, value) in settings.iter() {
        let found = taken.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='));
        match found {
            Some(found) if is_same(found, value) => {}
            Some(found) => return Err(refused(name, value, &format!("RocksDB has {found}"))),
            None => return Err(refused(name, value, "RocksDB does not write it into its OPTIONS file")),
        }
    }
    Ok(())
}

/// Whether two texts of a value mean the same: sizes may have a unit (`4k`).
fn is_same(found: &str, wanted: &str) -> bool {
    let bytes = |text: &str| text.parse().ok().or_else(|| units::parse_bytes(text));
    let number = |text: &str| text.parse::<f64>().ok();
    found.eq_ignore_ascii_case(wanted)
        || bytes(found).is_some_and(|found: u64| bytes(wanted) == Some(found))
        || number(found).zip(number(wanted)).is_some_and(|(found, wanted)| found.total_cmp(&wanted).is_eq())
}

fn refused(setting: &str, value: &str, why: &str) -> EngineError {
    EngineError::NativeLevel {
        engine: ENGINE,
        setting: setting.to_owned(),
        value: value.to_owned(),
        why: why.to_owned(),
    }
}

/// The directory of an OPTIONS file that is there for as long as this value.
struct Given {
    directory: PathBuf,
}

impl Given {
    fn new(data: &Path) -> Result<Self, EngineError> {
        let directory = data.with_file_name("options");
        fs::create_dir_all(&directory).map_err(EngineError::failed(ENGINE, "write its options"))?;
        Ok(Self { directory })
    }

    /// The section in which RocksDB takes a setting.
    fn section_of(&self, name: &str, value: &str, cache: &Cache) -> Result<usize, EngineError> {
        let mut reasons = Vec::new();
        for section in 0..SECTIONS.len() {
            let mut lines = Lines::default();
            lines[section].push((name.to_owned(), value.to_owned()));
            match self.load(&lines, cache)? {
                Ok(_) => return Ok(section),
                Err(error) => reasons.push(error.to_string()),
            }
        }
        // Two sections do not have it. What the third says differs from what they say, if it has it and not with this
        // value.
        let odd = reasons.iter().find(|reason| reasons.iter().filter(|other| other == reason).count() == 1);
        Err(refused(name, value, odd.or(reasons.first()).map_or("refused", String::as_str)))
    }

    #[allow(clippy::type_complexity, reason = "what the crate gives")]
    fn load(
        &self,
        lines: &Lines,
        cache: &Cache,
    ) -> Result<Result<(Options, Vec<ColumnFamilyDescriptor>), ::rocksdb::Error>, EngineError> {
        let mut text = VERSION.to_owned();
        for (section, lines) in SECTIONS.iter().zip(lines) {
            text.push_str(section);
            text.push('\n');
            for (name, value) in lines {
                text.extend(["  ", name, "=", value, "\n"]);
            }
        }
        let path = self.directory.join(format!("{FILE}000001"));
        fs::write(path, text).map_err(EngineError::failed(ENGINE, "write its options"))?;
        let env = Env::new().map_err(EngineError::failed(ENGINE, "load its options"))?;
        Ok(Options::load_latest(&self.directory, env, false, cache.clone()))
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}
