//! How a store is reached and what signs the requests: the standard `AWS_*` settings.

use object_store::aws::AmazonS3ConfigKey;
use std::fmt;

/// Names and values of settings. It prints the names only: some of the values are secrets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Access(Vec<(String, String)>);

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// Settings with which a request can be signed, or goes out unsigned on purpose.
const SIGNING: &[&str] = &[
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SKIP_SIGNATURE",
];
const ADDRESSES: &[&str] = &["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"];

impl Access {
    /// What the process was given: every variable that begins with `AWS_`.
    pub fn from_environment() -> Self {
        let all = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self(all.filter(|(name, _)| name.starts_with("AWS_")).collect())
    }

    /// These and no others.
    pub fn from_settings<'a>(settings: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        Self(settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The same for a store at this address.
    #[must_use]
    pub(super) fn at(&self, address: &str) -> Self {
        let others = self.0.iter().filter(|(name, _)| !ADDRESSES.contains(&name.as_str())).cloned();
        Self(others.chain([("AWS_ENDPOINT_URL".to_owned(), address.to_owned())]).collect())
    }

    fn get(&self, wanted: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    /// Whether a request can be signed without asking the machine for its role.
    pub(super) fn can_sign(&self) -> bool {
        SIGNING.iter().any(|name| self.get(name).is_some())
    }

    /// Whether the store's address asks for HTTP without TLS.
    pub(super) fn is_plain(&self) -> bool {
        ADDRESSES.iter().find_map(|name| self.get(name)).is_some_and(|address| address.starts_with("http://"))
    }

    /// Those that the client knows.
    pub(super) fn settings(&self) -> impl Iterator<Item = (AmazonS3ConfigKey, &str)> {
        self.0
            .iter()
            .filter_map(|(name, value)| Some((name.to_ascii_lowercase().parse().ok()?, value.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_never_printed() {
        let access = Access::from_settings([
            ("AWS_SECRET_ACCESS_KEY", "hush".to_owned()),
            ("AWS_ENDPOINT_URL", "http://x".to_owned()),
        ]);
        assert!(!format!("{access:?}").contains("hush"));
        assert!(access.is_plain() && !access.can_sign());
        assert!(access.settings().count() == 2);
    }

    /// The client would choose among several addresses in its settings.
    #[test]
    fn another_address_replaces_every_address() {
        let access = Access::from_settings([
            ("AWS_ENDPOINT_URL_S3", "http://x".to_owned()),
            ("AWS_ENDPOINT_URL", "http://y".to_owned()),
            ("AWS_ENDPOINT", "http://z".to_owned()),
            ("AWS_ACCESS_KEY_ID", "key".to_owned()),
        ]);
        let there = access.at("https://store");
        assert!(there.can_sign() && !there.is_plain());
        let values: Vec<&str> = there.settings().map(|(_, value)| value).collect();
        assert_eq!(values, ["key", "https://store"]);
    }
}
