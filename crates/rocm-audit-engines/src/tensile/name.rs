//! The names of the files in a Tensile library folder: role, type code, target.
//!
//! Source: Tensile's `TensileCreateLibrary` and the folders of rocBLAS 5.5 and 6.4 and hipBLASLt 7.1.

use super::packed;
use amdgpu_object::target::{Processor, TargetId};
use regex::Regex;
use std::sync::LazyLock;

/// What a file of a Tensile library folder is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// `TensileLibrary_lazy_gfx900.dat`: names the catalogs that are loaded on demand.
    LazyCatalog,
    /// A catalog of one problem type for one target.
    Catalog,
    /// A catalog of one problem type for every target: source kernels.
    FallbackCatalog,
    /// `TensileLibrary.dat`, `TensileLibrary_gfx900.dat`: everything in one.
    MergedCatalog,
    /// Tuned kernels of one problem type, or of all.
    CodeObject,
    /// Source kernels that any problem of the type can fall back to.
    FallbackCodeObject,
    /// `Kernels.so-000-gfx900.hsaco`: helper kernels (beta only, conversion, split-K reduction).
    Helper,
    /// hipBLASLt's other kernels and tables: `extop_*`, `hipblasltTransform`, mapping.
    Extension,
}

impl Role {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Role::LazyCatalog => "lazy catalog",
            Role::Catalog => "catalog",
            Role::FallbackCatalog => "fallback catalog",
            Role::MergedCatalog => "merged catalog",
            Role::CodeObject => "code object",
            Role::FallbackCodeObject => "fallback code object",
            Role::Helper => "helper kernels",
            Role::Extension => "extension",
        }
    }

    /// Whether it is code for a GPU.
    pub fn is_code(self) -> bool {
        matches!(self, Role::CodeObject | Role::FallbackCodeObject | Role::Helper)
    }

    /// Whether it is a fallback.
    pub fn is_fallback(self) -> bool {
        matches!(self, Role::FallbackCatalog | Role::FallbackCodeObject)
    }
}

/// A file name taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// What it is for.
    pub role: Role,
    /// The target it names, with XNACK where it says so.
    pub target: Option<TargetId>,
    /// The type code, as in `HH` or `4xi8I`.
    pub type_code: Option<String>,
    /// Whether the file is code (`.co`, `.hsaco`) and not a catalog.
    pub code: bool,
    /// Whether it is a catalog as a zlib stream: `.dat.zlib`.
    pub packed: bool,
}

static TARGET: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"[_-](gfx[0-9][0-9a-f]*(?:-[0-9])?(?:-generic|-strict)?)(-xnack[+-])?(?:_Mapping)?\.[a-z]+(?:\.[a-z0-9]+)?$",
    )
    .ok()
});
static TYPE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"_Type_([0-9A-Za-z]+)_").ok());

impl Name {
    /// Takes a file name apart; `None` for one that is no file of a Tensile library.
    pub fn parse(file: &str) -> Option<Name> {
        let (role, code) = role_of(file)?;
        let plain = plain(file);
        let stem = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
        let type_code = TYPE.as_ref().and_then(|r| r.captures(stem)).map(|c| c[1].to_owned());
        Some(Name { role, target: target_in(plain), type_code, code, packed: plain.len() < file.len() })
    }

    /// What a file of a Tensile library is for, by its name: what [`Name::parse`] says, for less.
    pub fn role_of(file: &str) -> Option<Role> {
        role_of(file).map(|(role, _)| role)
    }
}

/// The name of the catalog that a file of this name is: the name itself, or, of a zlib stream, that of what
/// is packed.
pub fn plain(file: &str) -> &str {
    file.strip_suffix(packed::EXTENSION).filter(|plain| plain.ends_with(".dat")).unwrap_or(file)
}

/// The folder around a folder of one processor, and the processor: `library` and `gfx942` of
/// `library/gfx942`. Libraries look in such a folder for that processor's files, and nowhere else where it is
/// there.
pub fn folder_of_processor(folder: &str) -> Option<(&str, &str)> {
    let (outer, name) = folder.rsplit_once('/').unwrap_or(("", folder));
    let is_processor = Processor::by_name(name).is_some();
    is_processor.then_some((outer, name))
}

/// The path that a library folder's file has in the oldest form: plain, in one folder for all processors, and
/// with one mapping for all. Other paths are given back as they are.
pub fn without_form(path: &str) -> String {
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(name) = Name::parse(file) else { return path.to_owned() };
    let outer = folder_of_processor(folder).map_or(folder, |(outer, _)| outer);
    let mut file = plain(file).to_owned();
    if let (Role::Extension, Some(target)) = (name.role, &name.target)
        && !file.starts_with("extop_")
    {
        file = file.replacen(&format!("_{}", target.processor), "", 1);
    }
    if outer.is_empty() { file } else { format!("{outer}/{file}") }
}

