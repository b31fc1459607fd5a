//! A cluster with pgbench's tables, loaded once for a run, and the copies on which servers are started.
//!
//! The arms of a study have the same files to begin with, to the byte: each gets a copy (a reflink if the file system
//! has them). A copy whose server only read, and ended in good order, serves again.

use crate::error::{PostgresqlError, told};
use crate::installation::Installation;
use crate::killed::await_end_of_killed_server;
use crate::programs::Programs;
use crate::server::{Server, ServerFiles};
use disk::tree::{Blocks, copy_tree, own, remove_file, remove_tree};
use model::table_scan::{HASH_INDEX, TABLE};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// What a loaded cluster holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contents {
    /// pgbench's scale: 100 000 accounts for each unit.
    pub scale: u32,
    /// Whether accounts are indexed by the hash of their number too, an order in which they do not lie in the table.
    pub has_hash_index: bool,
    /// Megabytes of a segment of the write-ahead log.
    pub wal_segment_mib: u32,
}

/// A cluster that is loaded, and never started on.
#[derive(Debug)]
pub struct Loaded {
    root: PathBuf,
    /// Says all that distinguishes it.
    name: String,
    contents: Contents,
    programs: Programs,
}

/// Options of the server that loads: nothing it does is measured, and all of it is synced when it has been copied.
const LOADING: &[(&str, &str)] = &[
    ("fsync", "off"),
    ("full_page_writes", "off"),
    ("autovacuum", "off"),
    ("wal_level", "minimal"),
    ("max_wal_senders", "0"),
    // Segments that are not needed any more go, so that no copy has to carry them.
    ("wal_recycle", "off"),
    ("max_wal_size", "4GB"),
    ("checkpoint_timeout", "1d"),
    ("maintenance_work_mem", "128MB"),
];

/// Databases of which new ones are made. No client of a trial connects to them, and two thirds of the files that each
/// copy would have are theirs.
const WITHOUT_TEMPLATES: [&str; 4] = [
    "ALTER DATABASE template0 IS_TEMPLATE false",
    "DROP DATABASE template0",
    "ALTER DATABASE template1 IS_TEMPLATE false",
    "DROP DATABASE template1",
];

impl Loaded {
    /// Makes and loads the cluster below a directory, unless it is there.
    pub fn prepare(
        parent: &Path,
        installation: &Installation,
        contents: Contents,
    ) -> Result<Self, PostgresqlError> {
        let root = root(parent);
        let programs = Programs::prepare(&root, installation)?;
        let loaded = Self { name: name(installation, contents), root, contents, programs };
        if !loaded.data().exists() {
            loaded.load()?;
        }
        Ok(loaded)
    }

    /// Finds what [`Loaded::prepare`] made.
    pub fn find(
        parent: &Path,
        installation: &Installation,
        contents: Contents,
    ) -> Result<Self, PostgresqlError> {
        let root = root(parent);
        let programs = Programs::find(&root, installation)?;
        Ok(Self { name: name(installation, contents), root, contents, programs })
    }

    fn data(&self) -> PathBuf {
        self.root.join(&self.name)
    }

    fn load(&self) -> Result<(), PostgresqlError> {
        // Complete or not there at all: the name is given last.
        let part = self.root.join(format!("{}.part", self.name));
        await_end_of_killed_server(&part)?;
        let segment = format!("--wal-segsize={}", self.contents.wal_segment_mib);
        self.programs.initialise(&part, &[&segment])?;
        let files = ServerFiles {
            data: part.clone(),
            log: self.root.join("loading.log"),
            given_back: self.root.join("loading.given-back"),
            mark: String::new(),
        };
        let options: Vec<(&str, String)> =
            LOADING.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let server = self.programs.start(files, &options, Vec::new())?;
        let cannot = |error: &postgres::Error| PostgresqlError::Statement {
            doing: "load pgbench's tables".to_owned(),
            why: told(error),
        };
        let mut client = server.connect().map_err(|error| cannot(&error))?;
        let templates = WITHOUT_TEMPLATES.map(str::to_owned);
        for statement in templates.into_iter().chain(statements(self.contents)) {
            client.batch_execute(&statement).map_err(|error| cannot(&error))?;
        }
        drop(client);
        server.shut_down()?;
        self.programs.take_over(&part)?;
        let data = self.data();
        fs::rename(&part, &data).map_err(PostgresqlError::on("rename to", &data))
    }

