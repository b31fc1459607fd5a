//! etcd: a row is a key, put over the gateway that translates JSON for its gRPC service.
//!
//! Its gRPC client for Rust needs a compiler of protocol buffers on the machine that builds Syncline, so rows go
//! through the gateway (etcd.io/docs/v3.5/dev-guide/api_grpc_gateway): the acknowledgement is the same, and comes later
//! by the translation.

use super::ROWS_OF_A_TRANSACTION;
use crate::{Client, Home, Programs, Promise, Row, Server, ServerError, Write};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::DurabilityClass;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use ureq::Agent;

const TITLE: &str = "etcd";
const SOURCE: &str = "https://etcd.io/docs/v3.5/op-guide/configuration/";
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// Keys of one answer.
const PAGE: u64 = 5000;

pub(super) struct Etcd;

impl Server for Etcd {
    fn name(&self) -> &'static str {
        "etcd"
    }

    fn title(&self) -> &'static str {
        TITLE
    }

    fn promises(&self) -> Vec<Promise> {
        vec![
            Promise::new(DurabilityClass::Power, SOURCE, &[("unsafe-no-fsync", "false")]).by_default(),
            // "Disables fsync, unsafe, will cause data loss."
            Promise::new(DurabilityClass::None, SOURCE, &[("unsafe-no-fsync", "true")]),
        ]
    }

    /// Its own limit is `max-txn-ops`, 128 by default.
    fn rows_at_once(&self) -> usize {
        ROWS_OF_A_TRANSACTION
    }

    fn find(&self, trees: Option<&Path>) -> Result<Programs, ServerError> {
        Programs::find(&["etcd"], "etcd-server", trees)
    }

    fn command(&self, programs: &Programs, home: &Home, settings: &[(&str, &str)]) -> Command {
        let mut command = programs.command();
        let address = format!("http://127.0.0.1:{}", home.port());
        // A cluster of one has peers only by name.
        let peers = format!("unix://{}", home.socket().display());
        command.args(["--name", "syncline", "--log-level", "warn", "--logger", "zap"]);
        command.arg("--data-dir").arg(home.data());
        command.args(["--listen-client-urls", &address, "--advertise-client-urls", &address]);
        command.args([
            "--listen-peer-urls",
            &peers,
            "--initial-advertise-peer-urls",
            "http://localhost:2380",
        ]);
        command.args(["--initial-cluster", "syncline=http://localhost:2380"]);
        for (name, value) in settings {
            command.arg(format!("--{name}={value}"));
        }
        command
    }

    fn connect(&self, home: &Home) -> Result<Box<dyn Client>, ServerError> {
        let agent =
            Agent::config_builder().timeout_global(Some(ANSWER_LIMIT)).proxy(None).build().new_agent();
        let client = EtcdClient { agent, address: format!("http://127.0.0.1:{}/v3", home.port()) };
        // An answer of the state that a majority has agreed on: it has a leader.
        client.ask("kv/range", &json!({ "key": STANDARD.encode("0") }))?;
        Ok(Box::new(client))
    }

    fn is_complaint(&self, line: &str) -> bool {
        ["error", "panic", "fatal"].iter().any(|level| line.contains(&format!("\"level\":\"{level}\"")))
    }
}

struct EtcdClient {
    agent: Agent,
    address: String,
}

impl EtcdClient {
    fn ask(&self, what: &str, request: &Value) -> Result<Value, ServerError> {
        let refused = ServerError::refused::<ureq::Error>(TITLE);
        let answer = self.agent.post(format!("{}/{what}", self.address)).send(request.to_string());
        let text = answer.and_then(|answer| answer.into_body().read_to_string()).map_err(refused)?;
        serde_json::from_str(&text).map_err(ServerError::refused(TITLE))
    }
}

/// Twenty digits: in the order of the numbers.
fn key(number: u64) -> String {
    STANDARD.encode(format!("{number:020}"))
}

fn decoded(value: &Value) -> Vec<u8> {
    value.as_str().and_then(|text| STANDARD.decode(text).ok()).unwrap_or_default()
}

impl Client for EtcdClient {
    fn prepare(&mut self) -> Result<(), ServerError> {
        Ok(())
    }

    fn write(&mut self, writes: &[Write]) -> Result<(), ServerError> {
        let put = |of: &Write| json!({ "key": key(of.row.key()), "value": STANDARD.encode(of.text()) });
        if let [one] = writes {
            return self.ask("kv/put", &put(one)).map(drop);
        }
        let puts: Vec<Value> = writes.iter().map(|of| json!({ "request_put": put(of) })).collect();
        self.ask("kv/txn", &json!({ "success": puts })).map(drop)
    }

    /// Writes its file anew.
    fn checkpoint(&mut self) -> Result<(), ServerError> {
        self.ask("maintenance/defragment", &json!({})).map(drop)
    }

    fn rows(&mut self, visit: &mut dyn FnMut(Row, &[u8])) -> Result<(), ServerError> {
        let mut begin = 0;
        loop {
            let range = json!({ "key": key(begin), "range_end": key(u64::MAX), "limit": PAGE });
            let answer = self.ask("kv/range", &range)?;
            let found = answer["kvs"].as_array().map(Vec::as_slice).unwrap_or_default();
            for entry in found {
                let number =
                    String::from_utf8(decoded(&entry["key"])).ok().and_then(|text| text.parse().ok());
                let Some(number) = number else {
                    let why = "it has a key that nobody put".to_owned();
                    return Err(ServerError::Refused { server: TITLE, why });
                };
                visit(Row::of_key(number), &decoded(&entry["value"]));
                begin = number + 1;
            }
            if answer["more"] != true {
                return Ok(());
            }
        }
    }
}
