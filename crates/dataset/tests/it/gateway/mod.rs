//! A real S3 server over a temporary directory, and a proxy in front of it that injects the faults which a test
//! requests.

#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a test or a bench that cannot go on has failed")]

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::{NamedTempFile, TempDir};

pub(crate) const ACCESS_KEY: &str = "syncline-test";
/// Long enough to be distinguished from anything else that a run writes.
pub(crate) const SECRET: &str = "a-secret-that-must-never-be-written-anywhere";
pub(crate) const BUCKET: &str = "data";
/// Longer than a gateway takes to start and a client to send a request's head on a busy machine.
const PATIENCE: Duration = Duration::from_mins(5);

/// versitygw on a port of its own, stopped when it is dropped.
pub(crate) struct Gateway {
    server: Child,
    /// Several gateways may have one.
    directory: Arc<TempDir>,
    address: String,
    /// A line for each request.
    log: NamedTempFile,
}

impl Gateway {
    /// `None`, with the reason printed, if versitygw is not installed.
    pub(crate) fn start() -> Option<Self> {
        let Some(program) = program() else {
            skip::because("versitygw is not installed (scripts/install-versitygw)");
            return None;
        };
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        std::fs::create_dir(directory.path().join(BUCKET)).unwrap();
        Some(Self::over(Arc::new(directory), &program))
    }

    /// Another gateway to the same objects.
    pub(crate) fn beside(&self) -> Self {
        Self::over(Arc::clone(&self.directory), &program().unwrap())
    }

    fn over(directory: Arc<TempDir>, program: &Path) -> Self {
        let log = NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        // Between this and the server's own bind somebody may take the port: then the next one is tried.
        for _ in 0..5 {
            let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
            let mut server = Command::new(program)
                .args(["--access", ACCESS_KEY, "--secret", SECRET, "--port", &address, "--quiet"])
                .arg("--access-log")
                .args([log.path(), Path::new("posix"), directory.path()])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            if answers(&address, &mut server) {
                return Self { server, directory, address, log };
            }
            let _ = server.kill();
            let _ = server.wait();
        }
        panic!("{} does not start", program.display());
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Requests so far that have all of this in their line of the log.
    pub(crate) fn requests(&self, parts: &[&str]) -> usize {
        let log = std::fs::read_to_string(self.log.path()).unwrap();
        log.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count()
    }

    /// Where the server keeps the bucket's objects, as files.
    pub(crate) fn bucket(&self) -> PathBuf {
        self.directory.path().join(BUCKET)
    }

    /// The environment of a client.
    pub(crate) fn environment(address: &str) -> [(&'static str, String); 4] {
        [
            ("AWS_ENDPOINT_URL", format!("http://{address}")),
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY.to_owned()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ]
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn program() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache")))?;
    let installed = std::fs::read_dir(cache.join("syncline")).ok()?.flatten().map(|entry| entry.path());
    let mut programs = installed
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("versitygw-")))
        .map(|path| path.join("versitygw"));
    programs.find(|program| program.is_file())
}

fn answers(address: &str, server: &mut Child) -> bool {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if TcpStream::connect(address).is_ok() {
            return true;
        }
        if server.try_wait().unwrap().is_some() {
            return false;
        }
        thread::sleep(Duration::from_millis(20));
    }
    false
}

/// What happens to a GET of an object in place of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The connection is reset.
    Reset,
    /// The store says that it is overloaded.
    SlowDown,
    /// The answer comes after this number of milliseconds.
    SlowFirstByte(u64),
    /// The connection ends in the middle of the body.
    Truncated,
    /// The store finds the request's date too far from its own.
    Skewed,
}

/// Passes requests on, one a connection, but for the faults that it was given: each befalls one GET of an object.
pub(crate) struct Proxy {
    address: String,
    /// Each with what the object's path holds.
    faults: Arc<Mutex<Vec<(Fault, &'static str)>>>,
}

impl Proxy {
    pub(crate) fn before(gateway: &Gateway) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let faults: Arc<Mutex<Vec<(Fault, &'static str)>>> = Arc::default();
        let (upstream, shared) = (gateway.address().to_owned(), Arc::clone(&faults));
        // The thread ends with the process; it holds nothing but a port.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (upstream, shared) = (upstream.clone(), Arc::clone(&shared));
                thread::spawn(move || serve(client, &upstream, &shared));
            }
        });
        Self { address, faults }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// These befall the next GETs of objects.
    pub(crate) fn inject(&self, faults: &[Fault]) {
        self.inject_for("", faults);
    }

    /// These befall the next GETs of objects whose path holds this.
    pub(crate) fn inject_for(&self, part: &'static str, faults: &[Fault]) {
        self.faults.lock().unwrap().extend(faults.iter().map(|fault| (*fault, part)));
    }

    pub(crate) fn left(&self) -> usize {
        self.faults.lock().unwrap().len()
    }
}

