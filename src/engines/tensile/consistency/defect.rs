//! What can be wrong with a library folder, and what the real library then does.

pub use crate::finding::severity::Severity;
use std::path::PathBuf;

/// How an effect is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Known {
    /// Measured with Debian's rocBLAS 6.4.4 on a stand-in for the HIP runtime.
    Measured,
    /// Read in the source of rocBLAS and Tensile 6.4.
    Code,
    /// Concluded from other facts.
    Inferred,
}

/// A kind of defect: a row of [`KINDS`].
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name.
    pub id: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// The defect, in a sentence.
    pub what: &'static str,
    /// What the real library does then.
    pub effect: &'static str,
    /// How that is known.
    pub known: Known,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident: $id:literal, $severity:ident, $known:ident, $what:literal, $effect:literal;)*) => {
        $(
            $(#[$doc])*
            pub static $name: Kind =
                Kind { id: $id, severity: Severity::$severity, what: $what, effect: $effect, known: Known::$known };
        )*
        /// Every kind of defect.
        pub static KINDS: &[&Kind] = &[$(&$name),*];
    };
}

kinds! {
    /// The first catalog of a target is missing.
    MASTER_MISSING: "master-catalog-missing", Error, Measured,
        "there is no first catalog for this target",
        "the process aborts with \"Cannot read …/TensileLibrary.dat\", which names another file than the missing TensileLibrary_lazy_<target>.dat";
    /// First catalog that cannot be read.
    MASTER_UNREADABLE: "master-catalog-unreadable", Error, Measured,
        "the first catalog cannot be read",
        "the process aborts with \"Could not load …\" and \"Could not initialize Tensile library\"";
    /// A catalog that another names is missing.
    CATALOG_MISSING: "catalog-missing", Error, Measured,
        "catalogs that the first catalog names are not there",
        "the first GEMM that reaches one ends in a segmentation fault";
    /// Named catalog that cannot be read.
    CATALOG_UNREADABLE: "catalog-unreadable", Error, Measured,
        "catalogs cannot be read",
        "the first GEMM that reaches one ends in a segmentation fault";
    /// Catalogs that lead on to catalogs.
    CATALOG_NESTED: "catalog-nested", Error, Inferred,
        "catalogs that a first catalog names lead on to other catalogs",
        "real catalogs never do; where they lead round in a circle the library does not come back";
    /// No file for a code object.
    CODE_OBJECT_MISSING: "code-object-missing", Error, Measured,
        "code objects of solutions are not there",
        "a GEMM that chooses such a solution returns rocblas_status_internal_error (6) without a word";
    /// A file that the device does not take.
    CODE_OBJECT_REFUSED: "code-object-refused", Error, Code,
        "code objects are for another target than their name says",
        "HIP refuses to load them, and a GEMM that needs one returns rocblas_status_internal_error (6)";
    /// A file that is no code object.
    CODE_OBJECT_UNREADABLE: "code-object-unreadable", Error, Code,
        "code objects cannot be read",
        "HIP refuses to load them, and a GEMM that needs one returns rocblas_status_internal_error (6)";
    /// A kernel that is not in its code object.
    KERNEL_MISSING: "kernel-missing", Error, Measured,
        "kernels of solutions are not in their code objects",
        "a GEMM that chooses such a solution returns rocblas_status_internal_error (6) without a word, unless an earlier call loaded a file that has the kernel";
    /// A file of helper kernels is missing.
    HELPER_MISSING: "helper-missing", Error, Measured,
        "the file with the helper kernels is not there",
        "solutions without a split sum still run; those that need a helper return rocblas_status_internal_error (6)";
    /// A helper kernel is missing.
    HELPER_KERNEL_MISSING: "helper-kernel-missing", Warning, Code,
        "helper kernels that a few solutions can need are not in the helper file",
        "a GEMM that chooses such a solution returns rocblas_status_internal_error (6)";
    /// An index that two solutions have.
    INDEX_TWICE: "solution-index-twice", Error, Inferred,
        "solutions of different catalogs have the same index",
        "a solution index, as rocblas_gemm_ex takes it, stands for either of them";
    /// An index of another target.
    INDEX_ELSEWHERE: "solution-index-of-another-target", Warning, Inferred,
        "solution indices carry another target than their catalog",
        "catalogs of different builds may be mixed";
    /// hipBLASLt's mapping.
    MAPPING_WRONG: "mapping-wrong", Error, Inferred,
        "hipBLASLt's mapping of solution indices to catalogs does not fit the catalogs",
        "a solution that is asked for by its index is not found or is another one";
    /// hipBLASLt's other operations.
    EXT_OP_MISSING: "ext-op-missing", Error, Inferred,
        "kernels of hipBLASLt's other operations (softmax, layer norm, amax) or their files are not there",
        "the operation fails when it is called";
    /// Predicates outside the cache key.
    HISTORY: "answer-depends-on-history", Warning, Measured,
        "solutions ask for beta or for C being D, which the key of rocBLAS's cache of choices does not hold",
        "a GEMM of the same sizes and another beta returns rocblas_status_invalid_value (11) where the first call chose such a solution";
    /// No catalog leads to it.
    CATALOG_ORPHANED: "catalog-orphaned", Warning, Code,
        "no first catalog leads to these catalogs",
        "they are never read, and their solutions never chosen";
    /// Never loaded.
    CODE_OBJECT_ORPHANED: "code-object-orphaned", Warning, Code,
        "no solution of a catalog is in these code objects",
        "they are never loaded in lazy mode";
    /// Other target than the first device.
    SEVERAL_TARGETS: "several-targets", Note, Measured,
        "the folder serves several targets, and a process reads one first catalog only, that of the first device used",
        "in a host with GPUs of different targets all others get fallback kernels only";
    /// Only fallbacks.
    NO_NATIVE: "no-native-catalogs", Note, Measured,
        "no catalog is tuned for this target",
        "every GEMM runs a fallback kernel compiled from HIP source";
    /// Tables without a row.
    TABLE_EMPTY: "table-empty", Note, Measured,
        "tuned catalogs have tables without a single row",
        "their kernels are shipped and never chosen; every call goes to the fallback";
    /// Solutions that nothing leads to.
    SOLUTION_UNREACHABLE: "solution-unreachable", Note, Code,
        "solutions stand in no table and no tree",
        "they are never chosen";
    /// Kernels in several files.
    KERNEL_TWINS: "kernel-twins", Note, Measured,
        "kernels of the same name are in several code objects",
        "which file supplies one depends on what earlier calls loaded";
    /// Kernels that no solution names.
    KERNEL_ORPHANED: "kernel-orphaned", Note, Code,
        "kernels in code objects belong to no solution",
        "they are never launched";
    /// Nodes that were not followed.
    NODE_UNKNOWN: "node-unknown", Note, Inferred,
        "catalogs have nodes that this tool does not know and did not follow",
        "what they lead to was not checked";
}