/// What a file is for, and whether it is code.
fn role_of(file: &str) -> Option<(Role, bool)> {
    let (stem, extension) = plain(file).rsplit_once('.')?;
    let code = matches!(extension, "co" | "hsaco");
    if !code && !matches!(extension, "dat" | "yaml") {
        return None;
    }
    let fallback = stem.contains("_fallback");
    let role = if stem.starts_with("Kernels.so-") {
        Role::Helper
    } else if stem.starts_with("TensileLibrary_lazy") {
        Role::LazyCatalog
    } else if stem.starts_with("TensileLibrary") && !stem.starts_with("TensileLiteLibrary") {
        match (code, fallback, stem.contains("_Type_")) {
            (true, true, _) => Role::FallbackCodeObject,
            (true, false, _) => Role::CodeObject,
            (false, true, _) => Role::FallbackCatalog,
            (false, false, true) => Role::Catalog,
            (false, false, false) => Role::MergedCatalog,
        }
    } else if ["extop_", "hipblaslt", "TensileLiteLibrary"].iter().any(|p| stem.starts_with(p)) {
        Role::Extension
    } else {
        return None;
    };
    Some((role, code))
}

/// The target that a file name ends with: `_gfx90a-xnack+.hsaco`.
pub(super) fn target_in(file: &str) -> Option<TargetId> {
    let found = TARGET.as_ref()?.captures(file)?;
    let mut target = TargetId::bare(&found[1]);
    if Processor::by_name(&found[1]).is_none() {
        target = TargetId::parse(&found[1])?;
    }
    target.xnack = found.get(2).map(|m| m.as_str().ends_with('+'));
    Some(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_file_have_one_path() {
        for (path, expected) in [
            (
                "l/library/gfx942/TensileLibrary_lazy_gfx942.dat.zlib",
                "l/library/TensileLibrary_lazy_gfx942.dat",
            ),
            ("library/gfx942/extop_gfx942.co", "library/extop_gfx942.co"),
            ("gfx942/TensileLiteLibrary_lazy_gfx942_Mapping.dat", "TensileLiteLibrary_lazy_Mapping.dat"),
            ("library/gfx942/hipblasltExtOpLibrary_gfx942.dat.zlib", "library/hipblasltExtOpLibrary.dat"),
            ("hsa/gfx942/fmha.co", "hsa/gfx942/fmha.co"),
        ] {
            assert_eq!(without_form(path), expected);
        }
    }

    #[test]
    fn names_of_real_folders_are_taken_apart() {
        let read = |file: &str| {
            let name = Name::parse(file)?;
            Some((name.role, name.target.map(|t| t.to_string()), name.type_code))
        };
        let some = |role, target: &str, code: &str| {
            let text = |s: &str| (!s.is_empty()).then(|| s.to_owned());
            Some((role, text(target), text(code)))
        };
        assert_eq!(read("Kernels.so-000-gfx90a-xnack+.hsaco"), some(Role::Helper, "gfx90a:xnack+", ""));
        assert_eq!(read("TensileLibrary_lazy_gfx900.dat"), some(Role::LazyCatalog, "gfx900", ""));
        let stem = "TensileLibrary_Type_4xi8I_HPA_Contraction_l_Ailk_Bjlk_Cijk_Dijk";
        assert_eq!(read(&format!("{stem}_gfx906.co")), some(Role::CodeObject, "gfx906", "4xi8I"));
        assert_eq!(read(&format!("{stem}_gfx906.dat")), some(Role::Catalog, "gfx906", "4xi8I"));
        assert_eq!(read(&format!("{stem}_fallback.dat")), some(Role::FallbackCatalog, "", "4xi8I"));
        let fallback = read(&format!("{stem}_fallback_gfx90a-xnack-.hsaco"));
        assert_eq!(fallback, some(Role::FallbackCodeObject, "gfx90a:xnack-", "4xi8I"));
        let lite = "TensileLibrary_HH_SH_HA_Bias_SAV_UA_Type_HS_HPA_Contraction_l_Alik_Bjlk_Cijk_Dijk_gfx9-4-generic.co";
        assert_eq!(read(lite), some(Role::CodeObject, "gfx9-4-generic", "HS"));
        assert_eq!(read("TensileLibrary.dat"), some(Role::MergedCatalog, "", ""));
        assert_eq!(read("TensileLibrary_gfx1102.co"), some(Role::CodeObject, "gfx1102", ""));
        assert_eq!(read("extop_gfx1201.co"), some(Role::Extension, "gfx1201", ""));
        assert_eq!(read("hipblasltTransform.hsaco"), some(Role::Extension, "", ""));
        assert_eq!(read("TensileLiteLibrary_lazy_Mapping.dat"), some(Role::Extension, "", ""));
        assert_eq!(read("TensileLibrary_lazy_gfx942.dat.zlib"), some(Role::LazyCatalog, "gfx942", ""));
        assert_eq!(read(&format!("{stem}_gfx906.dat.zlib")), some(Role::Catalog, "gfx906", "4xi8I"));
        let mapping = "TensileLiteLibrary_lazy_gfx942_Mapping.dat.zlib";
        assert_eq!(read(mapping), some(Role::Extension, "gfx942", ""));
        let strict = "Kernels.so-000-gfx1250-strict.hsaco";
        assert_eq!(read(strict), some(Role::Helper, "gfx1250-strict", ""));
        assert_eq!(read("TensileLibrary_gfx942.co.zlib"), None);
        assert_eq!(read("gfx900.co"), None);
        assert_eq!(read("README"), None);
    }
}
