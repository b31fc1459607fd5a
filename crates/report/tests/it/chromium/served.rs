//! A page under its own policy and in real time, for what Chromium does outside its virtual time: it decodes pictures
//! there.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

/// The page's frame passes on the page's message. The page itself may not: its policy forbids every request.
const FRAME: &str = "<iframe src=/page style='width:1440px;height:900px'></iframe><script>addEventListener('message', \
    (event) => fetch('/message', { method: 'POST', body: event.data }));</script>";
/// A page that has sent nothing by then is broken, however slow the machine is.
const DEADLINE: Duration = Duration::from_mins(5);

/// Opens a page and waits for the message that it posts to its frame; prints a notice and returns `None` if there is no
/// Chromium.
pub(crate) fn message_of(page: &str) -> Option<String> {
    let profile = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, messages) = channel();
    let page = page.to_owned();
    // It ends with the test's process: nobody connects after Chromium has ended.
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let (page, sender) = (page.clone(), sender.clone());
            // A connection that Chromium opens in advance may stay silent.
            thread::spawn(move || answer(stream, &page, &sender));
        }
    });
    let started = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--remote-debugging-port=0", "--window-size=1440,1000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("http://{address}/"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut chromium = match started {
        Ok(chromium) => chromium,
        Err(error) => {
            skip::because(format_args!("no chromium ({error}); make tools installs it"));
            return None;
        }
    };
    let message = messages.recv_timeout(DEADLINE);
    chromium.kill().unwrap();
    chromium.wait().unwrap();
    Some(message.expect("the page posts a message"))
}

/// Answers one request, and hands on the body of the one that has a message.
fn answer(stream: TcpStream, page: &str, sender: &Sender<String>) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut request = String::new();
    reader.read_line(&mut request).ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        let header = line.to_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let content = match request.split(' ').nth(1)? {
        "/" => FRAME,
        "/page" => page,
        "/message" => {
            sender.send(String::from_utf8(body).ok()?).ok()?;
            ""
        }
        _ => "",
    };
    let mut stream = stream;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close";
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{content}", content.len()).ok()
}
