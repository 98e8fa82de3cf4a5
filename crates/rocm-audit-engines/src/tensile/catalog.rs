//! A Tensile catalog in MessagePack, or in YAML: its solutions, and the nodes that lead to them.
//!
//! A catalog is read once, from the front, into what selection needs; names stay in the mapped file.
//! Everything in it is checked, as the real library does, which refuses a whole file for one word that it
//! does not know.
#![deny(clippy::indexing_slicing)]

use super::dialect::{Dialect, Placed};
use super::indexed::{self, Indexed};
use super::node::{Node, NodeReader};
use super::packed;
use super::probing::CatalogForms;
use super::rocblas::RocBlas;
use super::solutions::{ApartSolutions, Slice, SolutionOffsets, Solutions};
use super::values::{Text, key, required};
use super::yaml;
use amdgpu_object::bytes::msgpack::{Reader, Value};
use amdgpu_object::source::{Access, SourceFile};
use rocm_audit_files::error::{ParseError, Parsed};
use rocm_audit_files::input::folder::Folder;
use rocm_audit_files::limits::TENSILE_CATALOG_BYTES;
use std::fmt;
use std::path::{Path, PathBuf};

/// A catalog that was read.
#[derive(Debug)]
pub struct Catalog<D: Dialect = RocBlas> {
    file: SourceFile,
    /// Its path, for messages.
    path: PathBuf,
    /// What a catalog in YAML, or as a zlib stream, is in MessagePack.
    converted: Option<Vec<u8>>,
    content: CatalogIndex<D>,
}

/// What a catalog holds; its texts are places in its bytes.
#[derive(Debug)]
pub struct CatalogIndex<D: Dialect = RocBlas> {
    /// The solutions in the order of the file.
    pub solutions: Solutions<D::Solution>,
    /// What they share.
    pub shared: D::Shared,
    /// Where selection begins.
    pub library: Node<D>,
    /// Names of the catalogs it leads to, without the extension, and where they stand.
    pub placeholders: Vec<(String, u64)>,
    /// Whether it is of format 2.
    pub indexed: bool,
}

