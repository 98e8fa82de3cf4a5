//! Arbitrary bytes as a catalog: read and, if that works, searched for a product on two devices.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::engines::tensile::call::{GemmCall, Transpose};
use rocm_audit::engines::tensile::catalog::CatalogIndex;
use rocm_audit::engines::tensile::library::Library;
use rocm_audit::engines::tensile::name::Role;
use rocm_audit::engines::tensile::skim::Skim;
use rocm_audit::engines::tensile::trace::SelectionTrace;
use rocm_audit::target::TargetId;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A folder for this process, to write the catalog to.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("rocm-audit-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the catalog");
        folder
    })
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let _ = (Skim::read(bytes, Role::LazyCatalog), Skim::read(bytes, Role::Catalog));
    // The first bytes also give the sizes.
    let size = |at: usize| bytes.get(at..at + 2).map_or(64, |b| u64::from(u16::from_le_bytes([b[0], b[1]])));
    match <CatalogIndex>::read(bytes) {
        Err(error) => assert!(error.offset() <= bytes.len() as u64),
        Ok(_) => {
            std::fs::write(folder().join("TensileLibrary.dat"), bytes).expect("the catalog is written");
            for (arch, ty) in [("gfx900:xnack-", "SS"), ("gfx90a:sramecc+:xnack-", "HHS")] {
                let Ok(library) = Library::open(folder(), arch) else { continue };
                let (m, n, k) = (size(40), size(50), size(60));
                let target = TargetId::parse(arch).expect("a target");
                let mut problem = GemmCall::new(&target, 64, ty, [Transpose::N; 2], [m, n, k]);
                problem.env = (size(0) % 2 == 0).then(|| "TENSILE_EXPERIMENTAL_SELECTION=2".to_owned());
                let plain = library.choose(&problem, None).map(|c| c.found.map(|f| f.solution.index));
                let mut walk = SelectionTrace::default();
                let told =
                    library.choose(&problem, Some(&mut walk)).map(|c| c.found.map(|f| f.solution.index));
                assert_eq!(plain.is_ok(), told.is_ok());
                if let (Ok(plain), Ok(told)) = (plain, told) {
                    assert_eq!(plain, told, "the account changes nothing");
                }
            }
        }
    }
});
