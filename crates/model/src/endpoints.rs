//! Addresses of one object store, as one level of a parameter: `http://10.0.0.1:7070 http://10.0.0.2:7070`.

use std::fmt;
use std::net::Ipv6Addr;

/// What an endpoint looks like.
const FORM: &str = "is not http://HOST:PORT or https://HOST:PORT";

/// Addresses of one store, each once, at least one. The text form has spaces between them: a comma divides levels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoints(Vec<String>);

impl Endpoints {
    /// Reads addresses with spaces between them: `http` or `https`, a host, and a port unless it is the scheme's own.
    ///
    /// # Errors
    /// What is wrong, as a clause. It repeats nothing of the text, which may hold a secret.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut endpoints: Vec<String> = Vec::new();
        for (place, word) in text.split_whitespace().enumerate() {
            let endpoint = endpoint(word).map_err(|why| format!("endpoint {} {why}", place + 1))?;
            if let Some(known) = endpoints.iter().position(|known| *known == endpoint) {
                return Err(format!("endpoint {} is endpoint {} again", place + 1, known + 1));
            }
            endpoints.push(endpoint);
        }
        if endpoints.is_empty() { Err("there is no endpoint".to_owned()) } else { Ok(Self(endpoints)) }
    }

    /// The endpoint of a client: number `client` modulo their count.
    pub fn of_client(&self, client: usize) -> &str {
        // There is at least one.
        &self.0[client % self.0.len()]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// Each alone, in order.
    pub fn each(&self) -> impl Iterator<Item = Self> {
        self.0.iter().map(|endpoint| Self(vec![endpoint.clone()]))
    }

    /// The first one alone.
    #[must_use]
    pub fn first(&self) -> Self {
        Self(vec![self.of_client(0).to_owned()])
    }
}

/// One endpoint in lower case, without a slash at its end.
fn endpoint(word: &str) -> Result<String, &'static str> {
    if word.contains('@') {
        return Err("has credentials in it: they come from the environment (AWS_ACCESS_KEY_ID, \
                    AWS_SECRET_ACCESS_KEY)");
    }
    let endpoint = word.strip_suffix('/').unwrap_or(word).to_ascii_lowercase();
    let authority = ["http://", "https://"].into_iter().find_map(|scheme| endpoint.strip_prefix(scheme));
    let (host, port) = divided(authority.ok_or(FORM)?);
    let is_host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => is_name(host),
    };
    if is_host && port.is_none_or(is_port) { Ok(endpoint) } else { Err(FORM) }
}

/// The host and the port, if there is one. The colons of an IPv6 address are within brackets.
fn divided(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        Some(_) | None => (authority, None),
    }
}

fn is_name(host: &str) -> bool {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    !host.is_empty() && host.bytes().all(is_of_name)
}

fn is_port(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<u16>().is_ok_and(|port| port > 0)
}

impl fmt::Display for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_take_the_endpoints_in_turn() {
        let endpoints =
            Endpoints::parse(" http://A:7070/   https://b  http://[::1]:80 http://10.0.0.1").unwrap();
        assert_eq!(endpoints.to_string(), "http://a:7070 https://b http://[::1]:80 http://10.0.0.1");
        assert_eq!(Endpoints::parse(&endpoints.to_string()), Ok(endpoints.clone()));
        assert_eq!((endpoints.of_client(1), endpoints.of_client(4)), ("https://b", "http://a:7070"));
        assert_eq!((endpoints.count(), endpoints.each().count()), (4, 4));
        assert_eq!(Some(endpoints.first()), endpoints.each().next());
    }

    #[test]
    fn what_is_no_address_is_refused_and_no_secret_is_repeated() {
        for text in [
            "",
            "a:7070",
            "ftp://a",
            "http://",
            "http:///",
            "http://:80",
            "http://a:",
            "http://a:0",
            "http://a:65536",
            "http://a:+80",
            "http://a/hush",
            "http://a?hush",
            "http://a#hush",
            "http://a,http://b",
            "http://key:hush",
            "http://key:hush@a",
            "http://hu/sh@a",
            "http://[::1",
            "http://[a]",
            "http://::1",
            "http://a http://b HTTP://A/",
        ] {
            let why = Endpoints::parse(text).unwrap_err();
            assert!(!why.contains("hush") && !why.contains("key:"), "{text}: {why}");
        }
    }
}
