//! The declaration of parameters.

/// Declares parameters, each once: `/// help`, then `name: type = "default"`, and if the type has values that the
/// parameter does not take, `in` what it takes. A struct with the values, the handles by name, the definitions and the
/// reading of a configuration follow from it. Parameters that several workloads have are a `part` with a declaration of
/// its own.
#[macro_export]
macro_rules! parameters {
    (
        $(#[$of_values:meta])* $visibility:vis struct $Values:ident $(with part $part:ident: $Part:ty)*;
        $(#[$of_handles:meta])* $of_const:vis const $HANDLES:ident: $Handles:ident;
        $($(#[doc = $help:literal])+ $name:ident: $type:ty = $default:literal $(in $kind:expr)?,)+
    ) => {
        $(#[$of_values])*
        #[derive(Clone, Debug, PartialEq)]
        $visibility struct $Values {
            $($(#[doc = $help])+ $visibility $name: $type,)+
            $(/// Parameters with a declaration of their own.
            $visibility $part: $Part,)*
        }

        $(#[$of_handles])*
        $of_const struct $Handles { $($(#[doc = $help])+ $of_const $name: $crate::Handle<$type>,)+ }

        $(#[$of_handles])*
        $of_const const $HANDLES: $Handles = $Handles {
            $($name: $crate::Handle::new($crate::parameter::Parameter {
                name: stringify!($name),
                kind: $crate::parameters!(@kind $type $(, $kind)?),
                default: $default,
                help: concat!($($help),+).trim_ascii(),
            }),)+
        };

        impl $Values {
            /// Their definitions.
            $visibility const DEFINITIONS: &'static [$crate::parameter::Parameter] = &[$($HANDLES.$name.definition()),+];

            /// Reads them from a configuration.
            $visibility fn of(levels: &$crate::Levels<'_>) -> Result<Self, $crate::LevelError> {
                Ok(Self {
                    $($name: levels.read(&$HANDLES.$name)?,)+
                    $($part: <$Part>::of(levels)?,)*
                })
            }
        }
    };
    (@kind $type:ty) => { <$type as $crate::Level>::KIND };
    (@kind $type:ty, $kind:expr) => { $kind };
}

#[cfg(test)]
mod tests {
    use crate::parameter::bytes;
    use crate::{Configuration, Levels, Nanos, Value};

    parameters! {
        /// What a toy runs with.
        struct Toy;
        /// The toy's parameters.
        const TOY: ToyHandles;
        /// bytes of one read,
        /// which are whole sectors
        bs: u32 = "4KiB" in bytes(512..=8192),
        /// how long it runs
        runtime: Nanos = "2s",
        /// arrivals per second
        rate: Option<u64> = "none",
    }

    fn values(pairs: &[(&str, Value)]) -> Configuration {
        let defaults = Toy::DEFINITIONS.iter().map(|p| (p.name.to_owned(), p.parse(p.default).unwrap()));
        let mut values = Configuration(defaults.collect());
        values.0.extend(pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        values
    }

    #[test]
    fn one_declaration_defines_and_reads_a_parameter() {
        let names: Vec<&str> = Toy::DEFINITIONS.iter().map(|parameter| parameter.name).collect();
        assert_eq!(names, ["bs", "runtime", "rate"]);
        assert_eq!(TOY.bs.definition().help, "bytes of one read, which are whole sectors");
        let read = |values: &Configuration| Toy::of(&Levels::new("toy", values));
        let expected = Toy { bs: 4096, runtime: Nanos::from_millis(2000), rate: None };
        assert_eq!(read(&values(&[])), Ok(expected));
        let why = read(&values(&[TOY.bs.at(256)])).unwrap_err().to_string();
        assert_eq!(why, "toy: bs = \"256B\": expected 512B…8KiB");
    }

    #[test]
    fn a_handle_knows_the_type_of_its_levels() {
        let changed = values(&[TOY.bs.at(512), TOY.rate.at(Some(7))]);
        assert_eq!(changed.get("bs"), Some(&Value::Bytes(512)));
        assert!(TOY.bs.is(&changed, 512) && !TOY.bs.is(&changed, 4096) && TOY.rate.is(&changed, Some(7)));
        assert_eq!((TOY.bs.of(&changed), TOY.rate.of(&changed)), (Some(512), Some(Some(7))));
        assert_eq!(TOY.bs.of(&Configuration::default()), None);
    }
}
