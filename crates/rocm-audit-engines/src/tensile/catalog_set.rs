//! The catalogs of a library folder for one device: the one that selection begins with, and those that it
//! names.
#![deny(clippy::indexing_slicing)]

use super::catalog::{Catalog, CatalogError};
use super::dialect::Dialect;
use super::probing::CatalogForms;
use super::select::Catalogs;
use rocm_audit_files::input::folder::Folder;
use std::sync::OnceLock;

/// Catalogs, each read when a problem first leads to it, and kept.
#[derive(Debug)]
pub struct CatalogSet<D: Dialect> {
    folder: Folder,
    master: Catalog<D>,
    /// The forms of catalogs that the library reads.
    reads: CatalogForms,
    others: Box<[NamedCatalog<D>]>,
}

/// A catalog that the first one names.
#[derive(Debug)]
struct NamedCatalog<D: Dialect> {
    name: String,
    file: String,
    catalog: OnceLock<Result<Catalog<D>, CatalogError>>,
    /// Whether the file is there and whole, where that was asked.
    whole: OnceLock<bool>,
}

impl<D: Dialect> CatalogSet<D> {
    /// Reads the catalog of this name in a folder; those that it names have its extension.
    ///
    /// # Errors
    /// Where it is missing or malformed.
    pub fn open(folder: Folder, name: &str) -> Result<Self, CatalogError> {
        CatalogSet::open_as(folder, name, CatalogForms::PLAIN)
    }

    /// The same, of a library that reads these forms.
    ///
    /// # Errors
    /// As [`CatalogSet::open`].
    pub fn open_as(folder: Folder, name: &str, reads: CatalogForms) -> Result<Self, CatalogError> {
        let extension = name.rsplit_once('.').map_or("dat", |(_, extension)| extension);
        let master = Catalog::open_as(&folder, name, reads)?;
        let other = |name: &String| NamedCatalog {
            name: name.clone(),
            file: format!("{name}.{extension}"),
            catalog: OnceLock::new(),
            whole: OnceLock::new(),
        };
        let others = master.content().placeholders.iter().map(|(name, _)| other(name)).collect();
        Ok(CatalogSet { folder, master, reads, others })
    }

    /// The folder of its files.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The catalog that selection begins with.
    pub fn master(&self) -> &Catalog<D> {
        &self.master
    }

    /// The files of other catalogs that have `part` in their names and are not there or no MessagePack. Each
    /// is looked at once.
    pub fn lost(&self, part: &str) -> Vec<String> {
        let is_whole = |other: &NamedCatalog<D>| {
            *other.whole.get_or_init(|| Catalog::<D>::is_whole(&self.folder, &other.file, self.reads.packed))
        };
        let all = self.others.iter().filter(|other| other.name.contains(part));
        all.filter(|other| !is_whole(other)).map(|other| other.file.clone()).collect()
    }

    /// The catalog that a placeholder of the first one leads to, and its name.
    ///
    /// # Errors
    /// Where it is missing or malformed.
    pub fn other(&self, placeholder: usize) -> Option<Result<(&str, &Catalog<D>), CatalogError>> {
        let other = self.others.get(placeholder)?;
        let catalog = other.catalog.get_or_init(|| Catalog::open_as(&self.folder, &other.file, self.reads));
        Some(catalog.as_ref().map(|catalog| (other.name.as_str(), catalog)).map_err(Clone::clone))
    }
}

impl<'l, D: Dialect> Catalogs<'l, D> for &'l CatalogSet<D> {
    fn follow(
        &self,
        from: &'l Catalog<D>,
        placeholder: usize,
    ) -> Result<(&'l str, &'l Catalog<D>), CatalogError> {
        let set: &'l CatalogSet<D> = self;
        let other = if std::ptr::eq(from, &set.master) { set.other(placeholder) } else { None };
        other.unwrap_or_else(|| {
            let nested = from.content().placeholders.get(placeholder);
            Err(from.malformed(
                nested.map_or(0, |(_, at)| *at),
                "a placeholder in a catalog that a placeholder led to; real ones have none, and it might lead round in a circle",
            ))
        })
    }
}
