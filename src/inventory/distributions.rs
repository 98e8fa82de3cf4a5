//! Python packages that are here, and those that they or lists of packages name: wheels of ROCm come in sets
//! and need each other.

/// A package that is here: a wheel, or an installed one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distribution {
    /// Its name, normalised: lower case, with `-`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The packages of ROCm that it needs.
    pub requires: Vec<Requirement>,
}

/// A package that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// Its name, normalised.
    pub name: String,
    /// The only version that will do; `None` where several do or none is named.
    pub version: Option<String>,
    /// The line that asks for it, from 1.
    pub line: u64,
    /// Offset of that line in the file, in bytes.
    pub offset: u64,
}

/// What a file says of packages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stated {
    /// The metadata of a package.
    Package(Distribution),
    /// A list of packages to be installed, or that were: `requirements.txt`, `uv.lock`, `pylock.toml`, the
    /// output of `pip freeze`.
    List(Vec<Requirement>),
}

/// What a file says of packages, with its path as reports show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageStatement {
    /// The file.
    pub shown: String,
    /// What it says.
    pub stated: Stated,
}

/// A name as registries compare them: lower case, and one `-` for each run of `-`, `_` and `.`. Source: PEP
/// 503.
pub fn normalised(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '-' | '_' | '.' => {
                if !out.ends_with('-') {
                    out.push('-');
                }
            }
            letter => out.extend(letter.to_lowercase()),
        }
    }
    out
}

/// Whether a package is one of the sets that ROCm's parts come in. Sources: ROCm/TheRock,
/// `docs/packaging/python_packaging.md`; ROCm/rocm-jax.
pub fn is_of_rocm(name: &str) -> bool {
    const BEGINS: [&str; 7] = [
        "rocm-sdk-",
        "rocm-bindings-",
        "amd-torch",
        "jax-rocm",
        "pytorch-triton-rocm",
        "triton-rocm",
        "hip-python",
    ];
    name == "rocm" || BEGINS.iter().any(|begins| name.starts_with(begins))
}

/// The packages that an extra of one stands for: `rocm[libraries,device-gfx1151]` and
/// `torch[device-gfx1151]`. Source: as above.
pub fn of_extra(name: &str, extra: &str) -> Option<String> {
    match (name, extra.split_once('-')) {
        ("rocm", Some(("device", _))) | ("rocm", None) => Some(format!("rocm-sdk-{extra}")),
        ("torch" | "torchvision" | "torchaudio", Some(("device", _))) => Some(format!("amd-{name}-{extra}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_extras_are_those_of_the_packages() {
        assert_eq!(normalised("ROCm_SDK.Libraries--gfx1151"), "rocm-sdk-libraries-gfx1151");
        assert_eq!(of_extra("rocm", "device-gfx1151").as_deref(), Some("rocm-sdk-device-gfx1151"));
        assert_eq!(of_extra("rocm", "libraries").as_deref(), Some("rocm-sdk-libraries"));
        assert_eq!(of_extra("torch", "device-gfx942").as_deref(), Some("amd-torch-device-gfx942"));
        assert_eq!(of_extra("torch", "opt-einsum"), None);
        assert!(is_of_rocm("rocm") && is_of_rocm("jax-rocm10-pjrt") && !is_of_rocm("rocm-audit"));
    }
}
