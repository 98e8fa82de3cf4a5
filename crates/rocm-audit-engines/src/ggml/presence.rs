//! Whether a library contains a kernel for a target, and its kind: absent, a stub that only traps, or real.
//!
//! ggml's kernels are templates compiled for every target, even where their source has no code for it: then
//! the name exists, but the body ends the process. So the name is looked up first, in the dynamic symbol
//! tables of the target's code objects, which are small and lie at their beginning; then that one body is
//! decoded.
#![deny(clippy::indexing_slicing)]

use super::family::{FAMILIES, Family};
use super::kernel::Kernel;
use amdgpu_isa::body::{self, Body};
use amdgpu_isa::class::{self, CLASSES};
use amdgpu_isa::{Counts, Decoder, Mode, mnemonic};
use amdgpu_object::bytes::elf::Elf;
use amdgpu_object::bytes::le::range;
use amdgpu_object::codeobject::kernel_symbols::{self, SymbolPlace};
use amdgpu_object::codeobject::{self, demangle, symbol};
use amdgpu_object::container::compressed::Inflated;
use amdgpu_object::container::{Bundle, StorageKind};
use amdgpu_object::target::TargetId;
use rocm_audit_files::error::AuditError;
use rocm_audit_files::input::device_file::DeviceFile;
use rocm_audit_files::input::folder::Folder;
use rocm_audit_files::limits::CODE_OBJECT_HEADERS;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// A library with device code, open for look-ups.
#[derive(Debug)]
pub struct Library {
    open: DeviceFile,
    /// Its folder, to search for files next to it.
    folder: Folder,
    /// The inflated content of each compressed bundle's entries, filled on first use.
    inflated: Vec<Vec<OnceLock<Option<Vec<u8>>>>>,
}

/// The kernels of one target by name.
#[derive(Debug)]
pub struct Index<'l> {
    /// Code objects of the target: their bytes, and their offsets in the file or in the inflated bundle.
    objects: Vec<Object<'l>>,
    /// Their symbols, sorted by name and position.
    names: Vec<Symbol<'l>>,
    /// The processor whose instructions they contain.
    processor: String,
}

#[derive(Debug)]
struct Object<'l> {
    bytes: &'l [u8],
    offset: u64,
    resources: OnceLock<HashMap<String, Resources>>,
}

/// A kernel's symbol.
#[derive(Debug, Clone, Copy)]
pub struct Symbol<'l> {
    name: &'l [u8],
    is_function: bool,
    object: usize,
    place: SymbolPlace,
}

/// Hardware resources of a kernel, from its metadata.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Resources {
    /// Vector registers, including accumulation registers in the same file.
    pub vgprs: u64,
    /// Scalar registers.
    pub sgprs: u64,
    /// Accumulation registers.
    pub agprs: u64,
    /// Spilled vector registers.
    pub vgpr_spills: u64,
    /// Spilled scalar registers.
    pub sgpr_spills: u64,
    /// Static LDS in bytes.
    pub lds: u64,
    /// Scratch per work-item in bytes.
    pub scratch: u64,
}

/// A kernel found in the library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundKernel {
    /// Mangled name.
    pub symbol: String,
    /// Demangled name.
    pub demangled: Option<String>,
    /// Number of the target's code objects that contain it.
    pub places: usize,
    /// Offset of the first of them in the file or, if inflated, in the inflated bundle.
    pub object_offset: u64,
    /// Kind of its body.
    pub body: Body,
    /// Size of its body in bytes.
    pub bytes: u64,
    /// Instructions of its body.
    pub instructions: u64,
    /// Number of its instructions of each class, in the order of [`CLASSES`], without zeros.
    pub classes: Vec<(&'static str, u64)>,
    /// Resources from its metadata.
    pub resources: Option<Resources>,
}

