//! Which forms of catalogs a library looks for: what the words among its constants say, whatever release it
//! names.
//!
//! Sources: hipBLASLt 1.1 and 1.2 as Debian ships them, run on a stand-in for the HIP runtime;
//! `MessagePack.cpp` and `SolutionLibrary.hpp` of hipBLASLt 1.4 and of its develop (ROCm/rocm-libraries
//! #8294, #11295, #6840), and its `JIT.md`.
#![deny(clippy::indexing_slicing)]

use super::version::library_in;
use memchr::memmem;
use rocm_audit_files::input::folder::Folder;

/// What a library reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probing {
    /// The library's file name.
    pub library: String,
    /// Whether it reads catalogs as zlib streams. It looks for those first.
    pub packed: bool,
    /// Whether it reads catalogs of format 2, whose solutions stand in one value of bytes.
    pub indexed: bool,
    /// Whether it looks for the mapping by the name of the target.
    pub own_mapping: bool,
    /// Whether it was built to generate kernels for products that it has none for.
    pub jit: bool,
}

/// The forms of catalogs beside the plain one that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CatalogForms {
    /// Zlib streams.
    pub packed: bool,
    /// Format 2.
    pub indexed: bool,
}

impl CatalogForms {
    /// The plain form alone.
    pub const PLAIN: CatalogForms = CatalogForms { packed: false, indexed: false };

    /// Those of a library; where it is not known, it is taken to be the one that the catalogs were made for.
    pub fn from_probing(probing: Option<&Probing>) -> CatalogForms {
        probing.map_or(CatalogForms { packed: true, indexed: true }, |known| CatalogForms {
            packed: known.packed,
            indexed: known.indexed,
        })
    }
}

/// Every library of the kind has one of these names. Without any, its constants are stored otherwise, or not
/// all are here.
const OF_ALL: [&[u8]; 2] = [b"TensileLibrary_", b"TensileLite"];

/// What a library says where its JIT was left out when it was built, or was built without what generates
/// kernels: the name of the option is among the constants of exactly those that lack it.
const WITHOUT_JIT: [&[u8]; 2] =
    [b"was built without HIPBLASLT_ENABLE_JIT", b"was built without a JIT generator backend"];

/// Bytes of a library that are searched for its constants: all of libhipblaslt.so, which has 6 MB.
const SEARCHED: usize = 64 << 20;

impl Probing {
    /// What a library reads, by its bytes; `None` where its constants cannot be told.
    pub fn from_library(name: &str, library: &[u8]) -> Option<Probing> {
        // Behind them come hundreds of megabytes of device code in rocBLAS's own library.
        let library = library.get(..SEARCHED).unwrap_or(library);
        let has = |word: &[u8]| memmem::find(library, word).is_some();
        OF_ALL.into_iter().any(has).then(|| Probing {
            library: name.to_owned(),
            packed: has(b"TENSILE_MAX_DECOMPRESSED_BYTES") || has(b"(or .zlib variant)"),
            indexed: has(b"solutions_blob"),
            own_mapping: has(b"_Mapping.dat") && !has(b"lazy_Mapping.dat"),
            jit: has(b"HIPBLASLT_JIT_LIBRARY_PATH") && !WITHOUT_JIT.into_iter().any(has),
        })
    }

    /// What the library that would load a folder reads: the nearest of this name, such as `libhipblaslt.so`,
    /// in the folders above it. `None` where none is there, or its constants cannot be told.
    pub fn near(folder: &Folder, stem: &str) -> Option<Probing> {
        let in_folder = |folder: Folder| {
            let name = library_in(&folder, stem)?;
            Some((folder.open(&name).ok()?, name))
        };
        let (file, name) = folder.ancestors().skip(1).take(NEAR).find_map(in_folder)?;
        let found = Probing::from_library(&name, file.bytes());
        found.filter(|_| file.check_unchanged().is_ok())
    }
}

/// Folders above a library folder in which its library is looked for: `lib/hipblaslt/library/gfx942` lies
/// three below it.
pub const NEAR: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_a_library_reads() {
        let old = b"\x7fELF TensileLibrary_lazy_\0TensileLiteLibrary_lazy_Mapping.dat\0";
        let of =
            |more: &[u8]| Probing::from_library("libhipblaslt.so.1", &[&old[..], more].concat()).unwrap();
        let own = of(b"");
        assert_eq!((own.packed, own.indexed, own.own_mapping), (false, false, false));
        assert!(of(b"TENSILE_MAX_DECOMPRESSED_BYTES").packed && of(b"solutions_blob").indexed);
        assert!(Probing::from_library("x", b"TensileLibrary_lazy_\0_Mapping.dat").unwrap().own_mapping);
        assert!(of(b"HIPBLASLT_JIT\0HIPBLASLT_JIT_LIBRARY_PATH\0").jit);
        let warning = b" is ignored: hipBLASLt was built without HIPBLASLT_ENABLE_JIT\0";
        assert!(!of(warning).jit, "the name of the option stands where it was off");
        let generator = b"hipBLASLt was built without a JIT generator backend\0";
        assert!(!of(&[&b"HIPBLASLT_JIT_LIBRARY_PATH\0"[..], generator].concat()).jit);
        // A library that is cut before its constants says nothing.
        assert_eq!(Probing::from_library("libhipblaslt.so.1", b"\x7fELF"), None);
    }
}
