//! In place of the reader of packages, where it is not built in: there is no package, and no member of one.

use super::{Opened, PackageWalk, Wants};
use crate::budget::DepthShare;
use amdgpu_object::format::Format;
use amdgpu_object::locator::Locator;
use amdgpu_object::source::SourceFile;
use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;

/// A file that holds files; none of them is read.
#[derive(Debug)]
pub struct Package<'a>(PhantomData<&'a ()>);

/// One member of a package; there is none.
#[derive(Debug)]
pub struct Member<'p> {
    /// Its place.
    pub locator: Locator,
    /// Its path in the package.
    pub name: String,
    /// Size in bytes, unpacked.
    pub size: u64,
    /// Bytes of the package that it takes, as far as is known.
    pub packed: u64,
    /// Who has put it there.
    pub owner: Option<Arc<str>>,
    none: (Infallible, PhantomData<&'p ()>),
}

impl<'a> Package<'a> {
    /// A package, which is not read.
    pub fn new(_: Arc<SourceFile>, _: Format, _: DepthShare<'a>) -> Self {
        Package(PhantomData)
    }

    /// Nothing is read, and nothing compared.
    pub fn verifying(self, _: bool) -> Self {
        self
    }

    /// None is taken.
    pub fn memory(_: Format, _: &SourceFile) -> u64 {
        0
    }

    /// Hands on no members: the file is reported like one that is not to be inflated.
    pub fn for_each_batch(&self, _: &Wants<'_>, _: &mut dyn FnMut(Vec<Member<'_>>)) -> PackageWalk {
        PackageWalk { opaque: true, ..PackageWalk::default() }
    }
}

impl Member<'_> {
    /// Cannot be called.
    pub fn open(self, _: &Wants<'_>) -> Opened {
        match self.none.0 {}
    }
}