/// Whether a library has a kernel for a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// The library has no code for the target at all.
    NoTarget,
    /// The library has code for the target, but no kernel of that name.
    Absent,
    /// The library could not be read in full, and the part that was read has no kernel of that name.
    Unknown,
    /// The library has a kernel of that name whose body only traps.
    Stub(Box<FoundKernel>),
    /// The library has a kernel of that name that can run.
    Real(Box<FoundKernel>),
}

impl Presence {
    /// The presence as a word in documents.
    pub fn name(&self) -> &'static str {
        match self {
            Presence::NoTarget => "no code object",
            Presence::Absent => "absent",
            Presence::Unknown => "not known",
            Presence::Stub(_) => "trap stub",
            Presence::Real(_) => "real",
        }
    }

    /// The kernel, if the library has its name.
    pub fn found(&self) -> Option<&FoundKernel> {
        match self {
            Presence::Stub(found) | Presence::Real(found) => Some(found),
            Presence::NoTarget | Presence::Absent | Presence::Unknown => None,
        }
    }
}

impl Library {
    /// Opens a library; reads only headers.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened.
    pub fn open(path: &Path) -> Result<Self, AuditError> {
        Ok(Self::from_device_file(DeviceFile::open(path)?))
    }

    /// Opens a library in a folder, which may lie in a package.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened.
    pub fn open_in(folder: &Folder, name: &str) -> Result<Self, AuditError> {
        let file = folder.open(name).map_err(|e| AuditError::io("read", folder.path_of(name), e))?;
        Ok(Library { folder: folder.clone(), ..Self::from_device_file(DeviceFile::from_file(file)) })
    }

    /// Opens a library from its open file.
    pub fn from_device_file(open: DeviceFile) -> Self {
        let folder = Folder::on_disk(open.file.path().parent().unwrap_or(Path::new("")));
        let room = |bundle: &Bundle| match bundle.storage().packed() {
            Some(_) => bundle.entries().iter().map(|_| OnceLock::new()).collect(),
            None => Vec::new(),
        };
        let inflated = open.container.bundles().iter().map(room).collect();
        Library { open, folder, inflated }
    }

    /// The folder that contains it.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// The file.
    pub fn file(&self) -> &DeviceFile {
        &self.open
    }

    /// Targets it has code for.
    pub fn targets(&self) -> Vec<TargetId> {
        let mut targets = BTreeSet::new();
        for bundle in self.open.container.bundles() {
            let filled = bundle.entries().iter().filter(|entry| entry.size() > 0);
            targets.extend(filled.filter_map(|entry| self.open.target_of(bundle, entry)));
        }
        targets.into_iter().collect()
    }

    /// Parts that may contain kernels but were not examined: storage forms, or parts of the file, in words.
    pub fn not_examined(&self) -> BTreeSet<String> {
        let bundles = self.open.container.bundles().iter();
        let unread = bundles.filter(|bundle| !is_read(bundle.storage().kind()));
        unread.map(|bundle| bundle.storage().describe()).chain(self.open.not_examined()).collect()
    }

    /// The bytes of an entry, and their offset in the file or in the inflated bundle.
    fn bytes(&self, number: usize, place: usize) -> Option<(&[u8], u64)> {
        let bundle = self.open.container.bundles().get(number)?;
        let entry = bundle.entries().get(place)?;
        if !is_read(bundle.storage().kind()) {
            return None;
        }
        match &bundle.storage().packed() {
            Some(header) => {
                let inflate = || {
                    let stored = range(self.open.file.bytes(), bundle.offset(), bundle.span())?;
                    // Frees the inflated bundle at once: there may be many bundles, and their memory is
                    // limited.
                    let whole = Inflated::read(stored, bundle.offset(), header).ok()?;
                    range(whole.bytes(), entry.offset(), entry.size()).map(<[u8]>::to_vec)
                };
                let inflated = self.inflated.get(number)?.get(place)?.get_or_init(inflate).as_ref()?;
                Some((inflated, entry.offset()))
            }
            None => {
                let offset = bundle.offset().checked_add(entry.offset())?;
                Some((range(self.open.file.bytes(), offset, entry.size())?, offset))
            }
        }
    }

