//! Parameters with the type of their values. [`parameters!`](crate::parameters!) declares each once.

use crate::parameter::Parameter;
use crate::{Configuration, Level, Value};
use std::marker::PhantomData;

/// A parameter whose values have this type.
pub struct Handle<T> {
    definition: Parameter,
    values: PhantomData<fn() -> T>,
}

impl<T: Level> Handle<T> {
    /// The parameter of this definition.
    pub const fn new(definition: Parameter) -> Self {
        Self { definition, values: PhantomData }
    }

    /// Its definition.
    pub const fn definition(&self) -> Parameter {
        self.definition
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.definition.name
    }

    /// Its name with a level, as a configuration has it.
    pub fn at(&self, level: T) -> (&'static str, Value) {
        (self.name(), level.to_value(self.definition.kind))
    }

    /// Its level; `None` if the configuration has none that it allows.
    pub fn of(&self, values: &Configuration) -> Option<T> {
        let allowed = values.get(self.name()).filter(|value| self.definition.kind.allows(value))?;
        T::from_value(allowed, self.definition.kind)
    }

    /// Whether a configuration has this level.
    pub fn is(&self, values: &Configuration, level: T) -> bool {
        values.get(self.name()) == Some(&level.to_value(self.definition.kind))
    }
}
