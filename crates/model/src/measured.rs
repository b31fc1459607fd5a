//! A figure, or the reason why there is none.

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::marker::PhantomData;

/// A figure, or the reason why there is none. Unsupported is a value, never a zero.
///
/// In JSON the figure stands as it is, and a reason as `{"unsupported": "why"}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Measured<T> {
    /// The figure.
    Value(T),
    /// Why there is none.
    Unsupported {
        /// A sentence.
        unsupported: String,
    },
}

impl<T> Measured<T> {
    /// No figure, with the reason.
    pub fn unsupported(why: impl Into<String>) -> Self {
        Self::Unsupported { unsupported: why.into() }
    }

    /// The figure, if there is one.
    pub fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Unsupported { .. } => None,
        }
    }

    /// Why there is no figure.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Value(_) => None,
            Self::Unsupported { unsupported } => Some(unsupported),
        }
    }

    /// The figure transformed, the reason kept.
    pub fn map<U>(&self, transform: impl FnOnce(&T) -> U) -> Measured<U> {
        match self {
            Self::Value(value) => Measured::Value(transform(value)),
            Self::Unsupported { unsupported } => Measured::Unsupported { unsupported: unsupported.clone() },
        }
    }
}

impl<T, E: fmt::Display> From<Result<T, E>> for Measured<T> {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(value) => Self::Value(value),
            Err(error) => Self::unsupported(error.to_string()),
        }
    }
}

/// The name of the field that holds a reason. No figure that is an object has a field of that name.
const REASON: &str = "unsupported";

// Not derived: serde's "data did not match any variant of untagged enum" names neither what is wrong nor what is accepted,
// and it copies every value before it looks at it.
impl<'de, T: Deserialize<'de>> Deserialize<'de> for Measured<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MeasuredVisitor(PhantomData))
    }
}

struct MeasuredVisitor<T>(PhantomData<T>);

impl<T> MeasuredVisitor<T> {
    fn figure<'de, E: Error>(value: impl IntoDeserializer<'de, E>) -> Result<Measured<T>, E>
    where
        T: Deserialize<'de>,
    {
        T::deserialize(value.into_deserializer()).map(Measured::Value)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for MeasuredVisitor<T> {
    type Value = Measured<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a figure, or {\"unsupported\": \"why there is none\"}")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Self::Value, E> {
        Self::figure(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Self::Value, E> {
        Self::figure(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Self::Value, E> {
        Self::figure(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Self::Value, E> {
        Self::figure(value)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Self::Value, E> {
        Self::figure(value)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let first = map.next_key::<String>()?;
        if first.as_deref() == Some(REASON) {
            let unsupported = map.next_value()?;
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Measured::Unsupported { unsupported });
        }
        T::deserialize(MapAccessDeserializer::new(WithFirstKey { first, map })).map(Measured::Value)
    }
}

/// An object whose first key has been read already.
struct WithFirstKey<A> {
    first: Option<String>,
    map: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for WithFirstKey<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.first.take() {
            Some(first) => seed.deserialize(first.into_deserializer()).map(Some),
            None => self.map.next_key_seed(seed),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Debug;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Extents {
        count: u64,
        bytes: Measured<u64>,
    }

    fn survives<T: Serialize + for<'de> Deserialize<'de> + Debug + PartialEq>(measured: &Measured<T>) {
        let json = serde_json::to_string(measured).unwrap();
        assert_eq!(&serde_json::from_str::<Measured<T>>(&json).unwrap(), measured, "{json}");
    }

    #[test]
    fn figures_and_reasons_survive_a_record() {
        survives(&Measured::Value(1.5));
        survives(&Measured::Value(2.0_f64));
        survives(&Measured::Value(u64::MAX));
        survives(&Measured::Value(true));
        survives(&Measured::Value("nvme0n1".to_owned()));
        survives(&Measured::Value(Extents { count: 3, bytes: Measured::unsupported("no FIEMAP") }));
        survives(&Measured::<f64>::unsupported("no counter"));
        let whole: Measured<f64> = serde_json::from_str("7").unwrap();
        assert_eq!(whole, Measured::Value(7.0), "a whole number is a figure too");
    }

    /// A changed record was refused by "data did not match any variant of untagged enum Measured".
    #[test]
    fn what_is_neither_a_figure_nor_a_reason_says_what_is_accepted() {
        for (json, accepted) in [
            (r#""fast""#, "f64"),
            ("null", "{\"unsupported\": \"why there is none\"}"),
            ("[1]", "{\"unsupported\": \"why there is none\"}"),
            (r#"{"unsupported": 3}"#, "a string"),
        ] {
            let error = serde_json::from_str::<Measured<f64>>(json).unwrap_err().to_string();
            assert!(error.contains(accepted) && !error.contains("untagged"), "{json}: {error}");
        }
        let error = serde_json::from_str::<Measured<Extents>>(r#"{"counted": 3}"#).unwrap_err().to_string();
        assert!(error.contains("missing field `count`"), "{error}");
    }
}