/// Why a catalog cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// It is missing or cannot be opened; the system's error.
    Unreadable(String),
    /// Its bytes are not what they must be.
    Malformed(ParseError),
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.fault {
            Fault::Unreadable(what) => f.write_str(what),
            Fault::Malformed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CatalogError {}

impl CatalogError {
    pub(super) fn malformed_at(path: &Path, error: ParseError) -> Self {
        CatalogError { path: path.to_owned(), fault: Fault::Malformed(error) }
    }

    pub(super) fn unreadable(path: &Path, what: impl Into<String>) -> Self {
        CatalogError { path: path.to_owned(), fault: Fault::Unreadable(what.into()) }
    }
}

impl<D: Dialect> Catalog<D> {
    /// Opens and reads a catalog of a folder.
    ///
    /// # Errors
    /// Where it cannot be opened, or is not what the real library accepts.
    pub fn open(folder: &Folder, name: &str) -> Result<Self, CatalogError> {
        let path = folder.path_of(name);
        match folder.open(name) {
            Ok(file) => Catalog::read(file, path),
            Err(error) => Err(CatalogError::unreadable(&path, error.to_string())),
        }
    }

    /// The same of a library that reads these forms: where a zlib stream of the name is there and it reads
    /// such, that comes first, and the plain file where that cannot be used.
    ///
    /// # Errors
    /// As [`Catalog::open`]; of the stream where both cannot be used and there is no plain file.
    pub fn open_as(folder: &Folder, name: &str, reads: CatalogForms) -> Result<Self, CatalogError> {
        let catalog = Catalog::open_first(folder, name, reads)?;
        if catalog.content.indexed && !reads.indexed {
            let what = "a catalog of format 2, which the library beside it does not read";
            return Err(catalog.malformed(0, what));
        }
        Ok(catalog)
    }

    fn open_first(folder: &Folder, name: &str, reads: CatalogForms) -> Result<Self, CatalogError> {
        let packed = format!("{name}{}", packed::EXTENSION);
        if !reads.packed || !folder.has(&packed) {
            return Catalog::open(folder, name);
        }
        let plain = |error| if folder.has(name) { Catalog::open(folder, name) } else { Err(error) };
        Catalog::open(folder, &packed).or_else(plain)
    }

    /// Whether a file of this name, or one as a zlib stream where the library reads these, is one map of
    /// MessagePack to its end. What the map has is not looked at.
    pub(super) fn is_whole(folder: &Folder, name: &str, packed: bool) -> bool {
        let stream = || folder.open(&format!("{name}{}", packed::EXTENSION)).ok();
        let is_packed =
            || stream().is_some_and(|file| packed::inflated(file.bytes()).is_ok_and(|all| is_map(&all)));
        (packed && is_packed()) || folder.open(name).is_ok_and(|file| is_map(file.bytes()))
    }

    fn read(file: SourceFile, path: PathBuf) -> Result<Self, CatalogError> {
        file.expect(Access::Content);
        let malformed = |error| CatalogError::malformed_at(&path, error);
        let (content, converted) =
            if path.as_os_str().as_encoded_bytes().ends_with(packed::EXTENSION.as_bytes()) {
                let inflated = packed::inflated(file.bytes()).map_err(malformed)?;
                (CatalogIndex::read(&inflated).map_err(ParseError::in_unpacked), Some(inflated))
            } else if yaml::is_text(file.bytes()) {
                let converted = yaml::to_msgpack(file.bytes()).map_err(malformed)?;
                let content =
                    CatalogIndex::read(&converted).map_err(|error| yaml::relocated(file.bytes(), &error));
                (content, Some(converted))
            } else {
                (CatalogIndex::read(file.bytes()), None)
            };
        file.check_unchanged().map_err(|change| CatalogError::unreadable(&path, change.to_string()))?;
        Ok(Catalog { content: content.map_err(malformed)?, converted, file, path })
    }

    /// An error at a place of it that only showed when it was used.
    pub(super) fn malformed(&self, offset: u64, what: &str) -> CatalogError {
        let mut error = ParseError::new(offset, what);
        if self.converted.is_some() && yaml::is_text(self.file.bytes()) {
            error = yaml::relocated(self.file.bytes(), &error);
        }
        CatalogError { path: self.path().to_owned(), fault: Fault::Malformed(error) }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its MessagePack, which [`Text`]s are places in.
    pub fn bytes(&self) -> &[u8] {
        self.converted.as_deref().unwrap_or_else(|| self.file.bytes())
    }

    /// What it holds.
    pub fn content(&self) -> &CatalogIndex<D> {
        &self.content
    }

    /// The solution at a place.
    #[inline]
    pub fn solution(&self, place: u32) -> Option<&D::Solution> {
        self.content.solutions.get(place, self.bytes())
    }

    /// A text of it, as UTF-8 where it is, else empty: names of real files are ASCII.
    pub fn text(&self, text: Text) -> &str {
        str::from_utf8(text.in_catalog(self.bytes())).unwrap_or_default()
    }
}

impl<D: Dialect> CatalogIndex<D> {
    /// Reads a catalog from its MessagePack.
    ///
    /// # Errors
    /// Where it is not what the real library accepts.
    pub fn read(bytes: &[u8]) -> Parsed<Self> {
        if bytes.len() as u64 > TENSILE_CATALOG_BYTES {
            return Err(ParseError::new(0, format!("a catalog of {} bytes", bytes.len())));
        }
        let mut reader = Reader::new(bytes, 0);
        let mut nodes = NodeReader::<D>::new();
        let (mut solutions, mut library) = (None, None);
        let mut library_at = 0;
        let mut indexed = Indexed::default();
        for _ in 0..reader.map("a Tensile catalog")? {
            match key(&mut reader)? {
                own if D::has_formats() && indexed.read(own, &mut reader)? => {}
                b"solutions" => solutions = Some(D::solutions(&mut reader)?),
                b"library" => {
                    library_at = reader.offset();
                    library = Some(nodes.read(&mut reader, 0)?);
                }
                _ => reader.skip()?,
            }
        }
        let mut library = required(library, 0, "a Tensile catalog", "library")?;
        let apart = indexed.solutions()?;
        let is_indexed = apart.is_some();
        let (solutions, shared, places) = match apart {
            // The reader refuses two of one index.
            Some(all) => {
                let places = SolutionOffsets::new(all.iter().map(|one| one.index)).unwrap_or_default();
                let slices = all.iter().map(|one| Slice::new(one.index, one.at, one.len()));
                (Solutions::Apart(ApartSolutions::new(slices.collect())), D::Shared::default(), places)
            }
            None => {
                let (all, shared) = required(solutions, 0, "a Tensile catalog", "solutions")?;
                let places = SolutionOffsets::new(all.iter().map(|(solution, _)| D::index(solution)));
                let places = places.map_err(|second| twice::<D>(&all, second))?;
                let all = all.into_iter().map(|(solution, _)| solution).collect();
                (Solutions::Whole(all), shared, places)
            }
        };
        library.resolve(&|index| places.get(index)).map_err(|index| {
            let what = format!("the library leads to solution {index}, which is not in the catalog");
            ParseError::new(library_at, what)
        })?;
        let placeholders = nodes.placeholders.into_all();
        Ok(CatalogIndex { solutions, shared, library, placeholders, indexed: is_indexed })
    }
}

fn twice<D: Dialect>(all: &Placed<D::Solution>, second: usize) -> ParseError {
    let (index, at) = all.get(second).map_or((0, 0), |(solution, at)| (D::index(solution), *at));
    ParseError::new(at, format!("two solutions have the index {index}"))
}

/// Number of solutions in a catalog in MessagePack. It touches only what stands before the list, which is
/// nothing in every real file, or before the table of format 2; `None` where the top-level map has neither.
///
/// # Errors
/// Where the bytes are not MessagePack, or not a map.
pub(super) fn count_solutions(bytes: &[u8]) -> Parsed<Option<u64>> {
    let mut reader = Reader::new(bytes, 0);
    for _ in 0..reader.map("a Tensile catalog")? {
        match reader.value()? {
            Value::Str(b"solutions") => {
                let count = reader.array("the solutions of a Tensile catalog")?;
                return Ok(Some(u64::from(count)));
            }
            Value::Str(b"solutions_index") => {
                return indexed::count(&mut reader).map(Some);
            }
            _ => reader.skip()?,
        }
    }
    Ok(None)
}

fn is_map(bytes: &[u8]) -> bool {
    let mut reader = Reader::new(bytes, 0);
    let entries = reader.map("a catalog");
    let is_passed = |reader: &mut Reader<'_>| reader.skip().is_ok() && reader.skip().is_ok();
    entries.is_ok_and(|entries| (0..entries).all(|_| is_passed(&mut reader))) && reader.at_end()
}
