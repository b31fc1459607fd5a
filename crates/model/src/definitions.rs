//! The definitions of all parameters of a workload: the list that its values are parsed, read and described by.

use crate::every_trial::TrialParameters;
use crate::parameter::Parameter;
use crate::{Absent, Configuration, WithoutEffect, suggestion};

/// The parameters of a workload, and what some of them decide.
#[derive(Clone, Copy, Debug)]
pub struct Definitions {
    /// The workload's name in study files.
    pub workload: &'static str,
    /// Its own parameters, a list for each declaration.
    pub parameters: &'static [&'static [Parameter]],
    /// Parameters that change how files are laid out: whole-plot factors, re-prepared every round when varied.
    pub placement: &'static [&'static str],
    /// Parameters that set how much room a trial takes.
    pub sizes: &'static [&'static str],
    /// Which of them change nothing in some configurations.
    pub without_effect: &'static [WithoutEffect],
    /// Which of them do not exist in some configurations.
    pub absent: &'static [Absent],
}

impl Definitions {
    /// Every parameter, the workload's own first.
    pub fn all(&self) -> impl Iterator<Item = &'static Parameter> + Clone + use<> {
        self.parameters.iter().copied().flatten().chain(TrialParameters::DEFINITIONS)
    }

    /// Finds a parameter; the error names the nearest known one.
    pub fn parameter(&self, name: &str) -> Result<&'static Parameter, String> {
        self.all()
            .find(|parameter| parameter.name == name)
            .ok_or_else(|| suggestion::unknown("parameter", name, self.all().map(|parameter| parameter.name)))
    }

    /// Parameters that change nothing in this configuration, each with the reason.
    pub fn without_effect(
        &self,
        values: &Configuration,
    ) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let holding: Vec<&WithoutEffect> =
            self.without_effect.iter().filter(|rule| (rule.holds)(values)).collect();
        holding.into_iter().flat_map(|rule| rule.parameters.iter().map(|name| (*name, rule.because)))
    }

    /// The configuration of defaults. Defaults are constants of this program, so each parses.
    pub fn defaults(&self) -> Configuration {
        let pairs = self.all().filter_map(|parameter| {
            parameter.parse(parameter.default).ok().map(|value| (parameter.name.to_owned(), value))
        });
        Configuration(pairs.collect())
    }
}
