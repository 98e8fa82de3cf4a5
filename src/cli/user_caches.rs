//! Where programs keep what they compile or measure at run time, for the user who calls.
//!
//! Sources: Triton 3.9 `knobs.py`; PyTorch `torch/_inductor/runtime/cache_dir_utils.py`; LLVM
//! `amd/comgr/src/comgr-env.cpp`; MIOpen `docs/conceptual/cache.rst` and `perfdb.rst`; rocFFT
//! `library/src/rtc_cache.cpp`; JAX `docs/persistent_compilation_cache.md`.

use crate::inventory::UserPlace;
use std::path::PathBuf;

/// A cache: whose it is, the variable that names its place, and the default.
struct KnownCache {
    of: &'static str,
    variable: Option<&'static str>,
    default: Option<Below>,
}

/// Where a default begins.
enum Below {
    Home(&'static str),
    /// `$XDG_CACHE_HOME`, or `~/.cache`.
    Cache(&'static str),
    /// The folder for temporary files, with the user's name behind it.
    Temporary(&'static str),
}

const KNOWN: [KnownCache; 9] = [
    KnownCache {
        of: "Triton",
        variable: Some("TRITON_CACHE_DIR"),
        default: Some(Below::Home(".triton/cache")),
    },
    KnownCache {
        of: "torchinductor",
        variable: Some("TORCHINDUCTOR_CACHE_DIR"),
        default: Some(Below::Temporary("torchinductor_")),
    },
    KnownCache { of: "comgr", variable: Some("AMD_COMGR_CACHE_DIR"), default: Some(Below::Cache("comgr")) },
    KnownCache {
        of: "MIOpen, databases",
        variable: Some("MIOPEN_USER_DB_PATH"),
        default: Some(Below::Home(".config/miopen")),
    },
    KnownCache {
        of: "MIOpen, kernels",
        variable: Some("MIOPEN_CUSTOM_CACHE_DIR"),
        default: Some(Below::Cache("miopen")),
    },
    KnownCache {
        of: "rocFFT",
        variable: Some("ROCFFT_RTC_CACHE_PATH"),
        default: Some(Below::Cache("rocFFT")),
    },
    KnownCache { of: "JAX", variable: Some("JAX_COMPILATION_CACHE_DIR"), default: None },
    KnownCache { of: "XLA", variable: Some("TF_XLA_HSACO_CACHE_DIR"), default: None },
    KnownCache {
        of: "CuPy",
        variable: Some("CUPY_CACHE_DIR"),
        default: Some(Below::Home(".cupy/kernel_cache")),
    },
];

/// The places, each once, whether something is there or not. A cache that only a variable names, and none
/// does, has no place.
pub(super) fn places() -> Vec<UserPlace> {
    let set =
        |variable: &str| std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("HOME").or_else(|| set("USERPROFILE"));
    let default = |below: &Below| match below {
        Below::Home(path) => Some(home.clone()?.join(path)),
        Below::Cache(path) => {
            Some(set("XDG_CACHE_HOME").or_else(|| Some(home.clone()?.join(".cache")))?.join(path))
        }
        Below::Temporary(begin) => {
            let user = set("USER").or_else(|| set("LOGNAME"))?;
            Some(std::env::temp_dir().join(format!("{begin}{}", user.display())))
        }
    };
    let place = |known: &KnownCache| {
        let named = known.variable.and_then(|variable| Some((variable, set(variable)?)));
        let (variable, path) = match named {
            Some((variable, path)) => (Some(variable), path),
            None => (None, default(known.default.as_ref()?)?),
        };
        let is_there = path.exists();
        Some(UserPlace { of: known.of, path: path.to_string_lossy().into_owned(), variable, is_there })
    };
    KNOWN.iter().filter_map(place).collect()
}