/// A broken connection is a test's purpose, not its failure.
fn serve(mut client: TcpStream, upstream: &str, faults: &Mutex<Vec<(Fault, &'static str)>>) -> Option<()> {
    let head = peek_head(&client)?;
    let first_line = head.lines().next()?.to_owned();
    // Lists have a query; objects are behind the bucket's name.
    let is_object = first_line.starts_with("GET ") && !first_line.contains('?');
    let fault = if is_object {
        let mut faults = faults.lock().unwrap();
        faults.first().is_some_and(|(_, part)| first_line.contains(part)).then(|| faults.remove(0).0)
    } else {
        None
    };
    if fault == Some(Fault::Reset) {
        // Closed with the request unread: the kernel answers with RST (RFC 1122, 4.2.2.13).
        return None;
    }
    let mut request = vec![0; head.len()];
    client.read_exact(&mut request).ok()?;
    match fault {
        Some(Fault::SlowDown) => return refuse(&mut client, "503 Service Unavailable", "SlowDown"),
        Some(Fault::Skewed) => return refuse(&mut client, "403 Forbidden", "RequestTimeTooSkewed"),
        Some(Fault::SlowFirstByte(milliseconds)) => thread::sleep(Duration::from_millis(milliseconds)),
        Some(Fault::Reset | Fault::Truncated) | None => {}
    }
    let body_bytes = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<u64>().ok())?
    });
    let mut server = TcpStream::connect(upstream).ok()?;
    // One request a connection: the answer ends where the connection does.
    server.write_all(head.trim_end().as_bytes()).ok()?;
    server.write_all(b"\r\nConnection: close\r\n\r\n").ok()?;
    std::io::copy(&mut client.try_clone().ok()?.take(body_bytes.unwrap_or(0)), &mut server).ok()?;
    let mut answer = Vec::new();
    server.read_to_end(&mut answer).ok()?;
    if fault == Some(Fault::Truncated) {
        let body = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
        answer.truncate(body + (answer.len() - body) / 2);
    }
    client.write_all(&answer).ok()?;
    client.shutdown(Shutdown::Both).ok()
}

/// The request's head, left in the socket.
fn peek_head(client: &TcpStream) -> Option<String> {
    let mut bytes = vec![0; 64 << 10];
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        let length = client.peek(&mut bytes).ok()?;
        if length == 0 {
            return None;
        }
        if let Some(end) = bytes[..length].windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            return String::from_utf8(bytes[..end + 4].to_vec()).ok();
        }
        thread::sleep(Duration::from_millis(1));
    }
    None
}

/// The address of a store that answers every request with bytes without end, until the client goes.
pub(crate) fn endless(head: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            thread::spawn(move || {
                let key = "<Contents><Key>a</Key><Size>1</Size></Contents>".repeat(20_000);
                let mut answer = || -> std::io::Result<()> {
                    peek_head(&client).ok_or_else(|| std::io::Error::other("no request"))?;
                    write!(
                        client,
                        "HTTP/1.1 {head}\r\nConnection: close\r\n\r\n<?xml version=\"1.0\"?><ListBucketResult>"
                    )?;
                    loop {
                        client.write_all(key.as_bytes())?;
                    }
                };
                let _ = answer();
            });
        }
    });
    address
}

fn refuse(client: &mut TcpStream, status: &str, code: &str) -> Option<()> {
    let body =
        format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>by the test</Message></Error>");
    let length = body.len();
    write!(client, "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}").ok()
}

/// The address of a store that answers each request with what this returns for its head: status line, headers, body.
pub(crate) fn answering(answer: impl Fn(&str) -> String + Send + Sync + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || answer_once(client, &*answer));
        }
    });
    address
}

fn answer_once(mut client: TcpStream, answer: &dyn Fn(&str) -> String) -> Option<()> {
    let head = peek_head(&client)?;
    let body = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<u64>().ok())?
    });
    // A connection that is closed with a request unread is reset, and its answer lost.
    let request_bytes = head.len() as u64 + body.unwrap_or(0);
    std::io::copy(&mut client.try_clone().ok()?.take(request_bytes), &mut std::io::sink()).ok()?;
    client.write_all(answer(&head).as_bytes()).ok()?;
    client.shutdown(Shutdown::Write).ok()
}

/// An answer with this body, which is as long as it says.
pub(crate) fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

/// The address of a store that redirects every request to this address, and the heads of the requests that it got.
pub(crate) fn redirecting(to: Option<String>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heads: Arc<Mutex<Vec<String>>> = Arc::default();
    let (kept, to) = (Arc::clone(&heads), to.unwrap_or_else(|| address.clone()));
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let Some(head) = peek_head(&client) else { continue };
            let path = head.split(' ').nth(1).unwrap_or("/").to_owned();
            let mut request = vec![0; head.len()];
            if client.read_exact(&mut request).is_err() {
                continue;
            }
            kept.lock().unwrap().push(head);
            let _ = write!(
                client,
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{to}{path}\r\nContent-Length: 0\r\nConnection: \
                 close\r\n\r\n"
            );
        }
    });
    (address, heads)
}
