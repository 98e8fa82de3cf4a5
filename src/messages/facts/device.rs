//! Devices: which GPU a log is about, what it was told to be, and what was listed as supported or as present
//! in files.
//!
//! A log names processors in several roles. Only one of them is that of the card: a name in a list of files,
//! of code objects or of supported targets says what is *not* looked for, and the value of an override hides
//! the card's own name.

use crate::target::product::products;
use std::sync::LazyLock;

/// In which role a text names a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// A device of the machine, as a table of devices or an error about one states it.
    Device,
    /// One of a list: of supported targets, of the code objects of a bundle, of files.
    Listed,
}

/// How the components name the GPU that they found or that they refuse. `<n>` is its number. Sources:
/// `ggml_cuda_init` of ggml-cuda.cu; `hip_fatbin.cpp` of clr; `gpu_device.cc` of TensorFlow; ollama's
/// `types.go` and `amd_linux.go`; rocminfo; `chip_info.py` of aiter; the OpenMP plug-in of LLVM.
pub(super) const DEVICES: &[&str] = &[
    "device<n>:.{2,90}?,<target>[:a-z+-]{0,24}(\\(0x|,)",
    "gpu_type=<target>",
    "library=rocm.{0,40}?compute=<target>",
    "(devices?:?|])[:-]?(amdgcn-amd-amdhsa--)?<target>[:a-z+-]{0,24}-\\[notfound]",
    "withamdgpu(version|isa):?<target>",
    "amdgpu(isa)?version:?<target>",
    "unsupportedamdgpuversion<target>",
    "gcnarchname[=:]{1,2}<target>",
    "device\\(?<n>\\)?:[^,]{2,90},amdgpuisaversion:<target>",
    "marketingname:.{0,90}?\\(<target>\\)",
    "name:amdgcn-amd-amdhsa--<target>[^-a-z]",
    "name:<target>(uuid|marketingname|$)",
    "forgpuarch:?<target>",
    "deviceisa(amdgcn-amd-amdhsa--)?<target>",
    "\\[env:<target>",
    "codeobjectsfoundfor:(amdgcn-amd-amdhsa--)?<target>",
    "forisa:(amdgcn-amd-amdhsa--)?<target>",
    "fordevice<target>",
    "gpuagent:?(amd)?<target>",
    "offload-arch(es)?[:=]<target>",
    "gpumodelsandconfiguration:.{2,80}?\\(<target>",
    "detected(rocm)?(gpu|device|arch|agent)(arch)?(itecture)?s?[:=]<target>",
    "gfx_?target[=:]{1,2}<target>",
    "(requires|supports?|only(for|on)|needs)[a-z:=(]{0,20}gfx[0-9a-f]{3,5}[^|]{0,60}?(got|found|current|actual|have|runningon)[a-z:=(]{0,24}<target>",
    "actualdevice[(:=]{1,2}<target>",
    "currentarch(itecture)?(is|:|=)<target>",
];

/// How users and programs name cards; `<card>` begins with the name, without blanks, and with what comes next.
pub(super) const CARDS: &[&str] = &[
    "radeon(\\(tm\\))?-?(?P<card>[a-z0-9-]{2,24})",
    "instinct(\\(tm\\))?-?(?P<card>mi[0-9]{2,3}[a-z0-9]{0,20})",
    "amd-?(?P<card>(rx-?[0-9]{3,4}|mi[0-9]{2,3})[a-z0-9]{0,20})",
    "gpu:(?P<card>rx-?[0-9]{3,4}[a-z0-9]{0,20})",
];

/// Names of products as they stand in squeezed texts, without the maker's, each with its processor, by processor.
static NAMES: LazyLock<Vec<(String, &str)>> = LazyLock::new(|| {
    let names = products().iter().map(|product| (squeezed(product.name()), product.processor()));
    let own = names.map(|(name, processor)| (name.trim_start_matches("radeon").to_owned(), processor));
    own.filter(|(name, _)| name.bytes().any(|byte| byte.is_ascii_digit()) || name.ends_with("vii")).collect()
});

