//! Levels: the closed sets of names that parameters take, each an enum defined once.

/// An enum whose variants are a parameter's levels: [`levels!`](crate::levels!) defines one.
pub trait Level: Sized {
    /// Reads a level.
    fn from_name(name: &str) -> Option<Self>;
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
            fn from_name(name: &str) -> Option<Self> {
                Self::from_name(name)
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
            /// Up.
            Up = "up",
            /// Down.
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
