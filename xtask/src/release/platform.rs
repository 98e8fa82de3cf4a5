//! The platforms that a release is made for, and what each kind of package calls them.

use anyhow::{Result, bail};

/// A platform and its names.
#[derive(Debug)]
pub(super) struct Platform {
    /// As the options of this program call it.
    pub name: &'static str,
    /// Rust's target. On Linux the program is linked with musl and without any shared library.
    pub target: &'static str,
    /// Debian's name of the architecture, if a `.deb` is made.
    pub deb: Option<&'static str>,
    /// RPM's name of it, if an `.rpm` is made.
    pub rpm: Option<&'static str>,
    /// The tags of the wheel. A static program runs wherever the kernel does: with glibc and with musl.
    pub wheel: &'static [&'static str],
    /// Node's names of system and processor.
    pub npm: (&'static str, &'static str),
    /// The processor as images of containers call it, if an image is made.
    pub image: Option<&'static str>,
}

/// Every platform, the one that most people have first.
pub(super) const PLATFORMS: &[Platform] = &[
    Platform {
        name: "linux-x86_64",
        target: "x86_64-unknown-linux-musl",
        deb: Some("amd64"),
        rpm: Some("x86_64"),
        wheel: &["manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64"],
        npm: ("linux", "x64"),
        image: Some("amd64"),
    },
    Platform {
        name: "linux-aarch64",
        target: "aarch64-unknown-linux-musl",
        deb: Some("arm64"),
        rpm: Some("aarch64"),
        wheel: &["manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64"],
        npm: ("linux", "arm64"),
        image: Some("arm64"),
    },
    Platform {
        name: "windows-x86_64",
        target: "x86_64-pc-windows-gnu",
        deb: None,
        rpm: None,
        wheel: &["win_amd64"],
        npm: ("win32", "x64"),
        image: None,
    },
    Platform {
        name: "macos-aarch64",
        target: "aarch64-apple-darwin",
        deb: None,
        rpm: None,
        wheel: &["macosx_11_0_arm64"],
        npm: ("darwin", "arm64"),
        image: None,
    },
];

impl Platform {
    /// The platform of a name.
    ///
    /// # Errors
    /// No platform has that name; the message lists those that exist.
    pub fn named(name: &str) -> Result<&'static Platform> {
        match PLATFORMS.iter().find(|platform| platform.name == name) {
            Some(platform) => Ok(platform),
            None => {
                let names: Vec<&str> = PLATFORMS.iter().map(|platform| platform.name).collect();
                bail!("no such platform: {name}. There are {}", names.join(", "))
            }
        }
    }

    /// The file of the program.
    pub fn program(&self) -> &'static str {
        if self.is_windows() { "rocm-audit.exe" } else { "rocm-audit" }
    }

    /// Whether it is Windows, whose archives are zip files.
    pub fn is_windows(&self) -> bool {
        self.npm.0 == "win32"
    }

    /// Whether programs for it run where this one does.
    pub fn is_here(&self) -> bool {
        self.name == format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_found_by_name_and_unknown_ones_are_refused() {
        assert_eq!(Platform::named("linux-x86_64").unwrap().program(), "rocm-audit");
        assert_eq!(Platform::named("windows-x86_64").unwrap().program(), "rocm-audit.exe");
        let error = Platform::named("linux-mips").unwrap_err().to_string();
        assert!(error.contains("linux-aarch64, windows-x86_64"), "{error}");
    }

    #[test]
    fn only_linux_has_its_packages_and_images() {
        for platform in PLATFORMS {
            let is_linux = platform.npm.0 == "linux";
            let linux_only = [platform.deb, platform.rpm, platform.image].map(|name| name.is_some());
            assert_eq!(linux_only, [is_linux; 3], "{}", platform.name);
        }
    }
}