    /// The kernels that a device with the target `agent` would load; `None` if the library has no code for
    /// it.
    pub fn index(&self, agent: &TargetId) -> Option<Index<'_>> {
        let mut objects = Vec::new();
        for (number, bundle) in self.open.container.bundles().iter().enumerate() {
            // If several entries can be loaded, the runtime prefers the exact processor to a generic one.
            let fitting = bundle.entries().iter().enumerate().filter_map(|(place, entry)| {
                let target = self.open.target_of(bundle, entry)?;
                (entry.size() > 0 && target.loads_on(agent))
                    .then_some((target.processor != agent.processor, place))
            });
            let Some((_, place)) = fitting.min() else { continue };
            let Some((bytes, offset)) = self.bytes(number, place) else { continue };
            objects.push(Object { bytes, offset, resources: OnceLock::new() });
        }
        if objects.is_empty() {
            return None;
        }
        let processor = objects.first().and_then(|object| codeobject::target_of(object.bytes));
        let processor = processor.map_or_else(|| agent.processor.clone(), |target| target.processor);
        Some(Index::new(objects, processor))
    }

    /// Whether it contains a kernel for a target.
    pub fn presence(&self, agent: &TargetId, kernel: &Kernel) -> Presence {
        self.presence_in(self.index(agent).as_ref(), kernel)
    }

    /// The same with the kernels of the target looked up before; `None` if there are none.
    pub fn presence_in(&self, index: Option<&Index<'_>>, kernel: &Kernel) -> Presence {
        match index.map_or(Presence::NoTarget, |index| index.presence(kernel)) {
            Presence::NoTarget | Presence::Absent if !self.is_whole() => Presence::Unknown,
            known => known,
        }
    }

    /// Whether all of it could be read. Otherwise nothing is known to be absent.
    pub fn is_whole(&self) -> bool {
        self.open.container.problems().is_empty()
    }
}

/// The owner of a blob in a kpack archive is unknown here, so these are not read.
fn is_read(storage: StorageKind) -> bool {
    storage != StorageKind::Kpack
}

impl<'l> Index<'l> {
    fn new(objects: Vec<Object<'l>>, processor: String) -> Self {
        let mut names = Vec::new();
        for (number, object) in objects.iter().enumerate() {
            let Ok(elf) = Elf::open(object.bytes, object.offset) else { continue };
            let Ok(sections) = elf.sections_up_to(CODE_OBJECT_HEADERS) else { continue };
            let Ok(symbols) = kernel_symbols::symbols(&elf, &sections) else { continue };
            let wanted =
                symbols.filter(|s| s.section != 0 && [symbol::FUNC, symbol::OBJECT].contains(&s.kind));
            names.extend(wanted.filter_map(|s| {
                let (name, is_function) = (s.name()?, s.kind == symbol::FUNC);
                let place = SymbolPlace { section: s.section, value: s.value, size: s.size };
                Some(Symbol { name, is_function, object: number, place })
            }));
        }
        names.sort_unstable_by_key(|symbol| (symbol.name, symbol.object, symbol.place.value));
        Index { objects, names, processor }
    }

