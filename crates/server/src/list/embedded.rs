//! Embedded engines as servers: a process of Syncline's own opens the engine and answers on a socket, so that they can
//! be killed and lose power as servers do.
//!
//! A request is 16 bytes, and so is the answer to each: what to do, the row's version, and its key, little-endian.

use crate::{Client, Home, Programs, Promise, Row, Server, ServerError, TEXT_BYTES, Write};
use ::engine::{AnyEngine, DurabilityLevel, Engine, EngineError, EngineKind, Knob, Options};
use std::io::{self, BufReader, BufWriter, Read, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use std::{env, thread};

/// The setting by which a promise names the engine's durability level.
const DURABILITY: &str = "durability";
const PUT: u32 = 1;
const SCAN: u32 = 2;
const DONE: u32 = 3;
const FAILED: u32 = 4;
/// An engine that hangs does not hold up a connection for longer.
const ANSWER_LIMIT: Duration = Duration::from_mins(1);
const MESSAGE_BYTES: usize = 16;
/// So small that a second of writes meets flushes and compactions.
const WRITE_BUFFER_BYTES: u64 = 1 << 20;
/// Entries of one scan.
const SCAN_ENTRIES: usize = 1000;

/// An engine that Syncline is built with.
pub(super) struct Embedded(pub(super) EngineKind);

impl Server for Embedded {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn title(&self) -> &'static str {
        match self.0 {
            EngineKind::Sqlite => "SQLite",
            EngineKind::RocksDb => "RocksDB",
            EngineKind::Lmdb => "LMDB",
            EngineKind::Store => "Syncline's store",
            other => other.name(),
        }
    }

    fn promises(&self) -> Vec<Promise> {
        let levels = self.0.levels().unwrap_or_default();
        let promise = |level: &&'static DurabilityLevel| {
            let promise = Promise::new(level.class, "docs/engines.md", &[(DURABILITY, level.name)]);
            // SQLite alone states it: https://www.sqlite.org/pragma.html#pragma_synchronous
            let recovers = self.0 == EngineKind::Sqlite && level.name == "normal";
            if recovers { promise.recovering() } else { promise }
        };
        let mut promises: Vec<Promise> = levels.iter().map(promise).collect();
        // An engine's levels are sorted from the weakest.
        promises.reverse();
        promises
    }

    fn version(&self, _: &Programs) -> String {
        "in Syncline".to_owned()
    }

    fn is_ours(&self) -> bool {
        true
    }

    fn find(&self, _: Option<&Path>) -> Result<Programs, ServerError> {
        self.0.levels().map_err(|why| ServerError::Unsupported(why.to_string()))?;
        let program = env::current_exe().map_err(ServerError::on("find", Path::new("this program")))?;
        Ok(Programs::at(program, "/".into()))
    }

    fn command(&self, programs: &Programs, home: &Home, settings: &[(&str, &str)]) -> Command {
        let mut command = programs.command();
        command.args(["engine-server", self.name()]).arg(home.data().join("store")).arg(home.socket());
        command.args(settings.iter().map(|(_, value)| value));
        command
    }

    fn connect(&self, home: &Home) -> Result<Box<dyn Client>, ServerError> {
        let path = home.socket();
        let on = ServerError::on("connect to", &path);
        let stream = UnixStream::connect(&path).map_err(on)?;
        stream.set_read_timeout(Some(ANSWER_LIMIT)).map_err(ServerError::on("set a timeout of", &path))?;
        let read = stream.try_clone().map_err(ServerError::on("connect to", &path))?;
        Ok(Box::new(EmbeddedClient { title: self.title(), requests: stream, answers: BufReader::new(read) }))
    }

    fn is_complaint(&self, line: &str) -> bool {
        !line.trim().is_empty()
    }
}

struct EmbeddedClient {
    title: &'static str,
    requests: UnixStream,
    answers: BufReader<UnixStream>,
}

fn message(what: u32, write: Write) -> [u8; MESSAGE_BYTES] {
    let mut message = [0; MESSAGE_BYTES];
    message[..4].copy_from_slice(&what.to_le_bytes());
    message[4..8].copy_from_slice(&write.version.to_le_bytes());
    message[8..].copy_from_slice(&write.row.key().to_le_bytes());
    message
}

