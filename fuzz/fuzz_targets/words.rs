//! Arbitrary text as the words that name things in commands and files: targets, products, entry ids, types,
//! versions, places, file names. What was parsed is written, and parses to the same value.
#![cfg_attr(all(feature = "libfuzzer", not(feature = "all")), no_main)]

use rocm_audit::container::entry_id::EntryId;
use rocm_audit::engines::ggml::Query;
use rocm_audit::engines::ggml::architecture::Architecture;
use rocm_audit::engines::ggml::{types, version::Version};
use rocm_audit::engines::miopen::solver;
use rocm_audit::engines::tensile::coverage::CatalogName;
use rocm_audit::engines::tensile::data_type::GemmType;
use rocm_audit::engines::tensile::kernel_name;
use rocm_audit::engines::tensile::name::Name;
use rocm_audit::format::promise;
use rocm_audit::locator::Locator;
use rocm_audit::scan::library_names;
use rocm_audit::target::product::{Meant, Product};
use rocm_audit::target::{GfxVersion, Processor, TargetId};

fn target(text: &str) {
    if let Some(target) = TargetId::parse(text) {
        let written = target.to_string();
        assert_eq!(TargetId::parse(&written).as_ref(), Some(&target), "{written}");
        assert!(target.loads_on(&target) || target.known().is_none(), "{target}");
        let _ = GfxVersion::from_name(&target.processor);
    }
    let id = EntryId::new(text);
    assert_eq!(id.as_str(), text);
    let _ = (Processor::longest_prefix(text), Processor::rank(text));
}

fn product(text: &str) {
    match Product::meant(text) {
        Meant::Products(found) => {
            assert!(!found.is_empty());
            assert!(found.iter().all(|product| product.processor() == found[0].processor()));
        }
        Meant::Several(found) => assert!(found.len() > 1),
        Meant::Nothing(_) => {}
    }
}

fn names(text: &str) {
    let _ = (Name::parse(text), CatalogName::parse(text), kernel_name::parameters(text));
    let _ = (library_names::library_name(text), library_names::of_shared_library(text));
    if let Some(name) = Name::parse(text) {
        assert_eq!(Name::role_of(text), Some(name.role));
    }
    let _ = promise::broken(text, b"\x7fELF");
    if let Ok(place) = Locator::parse(text) {
        let written = place.to_string();
        assert_eq!(Locator::parse(&written).as_ref(), Ok(&place), "{written}");
    }
}

fn other(text: &str) {
    if let Ok(ty) = GemmType::meant(text) {
        assert!(GemmType::by_name(ty.name).is_some());
    }
    let _ = (types::named(text).is_ok(), Architecture::parse(text).is_ok(), text.parse::<Query>().is_ok());
    if let Ok(version) = text.parse::<Version>() {
        assert_eq!(version.to_string().parse(), Ok(version));
    }
    if let Some(version) = solver::Version::parse(text) {
        assert_eq!(solver::Version::parse(&version.to_string()), Some(version));
    }
}

rocm_audit_fuzz::target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    match kind % 64 {
        0 => product(&text),
        1..=20 => other(&text),
        21..=40 => names(&text),
        _ => target(&text),
    }
});