    /// Made when a body is first examined: looking up names needs no decoder.
    fn decoder(&self) -> Option<&'static Decoder> {
        Decoder::for_processor(&self.processor, Mode::Correct)
    }

    fn starting_with(&self, prefix: &[u8]) -> &[Symbol<'l>] {
        let first = self.names.partition_point(|symbol| symbol.name < prefix);
        let rest = self.names.get(first..).unwrap_or_default();
        let count = rest.partition_point(|symbol| symbol.name.starts_with(prefix));
        rest.get(..count).unwrap_or_default()
    }

    /// Whether a function is a kernel, which has a descriptor.
    fn is_kernel(&self, symbol: &Symbol<'_>) -> bool {
        if !symbol.is_function {
            return false;
        }
        let descriptor = [symbol.name, b".kd"].concat();
        self.starting_with(&descriptor).first().is_some_and(|found| found.name == descriptor)
    }

    /// All kernels in the order of names; one that occurs in several code objects is repeated.
    pub fn kernels(&self) -> impl Iterator<Item = &Symbol<'l>> {
        let mut end = 0;
        self.names.chunk_by(|a, b| a.name == b.name).flat_map(move |group| {
            end += group.len();
            let next = group.first().zip(self.names.get(end));
            // Its descriptor is usually the next name.
            let rest = next.and_then(|(symbol, next)| next.name.strip_prefix(symbol.name));
            let described =
                rest.is_some_and(|rest| rest == b".kd" || group.iter().any(|s| self.is_kernel(s)));
            group.iter().filter(move |symbol| described && symbol.is_function)
        })
    }

    /// The symbols of the kernel whose name begins with `prefix`: the same name in one or several code
    /// objects. Empty if there is none, or if several kernels match. A kernel not declared static has the
    /// same name without the `L` of internal linkage.
    pub fn find(&self, prefix: &str) -> Vec<&Symbol<'l>> {
        let named = |prefix: &str| -> Vec<&Symbol<'l>> {
            self.starting_with(prefix.as_bytes()).iter().filter(|s| self.is_kernel(s)).collect()
        };
        let mut found = named(prefix);
        if let (true, Some(rest)) = (found.is_empty(), prefix.strip_prefix("_ZL")) {
            found = named(&format!("_Z{rest}"));
        }
        match found.first() {
            Some(first) if found.iter().all(|symbol| symbol.name == first.name) => found,
            _ => Vec::new(),
        }
    }

    /// The first name that begins with `prefix`.
    pub(super) fn starting(&self, prefix: &str) -> Option<String> {
        self.starting_with(prefix.as_bytes()).first()?.name().map(str::to_owned)
    }

    /// The mangled name of a kernel, if exactly one matches.
    pub fn symbol(&self, kernel: &Kernel) -> Option<&'l str> {
        self.find(&kernel.prefix()).first().and_then(|symbol| symbol.name())
    }

    /// Whether the library contains a kernel, and the kind of its body.
    pub fn presence(&self, kernel: &Kernel) -> Presence {
        self.presence_of(&kernel.prefix())
    }

    /// The kind of a kernel's body; `None` if no kernel has that name. Examines nothing else.
    pub fn body_of(&self, kernel: &Kernel) -> Option<Body> {
        self.find(&kernel.prefix()).first().map(|symbol| self.body(symbol))
    }

    /// Whether there are any names: a stripped code object may have none.
    pub fn has_names(&self) -> bool {
        !self.names.is_empty()
    }

    /// Whether it contains a ggml kernel.
    pub fn is_ggml(&self) -> bool {
        let prefix = |family: &Family| format!("_ZL{}{}I", family.template.len(), family.template);
        FAMILIES.iter().any(|family| !self.starting_with(prefix(family).as_bytes()).is_empty())
    }

    /// The kind of body of the kernel whose mangled name begins with `prefix`.
    pub fn presence_of(&self, prefix: &str) -> Presence {
        let places = self.find(prefix);
        let found = places.first().and_then(|symbol| self.describe(symbol, places.len()));
        match found {
            None => Presence::Absent,
            Some(found) if found.body == Body::TrapStub => Presence::Stub(Box::new(found)),
            Some(found) => Presence::Real(Box::new(found)),
        }
    }

    /// The machine code of a kernel: its section, and its range in that.
    fn code(&self, symbol: &Symbol<'_>) -> Option<(&'l [u8], Range<usize>)> {
        let object = self.objects.get(symbol.object)?;
        let elf = Elf::open(object.bytes, object.offset).ok()?;
        let sections = elf.sections_up_to(CODE_OBJECT_HEADERS).ok()?;
        kernel_symbols::code_range(&elf, &sections, &symbol.place)
    }

    /// The kind of a kernel's body.
    pub fn body(&self, symbol: &Symbol<'_>) -> Body {
        let judged = self.code(symbol).zip(self.decoder()).map(|((text, range), decoder)| {
            body::judge_quickly(decoder, text, range.clone(), || ends(&counts(decoder, text, range)))
        });
        judged.unwrap_or(Body::Unclear)
    }

    fn describe(&self, symbol: &Symbol<'l>, places: usize) -> Option<FoundKernel> {
        let name = symbol.name()?;
        let object = self.objects.get(symbol.object)?;
        let (mut body, mut instructions, mut classes) = (Body::Unclear, 0, Vec::new());
        if let Some(((text, range), decoder)) = self.code(symbol).zip(self.decoder()) {
            let counts = counts(decoder, text, range.clone());
            body = body::judge(decoder, text, range, ends(&counts));
            instructions = counts.instructions();
            classes = by_class(&counts);
        }
        Some(FoundKernel {
            symbol: name.to_owned(),
            demangled: demangle(name),
            places,
            object_offset: object.offset,
            body,
            bytes: symbol.place.size,
            instructions,
            classes,
            resources: object.resources().get(name).copied(),
        })
    }
}

