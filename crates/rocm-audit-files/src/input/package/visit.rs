//! The one walk through a package: its members, in order and in batches, and how deep packages lie in each
//! other.

use super::layer::Layer;
use super::{Member, MemberContent, MemberFile, Package, PackageWalk, Wants};
use crate::budget::InflateBudget;
use crate::error::GivenUp;
use crate::finding::Finding;
use crate::finding::rules::read;
use crate::limits::PACKAGE_DEPTH;
use amdgpu_object::format::Format;
use amdgpu_object::locator::Locator;
use amdgpu_object::source::{Access, SourceFile};
use rayon::prelude::*;
use std::sync::Arc;

/// How many packages a file lies in, and what may still be unpacked of the outermost one.
#[derive(Debug, Clone, Copy)]
pub struct Nesting<'b> {
    budget: &'b InflateBudget,
    depth: usize,
    verify: bool,
}

impl<'b> Nesting<'b> {
    /// Of a package that lies in none.
    pub fn outermost(budget: &'b InflateBudget) -> Self {
        Nesting { budget, depth: 0, verify: false }
    }

    /// The same where digests are compared that only a reading of all bytes can compare: those of the layers
    /// of images.
    pub fn verifying(self, verify: bool) -> Self {
        Nesting { verify, ..self }
    }

    /// What may still be unpacked.
    pub fn budget(self) -> &'b InflateBudget {
        self.budget
    }

    /// Number of packages around.
    pub fn depth(self) -> usize {
        self.depth
    }

    /// Whether a package that lies here is opened.
    ///
    /// # Errors
    /// A sentence, where it lies in too many others.
    pub fn check(self) -> Result<(), GivenUp> {
        if self.depth < PACKAGE_DEPTH {
            return Ok(());
        }
        Err(format!("lies in {PACKAGE_DEPTH} packages, one in the other, and is not opened").into())
    }

    fn inside(self) -> Self {
        Nesting { depth: self.depth + 1, ..self }
    }
}

/// Which members are looked at.
#[derive(Clone, Copy)]
pub struct Selection<'v> {
    /// Those that are worth unpacking.
    pub wants: &'v Wants<'v>,
    /// Those that are left out, by their paths in the package.
    pub excludes: &'v (dyn Fn(&str) -> bool + Sync),
}

/// Some members of a package, not opened yet.
pub struct Batch<'v, 'm> {
    members: Vec<Member<'m>>,
    selection: Selection<'v>,
    nesting: Nesting<'v>,
    shown: &'v str,
}

/// A member that was opened, or left out.
pub struct Visited<'v> {
    /// Its path in the package.
    pub name: String,
    /// Its place.
    pub locator: Locator,
    /// Size in bytes, unpacked, as its header has it.
    pub size: u64,
    /// Who has put it there: a layer of an image.
    pub owner: Option<Arc<str>>,
    /// What it is; `None` where it is left out.
    pub content: Option<MemberContent>,
    /// What is wrong with it, with offsets in the package.
    pub faults: Vec<Finding>,
    /// Where it lies, should it be a package.
    pub nesting: Nesting<'v>,
}

impl<'v> Batch<'v, '_> {
    /// Number of members.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Bytes of the package that they take, as far as is known.
    pub fn packed(&self) -> u64 {
        self.members.iter().map(|member| member.packed).sum()
    }

    /// Their sizes in bytes, unpacked.
    pub fn sizes(&self) -> impl Iterator<Item = u64> {
        self.members.iter().map(|member| member.size)
    }

    /// Opens one after the other.
    pub fn each(self, mut each: impl FnMut(Visited<'v>)) {
        let (selection, nesting, shown) = (self.selection, self.nesting, self.shown);
        self.members.into_iter().for_each(|member| each(open(member, selection, nesting, shown)));
    }

    /// Opens them on all cores; what `each` gives comes in order.
    pub fn each_at_once<T: Send>(self, each: impl Fn(Visited<'v>) -> T + Sync) -> Vec<T> {
        let (selection, nesting, shown) = (self.selection, self.nesting, self.shown);
        self.members.into_par_iter().map(|member| each(open(member, selection, nesting, shown))).collect()
    }
}

fn open<'v>(member: Member<'_>, selection: Selection<'v>, nesting: Nesting<'v>, shown: &str) -> Visited<'v> {
    let mut visited = Visited {
        name: member.name.clone(),
        locator: member.locator.clone(),
        size: member.size,
        owner: member.owner.clone(),
        content: None,
        faults: Vec::new(),
        nesting,
    };
    if !(selection.excludes)(&member.name) {
        let opened = member.open(selection.wants);
        visited.content = Some(match opened.content {
            MemberContent::File(file) => MemberContent::File(file.settled()),
            content => content,
        });
        visited.faults = Finding::all_of_bytes(shown, &opened.problems);
    }
    visited
}

/// A package that was walked through.
pub struct Closed {
    /// The package itself.
    pub file: Arc<SourceFile>,
    /// Set for a single compressed file whose content is not wanted: it is a file like any other.
    pub opaque: bool,
    /// The layers of the images of containers in it.
    pub layers: Vec<Layer>,
    /// Name and version of what it installs, where it says so.
    pub identity: Option<String>,
    /// What is wrong with it.
    pub faults: Vec<Finding>,
}

/// Hands on the members of a package in batches, in order. Packages among them are members like others: to
/// enter one, ask [`Nesting::check`] and call this again. `shown` is the package's path in messages.
pub fn visit(
    package: MemberFile,
    shown: &str,
    nesting: Nesting<'_>,
    selection: Selection<'_>,
    each: &mut dyn FnMut(Batch<'_, '_>),
) -> Closed {
    package.file.expect(Access::Content);
    let file = Arc::new(package.file);
    let opened = Package::new(Arc::clone(&file), package.format, nesting.budget.at(nesting.depth))
        .verifying(nesting.verify);
    let PackageWalk { problems, opaque, layers, identity } =
        opened.for_each_batch(selection.wants, &mut |members| {
            each(Batch { members, selection, nesting: nesting.inside(), shown });
        });
    let mut faults = Finding::all_of_bytes(shown, &problems);
    if let Err(what) = file.check_unchanged() {
        // What a source did not give was taken as zeros: nothing that was found wrong with them is.
        if file.is_fetched() {
            faults.clear();
        }
        faults.push(Finding::of_file(&read::CHANGED_WHILE_READ, shown, what.to_string()));
    }
    Closed { file, opaque, layers, identity, faults }
}

impl MemberFile {
    /// A file that is no member of a package, or that was opened without asking whether it is wanted.
    pub fn from_file(file: SourceFile) -> Self {
        let format = Format::recognise(&file);
        MemberFile { file, format, claim: None, settled: true }
    }

    /// The same with what all of its bytes say of its format, where its first ones leave that open: an
    /// archive may stand behind a program. No scanner was asked then whether it wants that.
    fn settled(self) -> Self {
        if self.settled || !matches!(self.format, Format::HostElf | Format::WindowsPe | Format::Other) {
            return self;
        }
        match Format::recognise(&self.file) {
            format if format == self.format => self,
            format => MemberFile { format, claim: None, settled: true, ..self },
        }
    }
}
