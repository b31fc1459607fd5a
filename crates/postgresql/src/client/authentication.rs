//! How a client proves who it is: the manual, "Frontend/Backend Protocol", "Start-up".

use super::login::Login;
use bytes::BytesMut;
use fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::Message;
use postgres_protocol::message::frontend;
use std::io;

/// A conversation that ends when the server is content.
pub(super) struct Authentication<'a> {
    login: &'a Login<'a>,
    scram: Option<ScramSha256>,
}

impl<'a> Authentication<'a> {
    pub(super) fn new(login: &'a Login<'a>) -> Self {
        Self { login, scram: None }
    }

    /// Answers a message of the server; `true` if there is nothing left to prove.
    pub(super) fn answer(&mut self, message: Message, out: &mut BytesMut) -> io::Result<bool> {
        match message {
            Message::AuthenticationOk => return Ok(true),
            Message::AuthenticationCleartextPassword => frontend::password_message(self.password()?, out)?,
            Message::AuthenticationMd5Password(body) => {
                let hash = md5_hash(self.login.user().as_bytes(), self.password()?, body.salt());
                frontend::password_message(hash.as_bytes(), out)?;
            }
            Message::AuthenticationSasl(body) => {
                if !body.mechanisms().any(|mechanism| Ok(mechanism == SCRAM_SHA_256))? {
                    return Err(io::Error::other("it asks for an authentication other than SCRAM-SHA-256"));
                }
                let scram = ScramSha256::new(self.password()?, ChannelBinding::unsupported());
                frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), out)?;
                self.scram = Some(scram);
            }
            Message::AuthenticationSaslContinue(body) => {
                let scram = self.scram()?;
                scram.update(body.data())?;
                frontend::sasl_response(scram.message(), out)?;
            }
            Message::AuthenticationSaslFinal(body) => self.scram()?.finish(body.data())?,
            _ => return Err(io::Error::other("it asks for an authentication that Syncline does not know")),
        }
        Ok(false)
    }

    fn password(&self) -> io::Result<&'a [u8]> {
        self.login.password().ok_or_else(|| io::Error::other("it asks for a password"))
    }

    fn scram(&mut self) -> io::Result<&mut ScramSha256> {
        self.scram.as_mut().ok_or_else(|| io::Error::other("it continues an exchange that did not begin"))
    }
}
