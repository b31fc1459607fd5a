//! Mutations of JSON that leave it JSON: what a reader takes for sound and the analysis behind it has to survive.

use crate::random::Random;
use serde_json::{Value, json};

/// Nesting that serde_json still reads.
const NESTING: usize = 100;
const LONG: usize = 100_000;

/// A number that no trial has.
fn number(random: &mut Random) -> Value {
    match random.below(11) {
        0 => json!(0),
        1 => json!(1),
        2 => json!(-1),
        3 => json!(u64::MAX),
        4 => json!(i64::MIN),
        5 => json!(u32::MAX),
        6 => json!(1_u64 << 40),
        7 => json!(f64::MAX),
        8 => json!(f64::MIN_POSITIVE),
        9 => json!(-0.0),
        _ => json!(1e-320),
    }
}

/// A text that nobody expects.
fn text(random: &mut Random) -> Value {
    match random.below(9) {
        0 => json!(""),
        1 => json!("\u{1b}[31m\u{202e}\u{0}\n"),
        2 => json!("x".repeat(LONG)),
        3 => json!("../../outside"),
        4 => json!("<script>alert(1)</script>"),
        5 => json!("0"),
        6 => json!("none"),
        7 => json!("direct"),
        _ => json!("100%"),
    }
}

/// What may replace any value.
fn any(random: &mut Random) -> Value {
    match random.below(7) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!([]),
        3 => json!({}),
        4 => (0..NESTING).fold(Value::Null, |inner, _| json!([inner])),
        5 => number(random),
        _ => text(random),
    }
}

/// One change of a value somewhere inside.
#[derive(Clone, Debug)]
pub struct Change {
    /// Which value, in the order of the text.
    place: usize,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Replace(Value),
    /// A value of the same type, so that it is read: what stands for a number, and for a text.
    OfItsType {
        number: Value,
        text: Value,
    },
    Scale(f64),
    Empty,
    Repeat,
    Rename,
}

impl Change {
    /// A change of some value of this one.
    pub fn draw(random: &mut Random, value: &Value) -> Self {
        let place = random.below(count(value));
        let kind = match random.below(16) {
            0 => Kind::Replace(any(random)),
            1..10 => Kind::OfItsType { number: number(random), text: text(random) },
            10..13 => Kind::Scale(random.one_of(&[-1.0, 0.0, 1e-9, 1e9, 1e300]).copied().unwrap_or(0.0)),
            13 => Kind::Empty,
            14 => Kind::Repeat,
            _ => Kind::Rename,
        };
        Self { place, kind }
    }

    /// Makes the change; nothing if the value has fewer parts.
    pub fn apply(&self, value: &mut Value) {
        let mut place = self.place;
        if let Some(found) = at(value, &mut place) {
            self.kind.apply(found);
        }
    }
}

impl Kind {
    fn apply(&self, value: &mut Value) {
        match (self, &mut *value) {
            (Self::Replace(other), _)
            | (Self::OfItsType { number: other, .. }, Value::Number(_))
            | (Self::OfItsType { text: other, .. }, Value::String(_)) => *value = other.clone(),
            (Self::OfItsType { .. }, Value::Bool(flag)) => *flag = !*flag,
            (Self::Scale(factor), Value::Number(number)) => {
                *value = json!(number.as_f64().unwrap_or(0.0) * factor);
            }
            (Self::Empty, Value::Array(items)) => items.clear(),
            (Self::Empty, Value::Object(members)) => members.clear(),
            (Self::Repeat, Value::Array(items)) => items.extend(items.clone()),
            (Self::Repeat, Value::Object(members)) => {
                // Each value is its neighbour's.
                let values: Vec<Value> = members.values().cloned().collect();
                for (member, other) in members.values_mut().zip(values.into_iter().skip(1)) {
                    *member = other;
                }
            }
            (Self::Rename, Value::Object(members)) => {
                if let Some((name, member)) =
                    members.iter().next().map(|(name, it)| (name.clone(), it.clone()))
                {
                    members.remove(&name);
                    members.insert(format!("{name}_"), member);
                }
            }
            // For another kind of value: a number in its place, or none.
            (Self::Empty | Self::Repeat | Self::Rename, Value::Number(_)) => *value = json!(0),
            (Self::Scale(_) | Self::Empty | Self::Repeat, Value::String(text)) => text.clear(),
            (Self::OfItsType { .. } | Self::Scale(_) | Self::Empty | Self::Repeat | Self::Rename, _) => {}
        }
    }
}

fn inside(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn count(value: &Value) -> usize {
    1 + inside(value).into_iter().map(count).sum::<usize>()
}

fn at<'a>(value: &'a mut Value, place: &mut usize) -> Option<&'a mut Value> {
    if *place == 0 {
        return Some(value);
    }
    *place -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| at(item, place)),
        Value::Object(members) => members.values_mut().find_map(|member| at(member, place)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_can_be_reached() {
        let value = json!({"a": [1, 2], "b": {"c": 3}});
        assert_eq!(count(&value), 6);
        let reached: Vec<Value> = (0..7)
            .filter_map(|place| at(&mut value.clone(), &mut { place }).map(|found| found.clone()))
            .collect();
        assert_eq!(reached.len(), 6);
        assert_eq!(reached[5], json!(3));
    }
}
