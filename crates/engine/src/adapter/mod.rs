//! The engines, one file each, and the list of them.
//!
//! To add an engine: write its file beside these, implement [`Engine`] and [`Adapter`] for it, give it a feature of its
//! own name, and add its line to the list at the end of this file.

#[cfg(feature = "fjall")]
mod fjall;
#[cfg(feature = "fjall")]
mod fjall_log;
#[cfg(feature = "lmdb")]
mod lmdb;
mod memory;
mod noop;
#[cfg(feature = "redb")]
mod redb;
#[cfg(feature = "rocksdb")]
mod rocksdb;
#[cfg(feature = "rocksdb")]
mod rocksdb_options;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod store_settings;

#[cfg(feature = "fjall")]
pub use self::fjall::Fjall;
#[cfg(feature = "lmdb")]
pub use self::lmdb::Lmdb;
pub use self::memory::Memory;
pub use self::noop::Noop;
#[cfg(feature = "redb")]
pub use self::redb::Redb;
#[cfg(feature = "rocksdb")]
pub use self::rocksdb::RocksDb;
#[cfg(feature = "sqlite")]
pub use self::sqlite::Sqlite;
pub use self::store::Store;

use crate::{Adapter, DurabilityLevel, Engine, EngineError, Knob, Options, Stats};
use model::Key;
use model::mechanism::Measured;

/// The level of `E` that the options choose, with its place in the list.
fn level<E: Adapter>(options: &Options) -> Result<(&'static DurabilityLevel, E::NativeLevel), EngineError> {
    let found = match &options.durability {
        None => E::LEVELS.get(E::DEFAULT_LEVEL),
        Some(name) => {
            let place = DurabilityLevel::place(E::LEVELS.iter().map(|(level, _)| level), name);
            place.and_then(|place| E::LEVELS.get(place))
        }
    };
    let (level, setting) = found.ok_or_else(|| EngineError::UnknownLevel {
        engine: E::NAME,
        level: options.durability.clone().unwrap_or_default(),
        known: E::LEVELS.iter().map(|(level, _)| level.name).collect::<Vec<_>>().join(", "),
    })?;
    Ok((level, *setting))
}

/// What the options ask for and `E` does not have.
fn refuse_unsupported<E: Adapter>(options: &Options) -> Result<(), EngineError> {
    match E::UNSUPPORTED.iter().find(|(knob, _)| knob.is_set(options)) {
        None => Ok(()),
        Some((_, why)) => Err(EngineError::Unsupported { engine: E::NAME, why: (*why).to_owned() }),
    }
}

/// Checks the options, makes the store's directory and opens the engine.
///
/// # Errors
/// A setting or level that the engine does not have; a directory that is not its own; what the engine said.
pub fn open<E: Adapter>(options: &Options) -> Result<E, EngineError> {
    refuse_unsupported::<E>(options)?;
    let (level, setting) = level::<E>(options)?;
    let data = if E::PERSISTENT {
        crate::store::prepare(&options.directory, &format!("{} at {}", E::NAME, level.name))?
    } else {
        options.directory.clone()
    };
    E::open(options, &data, setting)
}

