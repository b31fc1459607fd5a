//! PostgreSQL's protocol, as far as a benchmark's client needs it: the manual, "Frontend/Backend Protocol".
//!
//! A statement costs one write, and one read if its answer comes in one piece. Nothing is allocated: both buffers keep
//! their room.

use super::authentication::Authentication;
use super::login::Login;
use super::script::Statement;
use crate::error::PostgresqlError;
use bytes::{BufMut, BytesMut};
use fallible_iterator::FallibleIterator;
use model::Transaction;
use postgres_protocol::IsNull;
use postgres_protocol::message::backend::{
    BACKEND_KEY_DATA_TAG, ERROR_RESPONSE_TAG, Header, Message, READY_FOR_QUERY_TAG,
};
use postgres_protocol::message::frontend;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use std::io::{self, Write};
use std::os::unix::net::UnixStream;

/// An answer that is larger makes the buffer grow, once.
const BUFFER_BYTES: usize = 32 << 10;
/// The longest message that a server sends here.
const MESSAGE_BYTES_MAX: usize = 1 << 24;
/// Values go and come in their binary form.
const BINARY: i16 = 1;
/// The name of the unnamed portal.
const PORTAL: &str = "";

/// A connection to one server.
#[derive(Debug)]
pub(super) struct Connection {
    socket: UnixStream,
    out: BytesMut,
    /// What has come; `came` bytes of it are filled, and those before `read` have been looked at.
    input: Vec<u8>,
    came: usize,
    read: usize,
    /// The process that serves it.
    backend: u32,
}

impl Connection {
    pub(super) fn open(login: &Login<'_>) -> Result<Self, PostgresqlError> {
        let cannot =
            |error: io::Error| PostgresqlError::Start { why: format!("it does not answer: {error}") };
        let socket = login.socket().map_err(cannot)?;
        let mut connection = Self {
            socket,
            out: BytesMut::with_capacity(BUFFER_BYTES),
            input: vec![0; BUFFER_BYTES],
            came: 0,
            read: 0,
            backend: 0,
        };
        let parameters =
            [("user", login.user()), ("database", login.database()), ("application_name", "syncline")];
        frontend::startup_message(parameters, &mut connection.out).map_err(cannot)?;
        connection.authenticate(login)?;
        connection.answer("connect")?;
        Ok(connection)
    }

    /// The process that serves it: the number that the server gave when it was connected.
    pub(super) fn backend(&self) -> u32 {
        self.backend
    }

    /// Proves who it is, as far as the server asks.
    fn authenticate(&mut self, login: &Login<'_>) -> Result<(), PostgresqlError> {
        let cannot = |error: io::Error| gone("connect", &error);
        let mut authentication = Authentication::new(login);
        loop {
            let sent = self.socket.write_all(&self.out);
            self.out.clear();
            sent.map_err(cannot)?;
            let header = loop {
                match self.message().map_err(cannot)? {
                    Some(header) => break header,
                    None => self.receive().map_err(cannot)?,
                }
            };
            if header.tag() == ERROR_RESPONSE_TAG {
                return Err(self.refusal(header, "connect"));
            }
            let message = &self.input[self.read..=self.read + header.len() as usize];
            let message = Message::parse(&mut BytesMut::from(message)).map_err(cannot)?;
            self.read += 1 + header.len() as usize;
            let Some(message) = message else { continue };
            if authentication.answer(message, &mut self.out).map_err(cannot)? {
                return Ok(());
            }
        }
    }

    /// Prepares a statement under a name. Types of parameters are object identifiers.
    pub(super) fn prepare(
        &mut self,
        name: &str,
        text: &str,
        types: impl IntoIterator<Item = u32>,
    ) -> Result<(), PostgresqlError> {
        frontend::parse(name, text, types, &mut self.out).map_err(|error| gone(text, &error))?;
        frontend::sync(&mut self.out);
        self.answer(text)
    }

    /// Executes a prepared statement: what libpq's `PQsendQueryPrepared` sends. `put` writes the value of a parameter.
    #[inline]
    pub(super) fn execute<P>(
        &mut self,
        name: &str,
        text: &str,
        parameters: impl IntoIterator<Item = P>,
        mut put: impl FnMut(P, &mut BytesMut),
    ) -> Result<(), PostgresqlError> {
        let written = frontend::bind(
            PORTAL,
            name,
            [BINARY],
            parameters,
            |parameter, out| {
                put(parameter, out);
                Ok(IsNull::No)
            },
            [BINARY],
            &mut self.out,
        );
        let written = written.map_err(|_| io::Error::other("a value cannot be written"));
        let written = written.and_then(|()| frontend::describe(b'P', PORTAL, &mut self.out));
        let written = written.and_then(|()| frontend::execute(PORTAL, 0, &mut self.out));
        written.map_err(|error| gone(text, &error))?;
        frontend::sync(&mut self.out);
        self.answer(text)
    }

