//! Which rules of findings show a cause: one row for each id of the causes, and for what is known of files besides.

/// What shows a cause in the files of a tree.
#[derive(Debug)]
pub struct Row {
    /// The id: that of a [`Cause`](super::cause::Cause), or of a fact about files that no message has as its cause.
    pub id: &'static str,
    /// The rules, by their ids; one finding of them is enough. Empty where no rule shows it.
    pub rules: &'static [&'static str],
    /// What else shows it, or why nothing does. Markdown.
    pub otherwise: &'static str,
}

/// The rules that show a cause.
pub fn rules_of(id: &str) -> &'static [&'static str] {
    CATALOG.iter().find(|row| row.id == id).map_or(&[], |row| row.rules)
}

macro_rules! catalog {
    ($($id:literal [$($rule:literal)*] $otherwise:literal)*) => {
        /// All rows, by what they are about.
        pub static CATALOG: &[Row] =
            &[$(Row { id: $id, rules: &[$($rule),*], otherwise: $otherwise }),*];
    };
}

catalog! {
    // Device code.
    "FB-ARCH-MISSING" ["target-without-code"] "`--gpu`, `check --require`: libraries without code for the target"
    "FB-FEATURE-MISMATCH" ["xnack-states-differ"] "`--arch gfx90a:xnack+`: code for another state does not count"
    "FB-ID-ELF-MISMATCH" ["names-disagree"] ""
    "NAME-CONTENT-MISMATCH" ["names-disagree"] ""
    "FB-CORRUPT" ["malformed-bytes" "cut-end" "overlapping-parts" "wrong-size" "wrong-hash" "code-object-unreadable"]
        "`--verify` inflates everything"
    "FB-CCOB-COLLISION" ["magic-in-compressed-bytes"] "with `--verify`"
    "FB-GENERIC-USED" [] "`--gpu`: *through gfx11-generic*"
    "FB-SPIRV-JIT" [] "`--gpu`: *SPIR-V, compiled at run time*"
    "CO-ABI-TOO-NEW" ["code-objects-too-new"] ""
    "RT-UNKNOWN-MACH" ["runtime-without-target"] ""
    "SYS-MULTI-ARCH" ["several-targets"] "`--gpu A,B`, `explain --gpu A,B`: one GPU is served and another is not"
    "DIFF-ARCH-DROPPED" [] "two reports of `--arch`, compared; `check --require` on both"
    "XN-INCONSISTENT" ["xnack-states-differ"] ""
    "XN-NEUTRAL-APU" ["xnack-fixed-for-apu"] ""
    "XN-ISA-NAME" [] "made at run time; the message has the name"
    "ISA-ILLEGAL" ["words-of-no-instruction"] "`--isa` and `fatbin --isa` decode the code"
    "STUB-REACHED" ["trap-stub"] "the report counts kernels that only trap"
    "VGPR-BUDGET" ["registers-beyond-work-group"] "`fatbin --kernels`: registers and work group of each kernel"
    "SCRATCH-LARGE" ["much-private-memory" "register-spills"] "`fatbin --kernels`: private memory of each kernel"
    "KERNEL-NAME-ABSENT" ["kernel-absent"] "`fatbin --kernels REGEX`"
    "SYM-UNDEFINED-STUB" ["device-stub-undefined"] ""
    "CI-REQUIRE" [] "`check --require`"
    // Archives of device code.
    "KP-ARCHIVE-MISSING" ["kpack-archive-missing"] ""
    "KP-PATH-BROKEN" ["kpack-archive-missing"] ""
    "KP-OVERLAY-HOLE" ["kpack-archive-hidden" "kpack-archive-without-code"] ""
    "KP-EMPTY" ["kpack-archive-without-code"] ""
    // rocBLAS and hipBLASLt.
    "RB-ARCH-MISSING" ["target-not-served" "master-catalog-missing"] "`--gpu`, `check --require`"
    "RB-EMPTY" ["library-folder-missing"] ""
    "RB-PATH-WRONG" [] "`explain --error TEXT PATH`: the folder of the message against those of the tree"
    "RB-VERSION-MIX" ["folder-of-another-release" "catalog-unreadable" "master-catalog-unreadable"] ""
    "RB-PARTIAL" ["catalogs-without-own-code"] ""
    "RB-FALLBACK-ONLY" ["no-native-catalogs"] ""
    "RB-DANGLING" ["catalog-missing" "code-object-missing" "kernel-missing" "helper-missing" "helper-kernel-missing"] ""
    "RB-MANIFEST" ["manifest-file-missing"] ""
    "RB-ALIEN-ALIAS" ["catalog-of-another-target" "code-object-refused" "names-disagree"] ""
    "RB-MIXED-GPU" ["several-targets"] ""
    "LT-ARCH-MISSING" ["target-not-served"] "`--gpu`: hipBLASLt does not run, and who asks goes on without it"
    "LT-PROBE-HARMLESS" [] "the message says it: a name without a folder"
    "LT-REVISION-FOLDER" ["revision-folder-missing"] ""
    "LT-TRANSFORM-TARGETS" ["transform-missing"] ""
    // MIOpen, AOTriton, firmware.
    "MI-KDB-MISSING" [] "`miopen --arch --cu`: the databases that a device opens"
    "MI-KDB-UNREADABLE" ["malformed-bytes" "cut-end" "miopen-lfs-pointer"] ""
    "MI-DB-OTHER-TREE" [] "`explain --error TEXT PATH`"
    "MI-FDB-MISSING" ["no-database" "miopen-no-perf-db"] "`miopen --arch --cu`"
    "MI-CK-MISSING" ["convolutions-unversioned-missing"] "`explain --error TEXT PATH`: the file of the target"
    "MI-DB-UNBUILT" ["database-without-code" "solver-check-missing" "miopen-retired-solver"] ""
    "AT-IMAGES-MISSING" [] "`--gpu`: AOTriton has no code for the target"
    "AT-EXPERIMENTAL" [] "images are there; a variable lets them be used"
    "FW-VERSION" ["firmware-with-fault"] "the report lists the MES release of each file"
    // Libraries, loaders, packages.
    "ELF-NEEDED-MISSING" ["needed-of-another-release"] "`explain --error TEXT PATH`: whether the library is here"
    "ELF-SYMBOL-UNRESOLVED" ["symbol-unresolved"] ""
    "LINK-UNVERSIONED-MISSING" ["convolutions-unversioned-missing"] "`explain --error TEXT PATH`"
    "RT-MIX" ["runtimes-of-two-releases" "needed-of-another-release" "symbol-unresolved"] ""
    "RT-TOO-OLD" ["runtime-without-target"] ""
    "RT-WSL-HSA" ["runtimes-of-two-releases"] "the wheel's own libhsa-runtime64 is in the list of libraries"
    "PATH-SPACE" ["path-with-blank"] ""
    "PKG-NO-HIP" [] "the report finds no device code"
    "PKG-CUDA-ONLY" ["built-for-cuda"] ""
    "PKG-VARIANT-MISSING" ["variants-differ"] "`explain --error TEXT PATH`: which variants are here"
    "PKG-DEVEL-MISSING" [] "a list of files shows whether headers are here"
    "APP-ARCH-LIST" ["fused-target-names" "target-not-listed"] "`--gpu`: whether there is code for the target"
    "BL-ARCH-MISSING" [] "`explain --error TEXT PATH`: the kernel file of the card"
    // Overrides.
    "OV-SAFE" [] "`override VALUE --gpu GPU PATH`"
    "OV-UNSAFE" [] "`override VALUE --gpu GPU PATH`: instructions that the card lacks"
    "OV-UNNEEDED" [] "`override VALUE --gpu GPU PATH`"
    "OV-CROSS-MAJOR" [] "`override VALUE --gpu GPU PATH`"
    "OV-WINDOWS" [] "`override VALUE --gpu GPU PATH`"
    "OV-NOTHING-TO-LOAD" [] "`override VALUE --gpu GPU PATH`: no library has code for the value"
    // Size.
    "SZ-UNCOMPRESSED" ["uncompressed-bundles"] ""
    "SZ-DUPLICATE" ["duplicate-code-objects"] ""
    // What no file shows.
    "DEV-NONE" [] "not of files: device, driver, container"
    "DEV-KFD" [] "not of files: permissions"
    "DEV-ATOMICS" [] "not of files: the slot"
    "ENV-MIOPEN-USERDB" [] "not of files: the home folder"
    "ENV-NOFILE" [] "not of files: a limit"
    "TC-UNKNOWN-TARGET" [] "`list arches`: the LLVM that first names the target"
    "TC-ASMCAPS" [] "not of files: the toolchain"
    "TR-TARGET" [] "not of files: Triton's compiler"
    "JIT-FAILED" [] "not of files: code that is compiled at run time"
    "RT-REGRESSION" [] "not of files: the driver or runtime in use"
    "OOM" [] "not of files: memory"
    "NOT-ROCM" [] "not of ROCm"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::rules;
    use crate::messages::cause::{CAUSES, of_id};
    use std::collections::BTreeSet;

    #[test]
    fn every_cause_has_a_row_and_every_rule_exists() {
        let ids: BTreeSet<&str> = CATALOG.iter().map(|row| row.id).collect();
        assert_eq!(ids.len(), CATALOG.len(), "an id is there twice");
        for cause in CAUSES {
            assert!(ids.contains(cause.id), "{} has no row", cause.id);
        }
        for row in CATALOG {
            assert!(!row.rules.is_empty() || !row.otherwise.is_empty(), "{} says nothing", row.id);
            for rule in row.rules {
                assert!(rules::of_id(rule).is_some(), "{}: no rule {rule}", row.id);
            }
        }
        assert!(of_id("RB-ARCH-MISSING").is_some() && of_id("SZ-DUPLICATE").is_none());
    }
}
