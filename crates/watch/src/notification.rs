//! The service manager's protocol (sd_notify(3)): datagrams of `NAME=value` lines to the socket that `NOTIFY_SOCKET`
//! names. Without a service manager nothing is sent.

use std::env;
use std::ffi::OsStr;
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

/// What the service manager learns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The service has started.
    Ready,
    /// It is alive.
    Alive,
    /// It ends.
    Stopping,
    /// What it does, for `systemctl status`.
    Status(String),
}

impl Notice {
    fn line(&self) -> String {
        match self {
            Self::Ready => "READY=1".to_owned(),
            Self::Alive => "WATCHDOG=1".to_owned(),
            Self::Stopping => "STOPPING=1".to_owned(),
            Self::Status(text) => format!("STATUS={}", text.replace('\n', " ")),
        }
    }
}

/// The service manager of this process, if it has one.
#[derive(Debug, Default)]
pub struct Notifier {
    socket: Option<UnixDatagram>,
    watchdog: Option<Duration>,
}

impl Notifier {
    /// From the environment that the service manager sets.
    ///
    /// # Errors
    /// There is one, and its socket cannot be reached.
    pub fn from_environment() -> io::Result<Self> {
        let Some(name) = env::var_os("NOTIFY_SOCKET") else { return Ok(Self::default()) };
        let is_own = env::var("WATCHDOG_PID").is_ok_and(|pid| pid == std::process::id().to_string());
        let microseconds = env::var("WATCHDOG_USEC").ok().and_then(|text| text.parse().ok());
        let watchdog = microseconds.filter(|_| is_own).map(Duration::from_micros);
        Ok(Self { socket: Some(connect(&name)?), watchdog })
    }

    /// How often the service has to show that it is alive: twice in the time after which it would be killed
    /// (`sd_watchdog_enabled(3)`).
    pub fn alive_every(&self) -> Option<Duration> {
        self.watchdog.map(|watchdog| watchdog / 2)
    }

    /// Sends it. If the manager does not read, the service continues.
    pub fn send(&self, notice: &Notice) {
        if let Some(socket) = &self.socket {
            let _ = socket.send(notice.line().as_bytes());
        }
    }
}

/// A path, or behind `@` a name in the abstract namespace.
fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
    let address = match name.as_bytes() {
        [b'@', name @ ..] => SocketAddr::from_abstract_name(name)?,
        _ => SocketAddr::from_pathname(name)?,
    };
    let socket = UnixDatagram::unbound()?;
    socket.connect_addr(&address)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn received(socket: &UnixDatagram) -> String {
        let mut buffer = [0; 256];
        let bytes = socket.recv(&mut buffer).unwrap();
        String::from_utf8(buffer[..bytes].to_vec()).unwrap()
    }

    #[test]
    fn notices_reach_a_socket_with_a_path_and_one_with_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let name = format!("syncline-notify-{}", std::process::id());
        let named = UnixDatagram::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        for (socket, name) in [
            (UnixDatagram::bind(&path).unwrap(), path.clone().into_os_string()),
            (named, OsString::from(format!("@{name}"))),
        ] {
            let notifier = Notifier { socket: Some(connect(&name).unwrap()), watchdog: None };
            notifier.send(&Notice::Ready);
            notifier.send(&Notice::Status("one\ntwo".to_owned()));
            assert_eq!(received(&socket), "READY=1");
            assert_eq!(received(&socket), "STATUS=one two");
        }
    }

    #[test]
    fn without_a_manager_nothing_is_sent_and_nothing_fails() {
        Notifier::default().send(&Notice::Alive);
        assert_eq!(Notifier::default().alive_every(), None);
    }
}