fn counts(decoder: &Decoder, text: &[u8], range: Range<usize>) -> Counts {
    let mut counts = Counts::default();
    decoder.count(text, range, &mut counts);
    counts
}

fn by_class(counts: &Counts) -> Vec<(&'static str, u64)> {
    let mut sums = vec![0_u64; CLASSES.len()];
    for (number, count) in counts.mnemonics.iter().enumerate().filter(|(_, count)| **count > 0) {
        let set = class::classes_of_number(number as u16);
        let within = sums.iter_mut().enumerate().filter(|(class, _)| set >> class & 1 == 1);
        within.for_each(|(_, sum)| *sum += u64::from(*count));
    }
    CLASSES.iter().map(|class| class.id).zip(sums).filter(|(_, sum)| *sum > 0).collect()
}

fn ends(counts: &Counts) -> u64 {
    let used = counts.mnemonics.iter().enumerate().filter(|(_, count)| **count > 0);
    let ends = used.filter(|(number, _)| mnemonic(*number as u16).starts_with("s_endpgm"));
    ends.map(|(_, count)| u64::from(*count)).sum()
}

impl Object<'_> {
    fn resources(&self) -> &HashMap<String, Resources> {
        self.resources.get_or_init(|| {
            let size = self.bytes.len() as u64;
            // Metadata lies at the beginning; the rest of the code object is not touched.
            let extent = codeobject::facts_extent(self.bytes, size);
            let head = usize::try_from(extent).ok().and_then(|end| self.bytes.get(..end));
            let mut all = HashMap::new();
            let read = codeobject::read(head.unwrap_or(self.bytes), size, self.offset, &mut |_, kernel| {
                let number = |number: Option<u64>| number.unwrap_or(0);
                let resources = Resources {
                    vgprs: number(kernel.vgprs()),
                    sgprs: number(kernel.sgprs()),
                    agprs: number(kernel.agprs()),
                    vgpr_spills: number(kernel.vgpr_spills()),
                    sgpr_spills: number(kernel.sgpr_spills()),
                    lds: number(kernel.lds()),
                    scratch: number(kernel.scratch()),
                };
                all.insert(kernel.entry().to_owned(), resources);
            });
            if read.is_ok() { all } else { HashMap::new() }
        })
    }
}

impl<'l> Symbol<'l> {
    /// Mangled name.
    pub fn name(&self) -> Option<&'l str> {
        std::str::from_utf8(self.name).ok()
    }

    /// Size of its body in bytes.
    pub fn size(&self) -> u64 {
        self.place.size
    }
}
