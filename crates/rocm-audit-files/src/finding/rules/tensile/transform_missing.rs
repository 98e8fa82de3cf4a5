//! The rule `transform-missing`.

use crate::finding::rule::rule;

rule! {
    /// hipBLASLt's kernels for changing the layout of matrices are not there for a target that has catalogs.
    ///
    /// `hipblasltTransform.hsaco` has the kernels of `hipblasLtMatrixTransform`, for all targets in one file. Its
    /// code objects are compared with the targets that have a master catalog in the folder. Debian's hipBLASLt
    /// 7.1.1 has it for gfx908 alone, and catalogs for six targets. That the call fails then is inferred from the
    /// HIP runtime's rule, which loads no code object of another target.
    ///
    /// Matrix products do not need these kernels, and few programs call the function. A folder without the file
    /// is another case and is not found here.
    TRANSFORM_MISSING {
        id: "transform-missing",
        severity: Note,
        confidence: Certain,
        known: Observed,
        what: "hipblasltTransform.hsaco has no code for this target",
        effect: "hipblasLtMatrixTransform fails on it; matrix products are not affected",
        effect_known: Inferred,
        advice: "build hipBLASLt with this target among those of its transform kernels, if a program calls the function",
    }
}
