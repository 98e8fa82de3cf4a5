//! Refusals: a program or a compiler that names a target and says that it does not take it.
//!
//! Which of the two speaks, the words around it say: that of a compiler is a matter of the build, that of a
//! program one of its own list of targets.

/// How a target is refused, in any words.
pub(super) const REFUSALS: &[&str] = &[
    "<target>[:a-z+-]{0,24}[)\\]},.]{0,3}(gpu|device|arch(itecture)?|target|card|graphics)?s?(is|are|was)?(currently|yet|officially)?(notsupported|notyetsupported|notcurrentlysupported|notofficiallysupported|unsupported|notrecognized|notarecognized|notvalid|notin(the)?(list|supported|allowed|whitelist|[(\\[])|isinvalid|notlisted|notallowed|nosupportedgpu|hasno(kernel|support|implementation))",
    // Of a list that is refused, as that of an option, the first name.
    "<target>([,;|]gfx[0-9a-z:+-]{3,30}){0,20}[)\\]},.]{0,3}(is|are)?(invalid|unsupported|notsupported|unknown)",
    "(unsupported|unknown|unrecognized|unrecognised|invalid|unexpected|incompatible|unhandled|unimplemented|notsupported)(gpu|amdgpu|hip|rocm|amd|target|offload|device|cpu|isa|gfx)?(arch(itecture)?|target|isa|gfx|chip|processor|version|name|gpu|id|device|type|card)?s?(detected|found)?[:=(\\[-]{0,2}(amd(radeon|instinct)?[a-z0-9]{0,30}\\()?(amdgcn-amd-amdhsa--)?<target>",
    "keyerror:[(]?<target>",
    "<target>[:a-z0-9+-]{0,24}[a-z_]{0,20}(backend|status|support|supported)[=:]{1,2}(unsupported|none|no|false)",
    "(doesnot|doesnt|donot|dont|cannot|isnot)(currently)?(support|supported|handle|available|compatible|run|beused)(on|for|with)?(the)?(gpu|amdgpu|device|arch(itecture)?)?[:=(]{0,2}<target>",
    "no(ck|asm|kernel|kernels|config|configs|tuned[a-z]{0,12}|implementation|solution|solutions|binary|binaries|code|support)(found|available|exists?)?(for|on)(the)?(gpu|device|arch(itecture)?|target)?[:=(]{0,2}<target>",
    "notimplemented(error)?[:(]?[^:]{0,60}?(for|on)<target>",
];

/// Refusals that name no target: what a program takes instead.
pub(super) const CLOSED: &[&str] = &[
    "only(be)?(supports?|supported|available|runs?|works?|implemented|enabled|tested|compatible)(on|for|with|by)?(the)?(amd)?(mi-?[0-9]{2,3}|gfx-?[0-9]|instinct|rdna-?[0-9]|cdna-?[0-9]|rx-?[67])",
    "supports?only(amd)?(mi-?[0-9]{2,3}|gfx-?[0-9]|instinct|rdna-?[0-9]|cdna-?[0-9])",
    "only(amd)?(mi-?[0-9]{2,3}|gfx-?[0-9]|instinct|rdna-?[0-9]|cdna-?[0-9])[a-z0-9,/+-]{0,60}(is|are|gpus?)(currently)?supported",
    "onlysupports?[a-z]{0,40}?(on|for)(amd)?(mi-?[0-9]{2,3}|gfx-?[0-9]|instinct|rdna-?[0-9]|cdna-?[0-9])",
    "device_?(op|gemm|conv|mha|attention)[a-z0-9_]{0,60}(withthespecifiedcompilationparameters)?doesnotsupportthis",
    "requires(an?)?(amd)?(mi-?[0-9]{2,3}|gfx-?[0-9]|instinct|rdna-?[0-9]|cdna-?[0-9])",
    "unsupported(rocm|amd|hip)(gpu|architecture|arch|device)",
    "device_?[a-z]{3,60}_?(xdl|wmma|dl)_?[a-z0-9_]{0,60}(<[^>]{0,400}>)?doesnotsupportthisproblem",
    // Of a processor of another maker (`sm_121`) it is not.
    "unknowngpuarchitecture:([^s0-9]|$)",
    "findan?y?supported(gpu|arch(itecture)?|device|asic)[^|]{0,40}?(rocm|amd|gfx)",
    "chip_info\\.py.{0,200}?keyerror",
    "getgpuarchfromrocminfofailed",
    "computecapabilityofatleast[0-9.]{1,4}\\.?your(amd)?radeon",
    // AITER's kernels of attention, where none fits.
    "invalidargumentfor(fmha|mha|mla)_[a-z0-9_]{2,40}",
    "not(currently|yet)?(supported|available|implemented)(in|on|by|for|with)(the)?(amd)?rocm",
    "(under|on|with|for|in)(amd)?rocm(is|are)(not|un)(yet|currently)?(supported|available|implemented)",
    "rocm(does|doesnt|doesnot)(not)?(yet|currently)?support",
];

/// Who speaks, and which message it is then. The first that is near decides.
pub(super) const SPEAKERS: &[(&str, &str)] = &[
    ("triton", "triton-target"),
    // LLVM prints this, in hipcc, Julia or Mesa.
    ("recognizedprocessorforthistarget", "invalid-target-id"),
    ("specifiedhiptarget", "invalid-target-id"),
    ("compilefor", "invalid-target-id"),
    ("compilingfor", "invalid-target-id"),
    ("clang", "invalid-target-id"),
    ("hipcc", "invalid-target-id"),
    ("llvm-mc", "invalid-target-id"),
    ("lld:error", "invalid-target-id"),
    ("errorgeneratedwhencompiling", "invalid-target-id"),
    ("errorsgeneratedwhencompiling", "invalid-target-id"),
    ("cmake", "invalid-target-id"),
    ("ninja:", "invalid-target-id"),
    ("tensilecreatelibrary", "invalid-target-id"),
    ("setup.py", "invalid-target-id"),
    ("offload-arch", "invalid-target-id"),
    ("build_ext", "invalid-target-id"),
];

/// Exceptions of Python: a script refuses then, also where it is one that builds.
const EXCEPTIONS: [&str; 6] =
    ["assertionerror:", "keyerror:", "valueerror:", "notimplementederror:", "runtimeerror:", "typeerror:"];

/// Words of compilers, whose own refusal an exception may only pass on.
const COMPILERS: [&str; 6] = ["clang", "hipcc", "llvm-mc", "lld:error", "ninja:", "tensilecreatelibrary"];

/// The message of a refusal, by the squeezed text around it.
pub(in crate::messages) fn message(near: &[u8]) -> &'static str {
    let is_near = |words: &str| memchr::memmem::find(near, words.as_bytes()).is_some();
    let any_is_near = |all: &[&str]| all.iter().any(|words| is_near(words));
    if any_is_near(&EXCEPTIONS) && !any_is_near(&COMPILERS) && !is_near("triton") {
        return "app-refuses";
    }
    SPEAKERS.iter().find(|(words, _)| is_near(words)).map_or("app-refuses", |(_, message)| message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::table::of_id;

    #[test]
    fn speakers_are_of_messages() {
        assert!(SPEAKERS.iter().all(|(_, id)| of_id(id).is_some()));
        assert_eq!(message(b"keyerror:gfx1151"), "app-refuses");
        assert_eq!(message(b"clang++:error:"), "invalid-target-id");
        assert_eq!(message(b"setup.py,line218,in_archsassertionerror:oneofgfx908"), "app-refuses");
        assert_eq!(message(b"setup.py,line9runtimeerror:clang++failed:gfx908"), "invalid-target-id");
    }
}
