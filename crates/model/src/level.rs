//! Levels: the types of the values that parameters have. A closed set of names is an enum that is defined once.

use crate::parameter::ParameterKind;
use crate::{FileSystem, IoCap, Nanos, Settings, Shares, Sizes, Teams, Value, Zones};
use std::path::PathBuf;

/// The level of a parameter that is left out.
const NONE: &str = "none";

/// A type of values that a parameter has.
pub trait Level: Sized {
    /// What a parameter of this type takes, unless its declaration says less.
    const KIND: ParameterKind;

    /// Reads a value that the kind allows.
    fn from_value(value: &Value, kind: ParameterKind) -> Option<Self>;

    /// The value as a configuration has it.
    fn to_value(self, kind: ParameterKind) -> Value;
}

/// A level and the value that it is: `level!(type, kind, value => level, level => value)`.
macro_rules! level {
    ($type:ty, $kind:expr, $value:pat => $read:expr, $level:ident => $written:expr) => {
        impl Level for $type {
            const KIND: ParameterKind = $kind;

            fn from_value(value: &Value, _: ParameterKind) -> Option<Self> {
                if let $value = value { $read } else { None }
            }

            fn to_value(self, _: ParameterKind) -> Value {
                let $level = self;
                $written
            }
        }
    };
}

level!(f64, ParameterKind::Number { min: f64::MIN, max: f64::MAX }, Value::Number(n) => Some(*n), n => Value::Number(n));
level!(Nanos, ParameterKind::Duration, Value::Duration(time) => Some(*time), time => Value::Duration(time));
level!(bool, ParameterKind::Flag, Value::Flag(flag) => Some(*flag), flag => Value::Flag(flag));
level!(String, ParameterKind::Name, Value::Name(name) => Some(name.clone()), name => Value::Name(name));
level!(FileSystem, ParameterKind::FileSystem, Value::Name(text) => Self::parse(text).ok(), of => Value::Name(of.to_string()));
level!(Settings, ParameterKind::Settings, Value::Name(text) => Self::parse(text).ok(), of => Value::Name(of.to_string()));
level!(Sizes, ParameterKind::Sizes, Value::Name(text) => Self::parse(text).ok(), of => Value::Name(of.to_string()));
level!(Teams, ParameterKind::Teams, Value::Name(text) => Self::parse(text).ok(), of => Value::Name(of.to_string()));
level!(Zones, ParameterKind::Zones, Value::Name(text) => Self::parse(text).ok(), of => Value::Name(of.to_string()));
level!(
    Option<String>,
    ParameterKind::Place,
    Value::Name(place) => Some((place != NONE).then(|| place.clone())),
    place => Value::Name(place.unwrap_or_else(|| NONE.to_owned()))
);

level!(
    Option<IoCap>,
    ParameterKind::IoCap,
    Value::Name(text) => if text == NONE { Some(None) } else { IoCap::parse(text).ok().map(Some) },
    cap => Value::Name(cap.map_or_else(|| NONE.to_owned(), |cap| cap.to_string()))
);

level!(
    Option<PathBuf>,
    ParameterKind::Place,
    Value::Name(place) => Some((place != NONE).then(|| PathBuf::from(place))),
    place => Value::Name(place.map_or_else(|| NONE.to_owned(), |place| place.to_string_lossy().into_owned()))
);

/// Whole numbers: counts, or sizes if the declaration says so; optional ones are counts.
macro_rules! whole_number {
    ($type:ty) => {
        impl Level for $type {
            const KIND: ParameterKind = ParameterKind::Count { min: 0, max: <$type>::MAX as u64 };

            fn from_value(value: &Value, _: ParameterKind) -> Option<Self> {
                let (Value::Bytes(number) | Value::Count(number)) = value else { return None };
                Self::try_from(*number).ok()
            }

            fn to_value(self, kind: ParameterKind) -> Value {
                let is_size = matches!(kind, ParameterKind::Bytes { .. });
                if is_size { Value::Bytes(self.into()) } else { Value::Count(self.into()) }
            }
        }

        level!(
            Option<$type>,
            ParameterKind::OptionalCount { max: <$type>::MAX as u64 },
            value @ (Value::Name(_) | Value::Count(_)) => Some(<$type>::from_value(value, Self::KIND)),
            count => count.map_or_else(|| Value::Name(NONE.to_owned()), |count| Value::Count(count.into()))
        );
    };
}

