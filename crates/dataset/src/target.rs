//! What the parameter `target` names: a directory or a bucket.

use crate::ObjectError;
use std::path::PathBuf;

/// Where a dataset is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A directory of this machine.
    Directory(PathBuf),
    /// Objects of a bucket whose keys begin with a prefix, which is empty or ends with `/`.
    Bucket {
        bucket: String,
        /// What its keys begin with.
        prefix: String,
    },
}

impl Target {
    /// Reads a path, `file:///path`, or `s3://bucket/prefix`.
    ///
    /// # Errors
    /// Another scheme, or a URI without a bucket or with credentials in it, which are not repeated.
    pub fn parse(text: &str) -> Result<Self, ObjectError> {
        let wrong = |why: &str| ObjectError::Target { target: without_user(text), why: why.to_owned() };
        let Some((scheme, rest)) = text.split_once("://") else {
            return Ok(Self::Directory(PathBuf::from(text)));
        };
        match scheme {
            "file" if rest.starts_with('/') => Ok(Self::Directory(PathBuf::from(rest))),
            "file" => Err(wrong("a file URI names an absolute path: file:///path")),
            "s3" => {
                let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
                if bucket.contains('@') || bucket.contains(':') {
                    return Err(wrong(
                        "credentials and addresses do not belong here: they come from the environment \
                         (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL)",
                    ));
                }
                if bucket.is_empty() {
                    return Err(wrong("the bucket is missing: s3://bucket/prefix"));
                }
                let prefix = prefix.trim_end_matches('/');
                let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
                Ok(Self::Bucket { bucket: bucket.to_owned(), prefix })
            }
            _ => Err(wrong("only a path, file:///path and s3://bucket/prefix can be read")),
        }
    }
}

/// The text without what stands before an `@`; without anything where a colon may have a secret behind it.
fn without_user(text: &str) -> String {
    match text.split_once("://") {
        Some((scheme, rest)) if rest.contains('@') => {
            let behind = rest.rsplit_once('@').map_or("", |(_, behind)| behind);
            format!("{scheme}://…@{behind}")
        }
        Some((scheme, rest)) if rest.split('/').next().is_some_and(|bucket| bucket.contains(':')) => {
            format!("{scheme}://…")
        }
        Some(_) | None => text.to_owned(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that panics has failed")]
mod tests {
    use super::*;

    #[test]
    fn paths_and_uris() {
        let bucket = |prefix: &str| Target::Bucket { bucket: "data".to_owned(), prefix: prefix.to_owned() };
        for (text, expected) in [
            ("/data/set", Target::Directory("/data/set".into())),
            ("set", Target::Directory("set".into())),
            ("file:///data/set", Target::Directory("/data/set".into())),
            ("s3://data", bucket("")),
            ("s3://data/", bucket("")),
            ("s3://data/a/b", bucket("a/b/")),
            ("s3://data/a/b/", bucket("a/b/")),
        ] {
            assert_eq!(Target::parse(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_and_a_secret_is_not() {
        for (text, why) in [
            ("gs://data/x", "only a path"),
            ("s3://", "the bucket is missing"),
            ("s3:///x", "the bucket is missing"),
            ("file://host/x", "absolute path"),
            ("s3://AKIA:secret@data/x", "do not belong here"),
            ("s3://AKIA:secret/data/x", "do not belong here"),
            ("s3://AKIA:se/cret@data/x", "do not belong here"),
            ("gs://AKIA:secret", "only a path"),
        ] {
            let said = Target::parse(text).unwrap_err().to_string();
            assert!(said.contains(why) && !said.contains("secret") && !said.contains("AKIA"), "{said}");
        }
    }
}