    /// Executes a statement by its text, with the values in it.
    #[inline]
    pub(super) fn query(
        &mut self,
        statement: &Statement,
        transaction: &Transaction,
    ) -> Result<(), PostgresqlError> {
        self.out.put_u8(b'Q');
        let begin = self.out.len();
        self.out.put_i32(0);
        let written = statement.write(transaction, &mut self.out);
        written.map_err(|error| gone(statement.text, &io::Error::other(error)))?;
        self.out.put_u8(0);
        let length = (self.out.len() - begin) as i32;
        self.out[begin..begin + 4].copy_from_slice(&length.to_be_bytes());
        self.answer(statement.text)
    }

    /// Executes a statement without parameters.
    pub(super) fn simple_query(&mut self, text: &str) -> Result<(), PostgresqlError> {
        frontend::query(text, &mut self.out).map_err(|error| gone(text, &error))?;
        self.answer(text)
    }

    /// Sends what is to be sent, and waits until the server is ready for more.
    #[inline]
    fn answer(&mut self, doing: &str) -> Result<(), PostgresqlError> {
        let sent = self.socket.write_all(&self.out);
        self.out.clear();
        sent.map_err(|error| gone(doing, &error))?;
        loop {
            while let Some(header) = self.message().map_err(|error| gone(doing, &error))? {
                if header.tag() == ERROR_RESPONSE_TAG {
                    return Err(self.refusal(header, doing));
                }
                if header.tag() == BACKEND_KEY_DATA_TAG {
                    self.backend = self.first_number();
                }
                self.read += 1 + header.len() as usize;
                if header.tag() == READY_FOR_QUERY_TAG {
                    return Ok(());
                }
            }
            self.receive().map_err(|error| gone(doing, &error))?;
        }
    }

    /// The next message, if all of it has come.
    #[inline]
    fn message(&self) -> io::Result<Option<Header>> {
        let header = Header::parse(&self.input[self.read..self.came])?;
        Ok(header.filter(|header| self.came - self.read > header.len() as usize))
    }

    /// The first number in the message that is to be read: after its tag and its length.
    fn first_number(&self) -> u32 {
        let bytes = self.input[self.read..].get(5..9).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u32::from_be_bytes)
    }

    #[inline]
    fn receive(&mut self) -> io::Result<()> {
        // Mostly nothing is left; what is moves to the front.
        self.input.copy_within(self.read..self.came, 0);
        self.came -= self.read;
        self.read = 0;
        if self.came == self.input.len() {
            if self.input.len() >= MESSAGE_BYTES_MAX {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "a message is too long"));
            }
            self.input.resize(2 * self.input.len(), 0);
        }
        let came = receive(&self.socket, &mut self.input[self.came..])?;
        if came == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it closed the connection"));
        }
        self.came += came;
        Ok(())
    }

    #[cold]
    fn refusal(&self, header: Header, doing: &str) -> PostgresqlError {
        let message = &self.input[self.read..=self.read + header.len() as usize];
        let mut why = "it gave no reason".to_owned();
        let mut is_shutdown = false;
        if let Ok(Some(Message::ErrorResponse(body))) = Message::parse(&mut BytesMut::from(message)) {
            let mut fields = body.fields();
            while let Ok(Some(field)) = fields.next() {
                let value = String::from_utf8_lossy(field.value_bytes());
                match field.type_() {
                    b'M' => why = value.replace('\n', " "),
                    b'C' => is_shutdown = value.starts_with("57P"),
                    _ => {}
                }
            }
        }
        let doing = format!("run {doing:?}");
        if is_shutdown {
            PostgresqlError::ServerGone { doing, why }
        } else {
            PostgresqlError::Statement { doing, why }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.out.clear();
        frontend::terminate(&mut self.out);
        // A server that is gone needs no farewell.
        let _ = self.socket.write_all(&self.out);
    }
}

/// Reads, waits if there is nothing yet, and reads again: what libpq and pgbench do. A thread that waits in `recv` is
/// woken otherwise, and had a third more transactions a second than pgbench on one machine, an eighth fewer when its
/// CPUs did not sleep.
#[inline]
fn receive(socket: &UnixStream, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match recv(socket, &mut *into, RecvFlags::DONTWAIT) {
            Ok((came, _)) => return Ok(came),
            Err(Errno::AGAIN) => match poll(&mut [PollFd::new(socket, PollFlags::IN)], None) {
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            },
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

#[cold]
fn gone(doing: &str, error: &io::Error) -> PostgresqlError {
    PostgresqlError::ServerGone { doing: format!("run {doing:?}"), why: error.to_string() }
}