whole_number!(u32);
whole_number!(u64);

/// These levels of an enum, or one that stands for none of them.
macro_rules! optional_level {
    ($(#[$of_level:meta])* $Enum:ident or $none:expr => [$($level:expr),+]) => {
        $(#[$of_level])*
        impl $crate::Level for Option<$Enum> {
            const KIND: $crate::parameter::ParameterKind = $crate::parameter::ParameterKind::Choice(&[$none, $($level.name()),+]);

            fn from_value(value: &$crate::Value, kind: $crate::parameter::ParameterKind) -> Option<Self> {
                Some(<$Enum as $crate::Level>::from_value(value, kind))
            }

            fn to_value(self, kind: $crate::parameter::ParameterKind) -> $crate::Value {
                self.map_or_else(|| $crate::Value::Name($none.to_owned()), |level| <$Enum as $crate::Level>::to_value(level, kind))
            }
        }
    };
}

/// Some of the names that the declaration lists.
impl Level for Shares {
    const KIND: ParameterKind = ParameterKind::Shares(&[]);

    fn from_value(value: &Value, kind: ParameterKind) -> Option<Self> {
        let (Value::Name(text), ParameterKind::Shares(names)) = (value, kind) else { return None };
        Self::parse(text, names).ok()
    }

    fn to_value(self, _: ParameterKind) -> Value {
        Value::Name(self.to_string())
    }
}

/// One of the names that the declaration lists.
impl Level for &'static str {
    const KIND: ParameterKind = ParameterKind::Choice(&[]);

    fn from_value(value: &Value, kind: ParameterKind) -> Option<Self> {
        let (Value::Name(name), ParameterKind::Choice(names)) = (value, kind) else { return None };
        names.iter().find(|known| *known == name).copied()
    }

    fn to_value(self, _: ParameterKind) -> Value {
        Value::Name(self.to_owned())
    }
}

/// Defines an enum of levels: `Variant = "name"`. A name stands here and nowhere else, so what a schema allows and what
/// its workload reads are the same list.
#[macro_export]
macro_rules! levels {
    ($(#[$of_enum:meta])* $visibility:vis enum $Enum:ident { $($(#[$of_variant:meta])* $Variant:ident = $name:literal,)+ }) => {
        $(#[$of_enum])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility enum $Enum { $($(#[$of_variant])* $Variant,)+ }

        impl $Enum {
            /// The names of all levels.
            $visibility const NAMES: &'static [&'static str] = &[$($name),+];

            /// Reads a level.
            $visibility fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$Variant),)+
                    _ => None,
                }
            }

            /// The level's name.
            $visibility const fn name(self) -> &'static str {
                match self {
                    $(Self::$Variant => $name,)+
                }
            }
        }

        impl $crate::Level for $Enum {
            const KIND: $crate::parameter::ParameterKind = $crate::parameter::ParameterKind::Choice(Self::NAMES);

            fn from_value(value: &$crate::Value, _: $crate::parameter::ParameterKind) -> Option<Self> {
                if let $crate::Value::Name(name) = value { Self::from_name(name) } else { None }
            }

            fn to_value(self, _: $crate::parameter::ParameterKind) -> $crate::Value {
                $crate::Value::Name(self.name().to_owned())
            }
        }

        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

#[cfg(test)]
mod tests {
    levels! {
        /// Two ways.
        enum Way {
            Up = "up",
            Down = "down",
        }
    }

    #[test]
    fn a_level_is_its_name() {
        assert_eq!(Way::NAMES, ["up", "down"]);
        for name in Way::NAMES {
            assert_eq!(Way::from_name(name).map(Way::name), Some(*name));
        }
        assert_eq!(Way::from_name("left"), None);
        assert_eq!(Way::Down.to_string(), "down");
    }
}
