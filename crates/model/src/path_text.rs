//! Paths in JSON. A path is bytes, and JSON has only text: one that is UTF-8 stands as text, any other as
//! `{"bytes": "2f746d702fff"}`, its bytes in hexadecimal. So every path comes back as it was, and none can be taken for
//! another.
//!
//! For `#[serde(with = "crate::path_text")]`.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::ffi::OsString;
use std::fmt;
use std::fmt::Write as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A path that is not a text.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bytes {
    bytes: String,
}

pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    match path.to_str() {
        Some(text) => serializer.serialize_str(text),
        None => Bytes { bytes: hexadecimal(path.as_os_str().as_bytes()) }.serialize(serializer),
    }
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    deserializer.deserialize_any(PathVisitor)
}

struct PathVisitor;

impl<'de> Visitor<'de> for PathVisitor {
    type Value = PathBuf;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a path, or {\"bytes\": \"its bytes in hexadecimal\"}")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<PathBuf, E> {
        Ok(PathBuf::from(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<PathBuf, A::Error> {
        let Bytes { bytes } = Bytes::deserialize(MapAccessDeserializer::new(map))?;
        let bytes = from_hexadecimal(&bytes)
            .ok_or_else(|| A::Error::custom("bytes: not an even number of hexadecimal digits"))?;
        Ok(PathBuf::from(OsString::from_vec(bytes)))
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.chars().map(|c| Some(c.to_digit(16)? as u8)).collect::<Option<_>>()?;
    digits.len().is_multiple_of(2).then(|| digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// The same for a path that may be missing.
pub mod optional {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::path::PathBuf;

    #[derive(Serialize, Deserialize)]
    struct Text(#[serde(with = "super")] PathBuf);

    /// Writes a path, or nothing.
    pub fn serialize<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
        path.clone().map(Text).serialize(serializer)
    }

    /// Reads a path, or nothing.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PathBuf>, D::Error> {
        Ok(Option::<Text>::deserialize(deserializer)?.map(|text| text.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Place {
        #[serde(with = "super")]
        path: PathBuf,
        #[serde(default, with = "super::optional")]
        group: Option<PathBuf>,
    }

    proptest! {
        #[test]
        fn a_path_that_is_no_text_comes_back_as_it_was(bytes in any::<Vec<u8>>(), given in any::<bool>()) {
            let path = PathBuf::from(OsString::from_vec(bytes));
            let place = Place { group: given.then(|| path.clone()), path };
            let json = serde_json::to_string(&place).unwrap();
            prop_assert_eq!(serde_json::from_str::<Place>(&json).unwrap(), place);
        }
    }

    #[test]
    fn text_stands_as_text_and_nothing_else_is_a_path() {
        let place = |json: &str| serde_json::from_str::<Place>(json);
        assert_eq!(place(r#"{"path": "/srv/%ff"}"#).unwrap().path, PathBuf::from("/srv/%ff"));
        for json in [r#"{"path": 3}"#, r#"{"path": {"bytes": "2"}}"#, r#"{"path": {"bytes": "zz"}}"#] {
            assert!(place(json).unwrap_err().to_string().contains("hexadecimal"), "{json}");
        }
    }
}
