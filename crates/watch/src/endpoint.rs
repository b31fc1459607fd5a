//! `GET /metrics` on a loopback address, for a Prometheus on the same machine. It answers one request a connection
//! with what was published last, and reads nothing of a request but its first line.

use crate::error::WatchError;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// A request is a few hundred bytes; one that is longer is refused.
const REQUEST_BYTES_MAX: usize = 8 << 10;
/// A client that takes longer to send or to read is left.
const PATIENCE: Duration = Duration::from_secs(2);
/// Version 0.0.4 of Prometheus's text format.
const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Answers requests until the process ends.
#[derive(Debug)]
pub struct Endpoint {
    page: Arc<Mutex<String>>,
    address: SocketAddr,
}

impl Endpoint {
    /// Listens on a loopback address.
    pub fn open(address: SocketAddr) -> Result<Self, WatchError> {
        if !address.ip().is_loopback() {
            return Err(WatchError::NotLoopback { address });
        }
        let failed = |source| WatchError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let page = Arc::new(Mutex::new(String::new()));
        let shown = Arc::clone(&page);
        let serve = move || {
            for stream in listener.incoming() {
                match stream {
                    // What a client does wrong concerns it alone.
                    Ok(stream) => drop(answer(&stream, &shown)),
                    // Such as too many open files, which passes.
                    Err(_) => thread::sleep(PATIENCE),
                }
            }
        };
        thread::Builder::new().name("metrics".to_owned()).spawn(serve).map_err(failed)?;
        Ok(Self { page, address: bound })
    }

    /// Where it listens: with the port that the kernel chose if 0 was requested.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What is answered from now on.
    pub fn publish(&self, page: &str) {
        page.clone_into(&mut self.page.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

fn answer(mut stream: &TcpStream, page: &Mutex<String>) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = request(stream)?;
    let (status, body) = match first_line(&request) {
        Some(("GET" | "HEAD", "/metrics")) => {
            ("200 OK", page.lock().unwrap_or_else(PoisonError::into_inner).clone())
        }
        Some(("GET" | "HEAD", _)) => ("404 Not Found", "metrics are at /metrics\n".to_owned()),
        Some(_) => ("405 Method Not Allowed", String::new()),
        None => ("400 Bad Request", String::new()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {CONTENT_TYPE}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    if !request.starts_with(b"HEAD ") {
        stream.write_all(body.as_bytes())?;
    }
    stream.flush()
}

/// Everything up to the empty line, or as much as a request may have.
fn request(mut stream: &TcpStream) -> io::Result<Vec<u8>> {
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while request.len() < REQUEST_BYTES_MAX && !request.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer)? {
            0 => break,
            bytes => request.extend_from_slice(&buffer[..bytes]),
        }
    }
    Ok(request)
}

/// Method and path, without the query.
fn first_line(request: &[u8]) -> Option<(&str, &str)> {
    let line = request.split(|byte| *byte == b'\r').next().and_then(|line| str::from_utf8(line).ok())?;
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let path = target.split('?').next()?;
    (version.starts_with("HTTP/1.") && words.next().is_none()).then_some((method, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ask(endpoint: &Endpoint, request: &str) -> String {
        let mut stream = TcpStream::connect(endpoint.address()).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn what_was_published_last_is_answered() {
        let endpoint = Endpoint::open("127.0.0.1:0".parse().unwrap()).unwrap();
        endpoint.publish("one 1\n");
        endpoint.publish("two 2\n");
        let answer = ask(&endpoint, "GET /metrics?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\ntwo 2\n"), "{answer}");
        assert!(ask(&endpoint, "HEAD /metrics HTTP/1.1\r\n\r\n").ends_with("\r\n\r\n"));
        for (request, status) in [
            ("GET / HTTP/1.1\r\n\r\n", "404"),
            ("POST /metrics HTTP/1.1\r\n\r\n", "405"),
            ("nonsense\r\n\r\n", "400"),
        ] {
            let answer = ask(&endpoint, request);
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {answer}");
        }
    }

    #[test]
    fn others_cannot_reach_it() {
        for address in ["0.0.0.0:0", "192.0.2.1:0", "[::]:0", "[2001:db8::1]:0"] {
            let refused = Endpoint::open(address.parse().unwrap());
            assert!(matches!(refused, Err(WatchError::NotLoopback { .. })), "{address}: {refused:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_request_or_none(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Some((method, path)) = first_line(&bytes) {
                prop_assert!(!method.contains(' ') && !path.contains(['?', ' ']));
            }
        }
    }
}
