//! The rows of the kernels of a bundle.

use super::{BundleBytes, BundledFile};
use crate::bytes::le::clamped;
use crate::codeobject::{Kernel, demangle, descriptor};
use crate::container::Bundle;
use crate::inventory::kernel_row::{KernelPlace, KernelRow};
use crate::kernel::occupancy::{Demand, Hardware};
use crate::target::TargetId;
use std::collections::HashMap;
use std::sync::Arc;

/// Makes the rows of the kernels of one bundle.
pub(super) struct RowMaker<'a> {
    reading: &'a BundledFile<'a>,
    bundle: &'a Bundle,
    place: &'a BundleBytes<'a>,
    /// The code object at hand, with the number of its entry.
    at: Option<(usize, Arc<KernelPlace>)>,
    /// The registers that the descriptors of the code object of an entry ask for, by the names of their symbols.
    allocated: Option<(usize, HashMap<String, u32>)>,
    /// Demangled names: a bundle has the same kernels for each of its targets.
    names: HashMap<String, Option<Arc<str>>>,
    rows: Vec<KernelRow>,
}

impl<'a> RowMaker<'a> {
    pub fn of_bundle(reading: &'a BundledFile<'a>, bundle: &'a Bundle, place: &'a BundleBytes<'a>) -> Self {
        RowMaker {
            reading,
            bundle,
            place,
            at: None,
            allocated: None,
            names: HashMap::new(),
            rows: Vec::new(),
        }
    }

    pub fn into_rows(self) -> Vec<KernelRow> {
        self.rows
    }

    pub fn add(&mut self, entry: usize, target: &TargetId, kernel: &Kernel<'_>) {
        let Some(filter) = self.reading.settings.kernels.filter(|filter| filter.wants_target(target)) else {
            return;
        };
        let demangled =
            if filter.as_it_stands && filter.name.is_none() { None } else { self.demangled(kernel.name()) };
        let whole = self.allocated_vgprs(entry, target, kernel);
        let whole = whole.map(|count| kernel.clone().with_allocated_vgprs(u64::from(count)));
        let kernel = whole.as_ref().unwrap_or(kernel);
        if !filter.wants(kernel, demangled.as_deref()) || !filter.wants_numbers(kernel, target) {
            return;
        }
        if let Some(place) = self.place_of(entry, target) {
            self.rows.push(KernelRow { place, kernel: kernel.to_static(), demangled });
        }
    }

    fn demangled(&mut self, name: &str) -> Option<Arc<str>> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let demangled: Option<Arc<str>> = demangle(name).map(Into::into);
        self.names.insert(name.to_owned(), demangled.clone());
        demangled
    }

    /// The registers that its descriptor asks for, where the metadata do not say enough and the code object
    /// stands in the file as it is.
    fn allocated_vgprs(&mut self, entry: usize, target: &TargetId, kernel: &Kernel<'_>) -> Option<u32> {
        if kernel.agprs().is_some() || self.bundle.storage().packed().is_some() {
            return None;
        }
        if self.allocated.as_ref().is_none_or(|(known, _)| *known != entry) {
            let mut registers = HashMap::new();
            if Hardware::has_accumulation_registers(&target.processor) {
                let one = self.bundle.entries().get(entry)?;
                let at = self.bundle.offset().saturating_add(one.offset());
                // What is wrong in it is said where its kernels are read.
                let bytes = clamped(self.place.bytes, at, one.size());
                for own in descriptor::read_all(bytes, at).unwrap_or_default() {
                    let count = Demand::allocated_vgprs(&target.processor, &own)?;
                    registers.insert(own.symbol().to_owned(), count);
                }
            }
            self.allocated = Some((entry, registers));
        }
        self.allocated.as_ref()?.1.get(kernel.symbol()).copied()
    }

    fn place_of(&mut self, number: usize, target: &TargetId) -> Option<Arc<KernelPlace>> {
        if let Some((known, place)) = &self.at
            && *known == number
            && place.target == *target
        {
            return Some(Arc::clone(place));
        }
        let entry = self.bundle.entries().get(number)?;
        let place = Arc::new(KernelPlace {
            shown: self.reading.shown.to_owned(),
            bundle: self.place.index,
            id: entry.id().map(|id| id.as_str().to_owned()),
            target: target.clone(),
            locator: (self.place.locate)(entry),
        });
        self.at = Some((number, Arc::clone(&place)));
        Some(place)
    }
}
