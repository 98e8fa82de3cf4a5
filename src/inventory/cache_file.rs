//! Recognises entries of caches: files that were compiled or measured at run time and kept for a user.

use super::{Artifact, ArtifactKind};
use crate::locator::file_name;
use std::path::Component;

/// Who keeps code objects that were translated for another GPU.
pub const HOTSWAP: &str = "HotSwap";

/// Whether a file is named as HotSwap names what it keeps: the runtime's `SALT/KEY.co` (16 digits each),
/// comgr's `KK/KEY.hsaco` (64 digits, in a folder of their first two) and the metadata beside it.
pub fn is_of_hotswap(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_hash =
        |text: &str, digits: usize| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    match name.split_once('.') {
        Some((key, "co")) => is_hash(key, 16) && is_hash(folder, 16),
        Some((key, "hsaco" | "json")) => is_hash(key, 64) && folder.len() == 2 && key.starts_with(folder),
        _ => false,
    }
}

impl Artifact {
    /// The cache that a file belongs to, and how many folders above the file the cache begins.
    pub fn cache(&self) -> Option<(&'static str, usize)> {
        let name = file_name(&self.shown);
        if name.starts_with("llvmcache-") {
            return Some(("comgr", 1));
        }
        let within = |is: &dyn Fn(&str) -> bool| {
            let names = self.locator.path.components().filter_map(|part| match part {
                Component::Normal(name) => name.to_str(),
                _ => None,
            });
            names.chain(self.shown.split('/')).any(is)
        };
        match &self.kind {
            ArtifactKind::KernelDb(_) if name.ends_with(".ukdb") => Some(("MIOpen, kernels", 1)),
            ArtifactKind::FindDb(_) if name.contains(".ufdb") => Some(("MIOpen, measured", 1)),
            ArtifactKind::PerfDb(_) if name.contains(".udb") => Some(("MIOpen, tuned", 1)),
            _ if is_of_hotswap(&self.shown) => Some((HOTSWAP, 2)),
            _ if self.scanner == "rocfft-cache" => Some(("rocFFT", 1)),
            // XLA's programs as JAX stores them: `jit_NAME-HASH-cache`.
            _ if self.scanner == "searched" && name.ends_with("-cache") => Some(("JAX", 1)),
            _ if within(&|part| part == ".cupy") => Some(("CuPy", 1)),
            _ if !name.ends_with(".hsaco") && within(&|part| part.starts_with("torchinductor_")) => {
                Some(("torchinductor", 1))
            }
            _ => None,
        }
    }
}