/// Writes [`EngineKind`] and [`AnyEngine`] from the list of engines.
macro_rules! engines {
    ($($(#[doc = $doc:literal])+ $(#[cfg($built_in:meta)])? $name:literal => $engine:ident,)+) => {
        /// The engines, as a study names them, built in or not.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EngineKind {
            $($(#[doc = $doc])+ $engine,)+
        }

        impl EngineKind {
            /// Every engine, in the order of the list.
            pub const ALL: &'static [Self] = &[$(Self::$engine),+];
            /// Their names, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($name),+];
            /// Those that this program was built with.
            pub const BUILT_IN: &'static [Self] = &[$($(#[cfg($built_in)])? Self::$engine),+];

            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$engine),)+
                    _ => None,
                }
            }

            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$engine => $name,)+
                }
            }

            /// Whether a store of this engine can be reopened.
            ///
            /// # Errors
            /// [`EngineError::NotBuiltIn`].
            pub fn is_persistent(self) -> Result<bool, EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine => Ok($engine::PERSISTENT),)+
                    $($(#[cfg(not($built_in))] Self::$engine => {
                        Err(EngineError::NotBuiltIn { engine: $name })
                    })?)+
                }
            }

            /// Whether the engine has this setting.
            ///
            /// # Errors
            /// [`EngineError::NotBuiltIn`].
            pub fn has(self, knob: Knob) -> Result<bool, EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine => {
                        Ok($engine::UNSUPPORTED.iter().all(|(other, _)| *other != knob))
                    })+
                    $($(#[cfg(not($built_in))] Self::$engine => {
                        Err(EngineError::NotBuiltIn { engine: $name })
                    })?)+
                }
            }

            /// The engine's durability levels, weakest first.
            ///
            /// # Errors
            /// [`EngineError::NotBuiltIn`].
            pub fn levels(self) -> Result<Vec<&'static DurabilityLevel>, EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine => {
                        Ok($engine::LEVELS.iter().map(|(level, _)| level).collect())
                    })+
                    $($(#[cfg(not($built_in))] Self::$engine => {
                        Err(EngineError::NotBuiltIn { engine: $name })
                    })?)+
                }
            }

            /// The durability level that the options choose, and so the class of what they acknowledge.
            ///
            /// # Errors
            /// [`EngineError::NotBuiltIn`], [`EngineError::UnknownLevel`].
            pub fn level(self, options: &Options) -> Result<&'static DurabilityLevel, EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine => Ok(level::<$engine>(options)?.0),)+
                    $($(#[cfg(not($built_in))] Self::$engine => {
                        Err(EngineError::NotBuiltIn { engine: $name })
                    })?)+
                }
            }

            /// Opens the engine on a store of its own, which is made if it does not exist.
            ///
            /// # Errors
            /// Not built in; a setting or level that the engine does not have; a directory that is not its own; what
            /// the engine said.
            pub fn open(self, options: &Options) -> Result<AnyEngine, EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine => {
                        open::<$engine>(options).map(AnyEngine::$engine)
                    })+
                    $($(#[cfg(not($built_in))] Self::$engine => {
                        Err(EngineError::NotBuiltIn { engine: $name })
                    })?)+
                }
            }
        }

        /// Any one of the engines that are built in: one branch per operation, and no dynamic call.
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant, reason = "there is one per trial")]
        pub enum AnyEngine {
            $($(#[doc = $doc])+ $(#[cfg($built_in)])? $engine($engine),)+
        }

        impl AnyEngine {
            /// Which engine it is.
            pub const fn kind(&self) -> EngineKind {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine(_) => EngineKind::$engine,)+
                }
            }
        }

        impl Engine for AnyEngine {
            #[inline]
            fn put(&self, key: &[u8], value: &[u8]) -> Result<(), EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine(engine) => engine.put(key, value),)+
                }
            }

            #[inline]
            fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine(engine) => engine.get(key, value),)+
                }
            }

            #[inline]
            fn multi_get(
                &self,
                keys: &[Key],
                sink: impl FnMut(usize, Option<&[u8]>),
            ) -> Result<(), EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine(engine) => engine.multi_get(keys, sink),)+
                }
            }

            #[inline]
            fn delete(&self, key: &[u8]) -> Result<(), EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine(engine) => engine.delete(key),)+
                }
            }

            #[inline]
            fn scan(
                &self,
                start: &[u8],
                limit: usize,
                sink: impl FnMut(&[u8], &[u8]),
            ) -> Result<usize, EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine(engine) => engine.scan(start, limit, sink),)+
                }
            }

            #[inline]
            fn sync(&self) -> Result<(), EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine(engine) => engine.sync(),)+
                }
            }

            fn drain(&self) -> Result<Measured<f64>, EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine(engine) => engine.drain(),)+
                }
            }

            fn stats(&self) -> Stats {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine(engine) => engine.stats(),)+
                }
            }

            fn close(self) -> Result<(), EngineError> {
                match self {
                    $($(#[cfg($built_in)])? Self::$engine(engine) => engine.close(),)+
                }
            }
        }
    };
}

engines! {
    /// Does nothing at all: measures the instrument.
    "noop" => Noop,
    /// A sorted map in memory: the reference that the others are compared with.
    "memory" => Memory,
    /// Syncline's own LSM tree, whose every I/O decision is an option.
    "store" => Store,
    /// An LSM tree in Rust.
    #[cfg(feature = "fjall")]
    "fjall" => Fjall,
    /// A memory-mapped B+ tree with copy on write.
    #[cfg(feature = "lmdb")]
    "lmdb" => Lmdb,
    /// A B+ tree in Rust with copy on write.
    #[cfg(feature = "redb")]
    "redb" => Redb,
    /// A B-tree with a write-ahead log, below SQL.
    #[cfg(feature = "sqlite")]
    "sqlite" => Sqlite,
    /// The LSM tree that others are measured by.
    #[cfg(feature = "rocksdb")]
    "rocksdb" => RocksDb,
}
