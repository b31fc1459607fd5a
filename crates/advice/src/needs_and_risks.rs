//! What a new value needs and risks, in one clause.

use crate::setting::Setting;

impl Setting {
    /// `needs a restart and version 18 and later; risk: each commit takes up to this much longer`.
    pub(crate) fn needs_and_risks(&self) -> String {
        let version = (!self.versions.are_all()).then(|| format!("version {}", self.versions.text()));
        let needs: Vec<String> =
            self.takes_effect.need().map(str::to_owned).into_iter().chain(version).collect();
        let requires = self.requires.iter().map(|clause| (*clause).to_owned());
        let needs: Vec<String> = needs.into_iter().chain(requires).collect();
        let needs = if needs.is_empty() { "nothing else".to_owned() } else { needs.join(", ") };
        let risks = if self.risks.is_empty() { "none known".to_owned() } else { self.risks.join("; ") };
        format!("needs {needs}; risk: {risks}")
    }
}