fn read_message(from: &mut impl Read) -> io::Result<(u32, Write)> {
    let mut what = [0; size_of::<u32>()];
    let mut version = [0; size_of::<u32>()];
    let mut key = [0; size_of::<u64>()];
    from.read_exact(&mut what)?;
    from.read_exact(&mut version)?;
    from.read_exact(&mut key)?;
    let write = Write { row: Row::of_key(u64::from_le_bytes(key)), version: u32::from_le_bytes(version) };
    Ok((u32::from_le_bytes(what), write))
}

impl EmbeddedClient {
    fn answer(&mut self) -> Result<Option<Row>, ServerError> {
        let refused = |why: &str| ServerError::Refused { server: self.title, why: why.to_owned() };
        match read_message(&mut self.answers).map_err(ServerError::refused(self.title))? {
            (DONE, _) => Ok(None),
            (PUT, write) => Ok(Some(write.row)),
            (_, _) => Err(refused("the engine refused; its log says why")),
        }
    }
}

impl Client for EmbeddedClient {
    fn prepare(&mut self) -> Result<(), ServerError> {
        Ok(())
    }

    fn write(&mut self, writes: &[Write]) -> Result<(), ServerError> {
        for write in writes {
            self.requests.write_all(&message(PUT, *write)).map_err(ServerError::refused(self.title))?;
            self.answer()?;
        }
        Ok(())
    }

    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError> {
        let all = Row::of_key(0).first();
        self.requests.write_all(&message(SCAN, all)).map_err(ServerError::refused(self.title))?;
        while let Some(row) = self.answer()? {
            let mut text = [0; TEXT_BYTES];
            self.answers.read_exact(&mut text).map_err(ServerError::refused(self.title))?;
            visit(row, &text);
        }
        Ok(())
    }
}

/// Opens an engine and answers on a socket until it is killed or asked to end.
///
/// # Errors
/// The engine cannot be opened.
pub fn serve(kind: EngineKind, store: &Path, socket: &Path, level: &str) -> Result<(), ServerError> {
    let refused = ServerError::refused::<EngineError>(kind.name());
    let mut options = Options::new(store).durability(level);
    if kind.has(Knob::WriteBufferBytes).map_err(&refused)? {
        options.write_buffer_bytes = Some(WRITE_BUFFER_BYTES);
    }
    let engine = Arc::new(kind.open(&options).map_err(refused)?);
    let listener = UnixListener::bind(socket).map_err(ServerError::on("listen on", socket))?;
    for stream in listener.incoming().flatten() {
        let engine = Arc::clone(&engine);
        thread::spawn(move || {
            // A client that goes away ends its thread.
            let _ = answer(&engine, &stream);
        });
    }
    Ok(())
}

fn answer(engine: &AnyEngine, stream: &UnixStream) -> io::Result<()> {
    let mut requests = BufReader::new(stream);
    let mut answers = BufWriter::new(stream);
    loop {
        let (what, write) = read_message(&mut requests)?;
        let done = match what {
            PUT => engine.put(&write.row.key().to_be_bytes(), write.text().as_bytes()),
            SCAN => scan(engine, &mut answers)?,
            _ => return Ok(()),
        };
        if let Err(why) = &done {
            writeln!(io::stderr(), "{why}")?;
        }
        answers.write_all(&message(if done.is_ok() { DONE } else { FAILED }, write))?;
        answers.flush()?;
    }
}

/// Every entry, in the order of the keys.
fn scan(engine: &AnyEngine, answers: &mut impl io::Write) -> io::Result<Result<(), EngineError>> {
    let mut begin = 0_u64;
    loop {
        let mut written = Ok(());
        let mut last = None;
        let found = engine.scan(&begin.to_be_bytes(), SCAN_ENTRIES, |key, value| {
            let key = u64::from_be_bytes(key.try_into().unwrap_or([u8::MAX; 8]));
            last = Some(key);
            let mut text = [0; TEXT_BYTES];
            if value.len() == TEXT_BYTES {
                text.copy_from_slice(value);
            }
            let entry = answers.write_all(&message(PUT, Row::of_key(key).first()));
            if let Err(error) = entry.and_then(|()| answers.write_all(&text)) {
                written = Err(error);
            }
        });
        written?;
        match (found, last) {
            (Err(why), _) => return Ok(Err(why)),
            (Ok(found), Some(last)) if found == SCAN_ENTRIES => begin = last + 1,
            (Ok(_), _) => return Ok(Ok(())),
        }
    }
}
