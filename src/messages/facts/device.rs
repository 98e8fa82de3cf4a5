//! Devices: which GPU a log is about, what it was told to be, and what was listed as supported or as present
//! in files.
//!
//! A log names processors in several roles. Only one of them is that of the card: a name in a list of files,
//! of code objects or of supported targets says what is *not* looked for, and the value of an override hides
//! the card's own name.

use crate::target::product::{Product, products};

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

/// How users name their cards; `<n>` is the number.
pub(super) const CARDS: &[&str] = &["radeonrx-?<n>", "radeon\\(tm\\)rx-?<n>", "amdrx-?<n>", "gpu:rx-?<n>"];

/// The processor of Radeon RX cards of a number, where it is the same in all of them.
pub(super) fn of_card(number: u32) -> Option<&'static str> {
    let name = format!("Radeon RX {number}");
    let is_so_named = |product: &&Product| {
        product
            .name()
            .strip_prefix(name.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let mut processors = products().iter().filter(is_so_named).map(Product::processor);
    let first = processors.next()?;
    processors.all(|other| other == first).then_some(first)
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
        for (number, processor) in
            [(6600, Some("gfx1032")), (7900, Some("gfx1100")), (580, Some("gfx803")), (1, None)]
        {
            assert_eq!(of_card(number), processor, "{number}");
        }
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
