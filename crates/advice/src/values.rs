//! Values of a setting, as a rule names them.

/// Some values of a setting.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    These(&'static [&'static str]),
    /// Every other value.
    AllBut(&'static str),
}

/// Values of another setting with which the database ignores a setting.
#[derive(Clone, Copy, Debug)]
pub struct Override {
    pub setting: &'static str,
    pub values: Values,
}