    /// Makes a copy in a directory, in the place of the one that is there, unless that one was given back.
    pub fn copy_to(&self, place: &Path, blocks: Blocks) -> Result<(), PostgresqlError> {
        let files = self.files(place);
        let home = place.join(HOME);
        fs::create_dir_all(&home).map_err(PostgresqlError::on("make", &home))?;
        await_end_of_killed_server(&files.data)?;
        if fs::read_to_string(&files.given_back).is_ok_and(|mark| mark == files.mark) {
            return Ok(());
        }
        remove_file(&files.given_back)?;
        remove_tree(&files.data)?;
        Ok(copy_tree(&self.data(), &files.data, self.programs.account(), blocks)?)
    }

    /// Starts a server on the copy in a directory. It ends with the calling thread, and its processes are in the groups
    /// whose `cgroup.procs` are given.
    pub fn start(
        &self,
        place: &Path,
        options: &[(&str, String)],
        entrances: Vec<File>,
    ) -> Result<Server, PostgresqlError> {
        let files = self.files(place);
        // From here on it is as the trial leaves it.
        remove_file(&files.given_back)?;
        self.programs.start(files, options, entrances)
    }

    /// Gives a file or directory that was made in a copy to the user that its server runs as.
    pub fn give_to_server(&self, path: &Path) -> Result<(), PostgresqlError> {
        Ok(own(path, self.programs.account())?)
    }

    fn files(&self, place: &Path) -> ServerFiles {
        let home = place.join(HOME);
        ServerFiles {
            data: home.join("data"),
            log: home.join("server.log"),
            given_back: home.join("given-back"),
            mark: self.name.clone(),
        }
    }
}

/// The directory of a copy and what belongs to it.
const HOME: &str = "postgresql";

fn root(parent: &Path) -> PathBuf {
    parent.join("postgresql-loaded")
}

/// Two builds of one version may have files of different forms.
fn name(installation: &Installation, contents: Contents) -> String {
    let Contents { scale, has_hash_index, wal_segment_mib } = contents;
    let programs = Sha256::digest(installation.programs().as_os_str().as_encoded_bytes());
    let [a, b, c, d, ..] = <[u8; 32]>::from(programs);
    let hashed = if has_hash_index { "-hashed" } else { "" };
    let version = installation.version();
    format!("{version}-{a:02x}{b:02x}{c:02x}{d:02x}-{scale}-wal{wal_segment_mib}{hashed}")
}

/// pgbench's tables (its source, `initCreateTables` and after), filled by the server as `pgbench -I dtGvp` does.
pub(crate) fn statements(contents: Contents) -> Vec<String> {
    let scale = contents.scale;
    let mut statements = vec![
        format!(
            "CREATE TABLE pgbench_history(tid int, bid int, aid int, delta int, mtime timestamp, filler char(22)); \
             CREATE TABLE pgbench_tellers(tid int not null, bid int, tbalance int, filler char(84)); \
             CREATE TABLE pgbench_accounts(aid int not null, bid int, abalance int, filler char(84)); \
             CREATE TABLE pgbench_branches(bid int not null, bbalance int, filler char(88)); \
             INSERT INTO pgbench_branches(bid, bbalance) SELECT bid, 0 FROM generate_series(1, {scale}) AS bid; \
             INSERT INTO pgbench_tellers(tid, bid, tbalance) \
             SELECT tid, (tid - 1) / 10 + 1, 0 FROM generate_series(1, {scale} * 10) AS tid; \
             INSERT INTO pgbench_accounts(aid, bid, abalance, filler) \
             SELECT aid, (aid - 1) / 100000 + 1, 0, '' FROM generate_series(1, {scale} * 100000) AS aid; \
             ALTER TABLE pgbench_branches ADD PRIMARY KEY (bid); \
             ALTER TABLE pgbench_tellers ADD PRIMARY KEY (tid); \
             ALTER TABLE pgbench_accounts ADD PRIMARY KEY (aid)"
        ),
        // A row that is not frozen is changed by its first reader, which logs the page if it has a checksum. pgbench
        // freezes too.
        "VACUUM (FREEZE, ANALYZE)".to_owned(),
    ];
    if contents.has_hash_index {
        statements.insert(1, format!("CREATE INDEX {HASH_INDEX} ON {TABLE} (hashint4(aid))"));
    }
    statements
}
