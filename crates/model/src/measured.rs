//! A figure, or the reason why there is none.

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{
    DeserializeSeed, Error, IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Unexpected, Visitor,
};
use serde::{Deserialize, Deserializer, Serialize, forward_to_deserialize_any};
use std::fmt;
use std::iter::Sum;
use std::marker::PhantomData;
use std::ops::Add;

/// A figure, or the reason why there is none. Unsupported is a value, never a zero.
///
/// In JSON the figure stands as it is, and a reason as `{"unsupported": "why"}`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Measured<T> {
    /// The figure.
    Value(T),
    /// Why there is none.
    Unsupported { unsupported: String },
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

    /// What follows from the figure; the reason kept.
    pub fn and_then<U>(&self, transform: impl FnOnce(&T) -> Measured<U>) -> Measured<U> {
        match self {
            Self::Value(value) => transform(value),
            Self::Unsupported { unsupported } => Measured::Unsupported { unsupported: unsupported.clone() },
        }
    }

    /// What two figures come to; without one of them, the first reason.
    pub fn zip<U, V>(&self, other: &Measured<U>, together: impl FnOnce(&T, &U) -> V) -> Measured<V> {
        self.and_then(|one| other.map(|other| together(one, other)))
    }
}

/// Without one of the figures, its reason.
impl<'a, T: Copy + Add<Output = T> + Default> Sum<&'a Measured<T>> for Measured<T> {
    fn sum<I: Iterator<Item = &'a Self>>(figures: I) -> Self {
        figures.fold(Self::Value(T::default()), |sum, more| sum.zip(more, |sum, more| *sum + *more))
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

// Not derived: serde's "data did not match any variant of untagged enum" names neither what is wrong nor what is
// accepted, and it copies every value before it looks at it.
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
        T::deserialize(Figure(value.into_deserializer())).map(Measured::Value)
    }
}

/// A figure that JSON has as it is. serde's deserializers of single values, lists and objects refuse an `Option` and a
/// struct of one field around them.
struct Figure<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Figure<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
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

    /// JSON's null: a figure that is an absent `Option`; no other figure is null.
    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        let none = IntoDeserializer::<E>::into_deserializer(());
        T::deserialize(none).map(Measured::Value).map_err(|_| E::invalid_type(Unexpected::Unit, &self))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        T::deserialize(Figure(SeqAccessDeserializer::new(list))).map(Measured::Value)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let first = map.next_key::<String>()?;
        if first.as_deref() == Some(REASON) {
            let unsupported = map.next_value()?;
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            return Ok(Measured::Unsupported { unsupported });
        }
        let object = MapAccessDeserializer::new(WithFirstKey { first, map });
        T::deserialize(Figure(object)).map(Measured::Value)
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
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Extents {
        count: u64,
        bytes: Measured<u64>,
    }

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    struct Micros(u64);

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        Plain,
        Numbered(u64),
        Paired(u64, bool),
        Named { bytes: u64 },
    }

    fn survives<T: Serialize + for<'de> Deserialize<'de> + Debug + PartialEq>(measured: &Measured<T>) {
        let json = serde_json::to_string(measured).unwrap();
        let read = serde_json::from_str::<Measured<T>>(&json);
        assert_eq!(read.as_ref().map_err(ToString::to_string), Ok(measured), "{json}");
    }

    fn measured<T: Debug + Clone>(figure: impl Strategy<Value = T>) -> impl Strategy<Value = Measured<T>> {
        let figure = figure.prop_map(Measured::Value);
        prop_oneof![3 => figure, 1 => any::<String>().prop_map(Measured::unsupported)]
    }

    fn kind() -> impl Strategy<Value = Kind> {
        prop_oneof![
            Just(Kind::Plain),
            any::<u64>().prop_map(Kind::Numbered),
            any::<(u64, bool)>().prop_map(|(number, flag)| Kind::Paired(number, flag)),
            any::<u64>().prop_map(|bytes| Kind::Named { bytes }),
        ]
    }

    proptest! {
        /// A list was written and could not be read: a worker's reply with one ended in "invalid type: sequence".
        #[test]
        fn what_is_written_is_read_back(
            lists in measured(prop::collection::vec(any::<u64>(), 0..4)),
            nested in measured(prop::collection::vec(measured(prop::collection::vec(any::<String>(), 0..3)), 0..3)),
            pairs in measured(any::<(u32, bool)>()),
            options in measured(any::<Option<i64>>()),
            optional_lists in measured(prop::option::of(prop::collection::vec(any::<bool>(), 0..3))),
            micros in measured(any::<u64>().prop_map(Micros)),
            objects in measured(prop::collection::btree_map("[a-t]{0,3}", any::<Option<bool>>(), 0..3)),
            kinds in measured(prop::collection::vec(kind(), 0..4)),
            kind in measured(kind()),
            text in measured(any::<String>()),
        ) {
            survives::<Vec<u64>>(&lists);
            survives::<Vec<Measured<Vec<String>>>>(&nested);
            survives::<(u32, bool)>(&pairs);
            survives::<Option<i64>>(&options);
            survives::<Option<Vec<bool>>>(&optional_lists);
            survives::<Micros>(&micros);
            survives::<BTreeMap<String, Option<bool>>>(&objects);
            survives::<Vec<Kind>>(&kinds);
            survives::<Kind>(&kind);
            survives::<String>(&text);
        }
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
            ("[1]", "f64"),
            (r#"{"unsupported": 3}"#, "a string"),
        ] {
            let error = serde_json::from_str::<Measured<f64>>(json).unwrap_err().to_string();
            assert!(error.contains(accepted) && !error.contains("untagged"), "{json}: {error}");
        }
        let error = serde_json::from_str::<Measured<Extents>>(r#"{"counted": 3}"#).unwrap_err().to_string();
        assert!(error.contains("missing field `count`"), "{error}");
    }
}