/// The processor of the card whose name a text begins with: of the longest of the names that fit, else of the Radeon RX
/// cards of its number. None where cards of that name have different ones.
pub(super) fn of_card(text: &str) -> Option<&'static str> {
    let text = squeezed(text);
    let fits = NAMES.iter().map(|(name, _)| name).filter(|name| text.starts_with(name.as_str()));
    let longest = fits.max_by_key(|name| name.len());
    let number = || {
        let rest = text.strip_prefix("rx")?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        text.get(..digits + 2).filter(|_| digits > 2)
    };
    let mut processors: Vec<&'static str> = match (longest, number()) {
        (Some(name), _) => NAMES.iter().filter(|(known, _)| known == name).map(|(_, of)| *of).collect(),
        (None, Some(begin)) => {
            NAMES.iter().filter(|(known, _)| known.starts_with(begin)).map(|(_, of)| *of).collect()
        }
        (None, None) => Vec::new(),
    };
    processors.dedup();
    match processors[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// A name in small letters, without what stands between its words.
fn squeezed(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect()
}

/// What stands before a list of processors that are not those of the machine.
pub(super) const LISTS: &[&str] = &[
    "listofavailabletensilelibraryfiles:?",
    "bundledcodeobjects:?",
    "supported[_ ]?types[:=]{1,2}\\[",
    "supported(amdgpu)?(versions|isas|targets|arch(itecture)?s|gpus|gfxs?|devices)(are|is|include)?[:=]?",
    "availablecodeobjects:?",
    "validgpuarch",
    "compiledfor[:=]?",
    "builtfor(the)?(targets?|arch(itecture)?s)?[:=]?",
    "(amd)?gpu_targets[:=]+",
    "pytorch_rocm_arch[:=]+",
    "gpu_archs[:=]+",
    "hcc_amdgpu_target[:=]+",
    "arch(itecture)?_?list(\\(\\))?[:=]?",
];

/// Which of the devices a process uses.
pub(super) const CURRENT: &[&str] = &["currentdevice[:=]{0,2}<n>", "usingdevice(rocm)?<n>", "ondevice:<n>"];

/// A value of the variable that gives a card another name: `HSA_OVERRIDE_GFX_VERSION=10.3.0`, of one card
/// with `_0` behind it. Without a value, as in the settings that ollama prints, the variable is not set.
pub(super) const OVERRIDE: &str = r"hsa_override_gfx_version(_[0-9]{1,2})?(=|:=?|is|set|to|as|of|value|with|,|->){0,4}(?P<override>[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2})";

/// Bytes before the variable in which a writer says that it was tried, or taken away: the error was there without it.
const TRIED_BYTES: usize = 60;
const TRIED: [&str; 21] = [
    "ifiset",
    "ifitry",
    "ifiuse",
    "ifirun",
    "ifiadd",
    "ifiexport",
    "ifistart",
    "wheni",
    "ifyou",
    "orif",
    "tried",
    "tryto",
    "trying",
    "trywith",
    "unset",
    "without",
    "remov",
    "adding",
    "iadd",
    "canset",
    "havetoset",
];

/// Whether the squeezed text `before` a value of the variable only tells of a try with it.
pub(in crate::messages) fn is_tried(before: &[u8]) -> bool {
    let near = before.get(before.len().saturating_sub(TRIED_BYTES)..).unwrap_or_default();
    TRIED.iter().any(|words| memchr::memmem::find(near, words.as_bytes()).is_some())
}

/// The processor that a value of an override names: `9.0.10` is gfx90a.
pub fn of_override(value: &str) -> Option<String> {
    let mut parts = value.split('.').map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor)), Some(Ok(stepping)), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return None;
    };
    Some(format!("gfx{major}{minor:x}{stepping:x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_have_processors() {
        for (name, processor) in [
            ("rx6600", Some("gfx1032")),
            ("rx-6600xtfails", Some("gfx1032")),
            ("rx7900xtxwithrocm", Some("gfx1100")),
            ("rx580", Some("gfx803")),
            ("780mgraphics", Some("gfx1103")),
            ("viiunderlinux", Some("gfx906")),
            ("mi50", Some("gfx906")),
            ("mi100on", Some("gfx908")),
            // Several processors have been sold under this name, and no card has this number.
            ("r7", None),
            ("rx1", None),
            ("graphics", None),
        ] {
            assert_eq!(of_card(name), processor, "{name}");
        }
    }

    #[test]
    fn tries_of_an_override_are_told_from_settings() {
        assert!(is_tried(b"invaliddevicefunction.ifitrytousethevariable"));
        assert!(is_tried(b"butwhenirunwithoutexport"));
        assert!(!is_tried(b"gfx1103,rocm6.2,exported"));
    }

    #[test]
    fn overrides_name_processors() {
        for (value, name) in
            [("10.3.0", "gfx1030"), ("9.0.10", "gfx90a"), ("9.4.2", "gfx942"), ("11.5.1", "gfx1151")]
        {
            assert_eq!(of_override(value).as_deref(), Some(name));
        }
        assert_eq!(of_override("11.0"), None);
    }
}
