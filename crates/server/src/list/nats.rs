//! NATS JetStream: a row is a message of a stream in files, acknowledged before or after a flush as `sync_interval`
//! says.
//!
//! Its client for Rust is asynchronous. Each connection has a runtime of its own, which works only while the connection
//! waits for an answer: a client is one task in a closed loop, as those of the other servers are.

use crate::home::write_readable;
use crate::{Client, Home, Programs, Promise, Row, Server, ServerError, Write};
use async_nats::ConnectOptions;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::context::{GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::{Context, ContextBuilder, ErrorCode, stream};
use futures_util::StreamExt;
use model::DurabilityClass;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

const TITLE: &str = "NATS JetStream";
/// Below "Syncing data to disk".
const SOURCE: &str =
    "https://docs.nats.io/nats-concepts/jetstream#persistent-and-consistent-distributed-storage";
const STREAM: &str = "rows";
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// Messages of one fetch.
const PAGE: usize = 1000;
/// Digits of a row's number before its text.
const NUMBER_DIGITS: usize = 20;

pub(super) struct Nats;

impl Server for Nats {
    fn name(&self) -> &'static str {
        "nats"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn promises(&self) -> Vec<Promise> {
        // "JetStream does flush file writes to the OS synchronously", so that a killed server loses nothing; "after an
        // OS failure recovery, a server may have lost recently acknowledged messages", and no others.
        let later = |interval| {
            Promise::new(DurabilityClass::Process, SOURCE, &[("sync_interval", interval)]).recovering()
        };
        vec![
            Promise::new(DurabilityClass::Power, SOURCE, &[("sync_interval", "always")]),
            later("1s"),
            later("2m").by_default(),
        ]
    }

    fn find(&self, trees: Option<&Path>) -> Result<Programs, ServerError> {
        Programs::find(&["nats-server"], "nats-server", trees)
    }

    /// No option of the command line has the settings of JetStream.
    fn configure(&self, home: &Home, settings: &[(&str, &str)]) -> Result<(), ServerError> {
        let mut text = format!("listen: \"127.0.0.1:{}\"\njetstream {{\n", home.port());
        let data = home.data().display().to_string();
        let store = [("store_dir", data.as_str())];
        for (name, value) in store.iter().chain(settings) {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {name}: \"{value}\"");
        }
        text.push_str("}\n");
        write_readable(&configuration(home), &text)
    }

    fn command(&self, programs: &Programs, home: &Home, _settings: &[(&str, &str)]) -> Command {
        let mut command = programs.command();
        command.arg("--config").arg(configuration(home));
        command
    }

    fn connect(&self, home: &Home) -> Result<Box<dyn Client>, ServerError> {
        let runtime = Builder::new_current_thread().enable_io().enable_time().build().map_err(refused)?;
        // One try after a connection ends, which a killed server refuses at once: a writer is not connected to the
        // server that starts in its place.
        let options = ConnectOptions::new().connection_timeout(ANSWER_LIMIT).max_reconnects(1);
        let address = format!("nats://127.0.0.1:{}", home.port());
        let context = runtime.block_on(async {
            let client = options.connect(address).await.map_err(refused)?;
            let context = ContextBuilder::new().timeout(ANSWER_LIMIT).build(client);
            // A server without JetStream does not answer this.
            context.query_account().await.map_err(refused)?;
            Ok::<_, ServerError>(context)
        })?;
        Ok(Box::new(NatsClient { context, runtime }))
    }

    /// `[1234] 2026/11/27 12:00:00.000000 [ERR] …`: also `[FTL]`, after which it ends.
    fn is_complaint(&self, line: &str) -> bool {
        line.contains(" [ERR] ") || line.contains(" [FTL] ")
    }
}

fn configuration(home: &Home) -> PathBuf {
    home.around().join("nats.conf")
}

fn refused<E: Error>(error: E) -> ServerError {
    ServerError::refused(TITLE)(error)
}

struct NatsClient {
    context: Context,
    runtime: Runtime,
}

/// The row of a message, and its text.
fn parsed(payload: &[u8]) -> Option<(Row, &[u8])> {
    let (number, text) = payload.split_at_checked(NUMBER_DIGITS)?;
    Some((Row::of_key(str::from_utf8(number).ok()?.parse().ok()?), text))
}

impl Client for NatsClient {
    fn prepare(&mut self) -> Result<(), ServerError> {
        let stream = stream::Config {
            name: STREAM.to_owned(),
            subjects: vec![STREAM.to_owned()],
            storage: stream::StorageType::File,
            ..stream::Config::default()
        };
        self.runtime.block_on(self.context.get_or_create_stream(stream)).map(drop).map_err(refused)
    }

    fn write(&mut self, writes: &[Write]) -> Result<(), ServerError> {
        self.runtime.block_on(async {
            for write in writes {
                let payload = format!("{:0NUMBER_DIGITS$}{}", write.row.key(), write.text());
                let acknowledgement = self.context.publish(STREAM, payload.into()).await.map_err(refused)?;
                acknowledgement.await.map_err(refused)?;
            }
            Ok(())
        })
    }

    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError> {
        self.runtime.block_on(rows(&self.context, visit))
    }
}

/// The last message of each row, by a consumer that leaves nothing on the disk.
async fn rows(context: &Context, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError> {
    let is_missing = |error: &GetStreamError| {
        let GetStreamErrorKind::JetStream(answer) = error.kind() else { return false };
        answer.error_code() == ErrorCode::STREAM_NOT_FOUND
    };
    let stream = context.get_stream(STREAM).await;
    let stream = stream.map_err(ServerError::refused_or_no_table(TITLE, is_missing))?;
    let all = pull::Config { ack_policy: AckPolicy::None, memory_storage: true, ..pull::Config::default() };
    let consumer = stream.create_consumer(all).await.map_err(refused)?;
    let wrong = |why: String| ServerError::Refused { server: TITLE, why };
    let mut found = BTreeMap::new();
    let mut left = consumer.cached_info().num_pending;
    while left > 0 {
        let before = left;
        let mut page = consumer.fetch().max_messages(PAGE).messages().await.map_err(refused)?;
        while let Some(message) = page.next().await {
            let message = message.map_err(|why| wrong(why.to_string()))?;
            let Some((row, text)) = parsed(&message.payload) else {
                return Err(wrong("it has a message that nobody published".to_owned()));
            };
            found.insert(row, text.to_vec());
            left = message.info().map_err(|why| wrong(why.to_string()))?.pending;
        }
        if left == before {
            return Err(wrong(format!("it does not hand over {left} messages")));
        }
    }
    for (row, text) in &found {
        visit(*row, text);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_its_row_and_its_text() {
        let row = Row { writer: 3, sequence: 70_000 };
        let message = format!("{:0NUMBER_DIGITS$}{}", row.key(), row.first().text());
        assert_eq!(parsed(message.as_bytes()), Some((row, row.first().text().as_bytes())));
        assert_eq!(parsed(b"12"), None);
        assert_eq!(parsed("é".repeat(10).as_bytes()), None);
    }
}
