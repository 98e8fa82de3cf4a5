//! The rule `manifest-kernel-missing`.

use crate::finding::rule::rule;

rule! {
    /// A table of kernels names a code object that is not in the tree.
    ///
    /// AITER has its assembly kernels as files below `hsa/PROCESSOR`, and tables in CSV beside them that say which file serves which
    /// call (columns `knl_name` and `co_name`). The tables are compiled into its modules, and a file is opened when a call first needs
    /// it: where it is missing the call fails, and others go on.
    ///
    /// Every row is looked up by the path that the library builds: the folder of the table and the name in `co_name`. A table of AITER's
    /// without any code object in the folder that it names is not judged: the code may lie in another package. Whether the file has the
    /// kernel is not looked at.
    ///
    /// hipDNN's kernel descriptors (`*.kdp.json`, `*.ukd.json`) name a kpack archive, from the folder of the descriptor, and
    /// an entry of its table. Both are looked up; archives are installed with their descriptors, so that a missing one is
    /// always found (ROCm/rocm-libraries #11144). comgr's metadata of a code object that HotSwap translated lies beside that
    /// object; comgr takes an entry with one half missing for invalid, and translates again.
    MANIFEST_KERNEL_MISSING {
        id: "manifest-kernel-missing",
        severity: Warning,
        confidence: Certain,
        known: Observed,
        what: "a table of kernels names code objects that are not here",
        effect: "a call that the row serves fails when the file is opened",
        effect_known: Code,
        advice: "install the package again, whole",
    }
}