/// A defect of a folder.
#[derive(Debug, Clone)]
pub struct Defect {
    /// The kind of defect.
    pub kind: &'static Kind,
    /// For which target; none for the folder.
    pub target: Option<String>,
    /// How many of them.
    pub count: u64,
    /// The first examples found.
    pub examples: Vec<Example>,
}

/// Where a defect shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Example {
    /// The file.
    pub path: PathBuf,
    /// Offset in the file, in bytes, where it is known.
    pub offset: Option<u64>,
    /// What is at that place: a kernel, an error.
    pub what: String,
}

/// Most examples of one defect.
pub const EXAMPLES: usize = 5;

impl Known {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Known::Measured => "runtime",
            Known::Code => "code",
            Known::Inferred => "inferred",
        }
    }
}

/// Defects while they are found.
#[derive(Debug, Default)]
pub(super) struct Defects {
    found: Vec<Defect>,
}

impl Defects {
    /// Adds one, `count` of which the example is one.
    pub fn add(&mut self, kind: &'static Kind, target: Option<&str>, count: u64, example: Option<Example>) {
        if count == 0 {
            return;
        }
        let known = self.found.iter().position(|d| d.kind == kind && d.target.as_deref() == target);
        let at = known.unwrap_or_else(|| {
            let target = target.map(str::to_owned);
            self.found.push(Defect { kind, target, count: 0, examples: Vec::new() });
            self.found.len() - 1
        });
        if let Some(defect) = self.found.get_mut(at) {
            defect.count += count;
            if defect.examples.len() < EXAMPLES {
                defect.examples.extend(example);
            }
        }
    }

    /// Whether there are already enough examples of a kind.
    pub fn has_enough(&self, kind: &'static Kind, target: Option<&str>) -> bool {
        self.found
            .iter()
            .any(|d| d.kind == kind && d.target.as_deref() == target && d.examples.len() >= EXAMPLES)
    }

    /// All of them, the worst first.
    pub fn finish(mut self) -> Vec<Defect> {
        let place = |kind: &Kind| KINDS.iter().position(|other| *other == kind);
        self.found.sort_by_key(|d| (d.kind.severity, place(d.kind), d.target.clone()));
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_name_and_the_worst_come_first() {
        let mut ids: Vec<_> = KINDS.iter().map(|kind| kind.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), KINDS.len());
        let mut defects = Defects::default();
        defects.add(&KERNEL_TWINS, Some("gfx90a"), 3, None);
        defects.add(&HISTORY, Some("gfx90a"), 18, None);
        defects.add(&CATALOG_MISSING, Some("gfx900"), 1, None);
        defects.add(&CATALOG_MISSING, Some("gfx900"), 1, None);
        defects.add(&MASTER_MISSING, None, 0, None);
        let found = defects.finish();
        let shown: Vec<_> = found.iter().map(|d| (d.kind.id, d.count)).collect();
        assert_eq!(shown, [("catalog-missing", 2), ("answer-depends-on-history", 18), ("kernel-twins", 3)]);
    }
}
