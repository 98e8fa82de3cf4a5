//! The kernels of a code object, with what their metadata say of them.
#![deny(clippy::indexing_slicing)]

use crate::tensile::code_objects::{KernelId, XNACK};
use amdgpu_kernel::occupancy::{Hardware, Occupancy, Spread};
use amdgpu_object::codeobject::disassembly::CodeAsk;
use amdgpu_object::codeobject::{self, Kernel};
use amdgpu_object::container;
use amdgpu_object::container::bundle_reader::{self, Depth};
use amdgpu_object::format::{Format, Support};
use rocm_audit_files::input::folder::Folder;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::HashMap;

/// What is known of a kernel.
pub(super) struct KernelFacts {
    /// Bytes of LDS that it takes.
    lds: u64,
    /// Waves that a SIMD unit holds of it, over how many SIMD units a work group is spread, and the lanes of
    /// a wave.
    waves: Option<[u64; 3]>,
    /// LDS of a compute unit, or of a work-group processor.
    unit_lds: Option<u64>,
    name: Box<str>,
}

/// The kernels of one name of a code object, whichever of its variants for XNACK is there.
pub(super) struct Kernels {
    all: HashMap<KernelId, KernelFacts>,
    /// LDS that a work group can have.
    most_lds: Option<u64>,
}

impl Kernels {
    /// Reads them; none where the file is missing or broken, which is found elsewhere.
    pub fn open(folder: &Folder, name: &str, processor: &str) -> Kernels {
        let hardware = [32, 64]
            .into_iter()
            .find_map(|lanes| Hardware::for_processor(processor, lanes, Spread::WorkgroupProcessor));
        let most_lds = hardware.map(|hardware| u64::from(hardware.addressable_lds()));
        let mut kernels = Kernels { all: HashMap::new(), most_lds };
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        for xnack in XNACK {
            let Ok(file) = folder.open(&format!("{stem}{xnack}.{extension}")) else { continue };
            kernels.read(file.bytes(), file.head(), processor, hardware.as_ref());
        }
        kernels
    }

    fn read(&mut self, bytes: &[u8], head: &[u8], processor: &str, hardware: Option<&Hardware>) {
        let mut add = |kernel: &Kernel<'_>| {
            let facts = KernelFacts::from_kernel(kernel, processor, hardware);
            self.all.insert(KernelId::from_name(kernel.entry().as_bytes()), facts);
        };
        if codeobject::target_of(bytes).is_some() {
            _ = codeobject::read(bytes, bytes.len() as u64, 0, &mut |_, kernel| add(kernel));
            return;
        }
        let format = Format::identify(head);
        if format.support() != Support::Yes {
            return;
        }
        for bundle in container::open(bytes, format).bundles() {
            let on_kernel = &mut |_: usize, _: &_, kernel: &Kernel<'_>| add(kernel);
            bundle_reader::read(bytes, bundle, Depth::Metadata, CodeAsk::Nothing, on_kernel);
        }
    }

    /// What is known of a kernel.
    pub fn find_kernel(&self, name: &[u8]) -> Option<&KernelFacts> {
        self.all.get(&KernelId::from_name(name))
    }

    /// Kernels that take more LDS than a work group can have.
    pub fn over_limits(&self, file: &str, found: &mut dyn FnMut(String)) {
        let Some(most) = self.most_lds else { return };
        let mut over: Vec<&KernelFacts> = self.all.values().filter(|facts| facts.lds > most).collect();
        over.sort_rows_by(|a, b| a.name.cmp(&b.name));
        for facts in over {
            found(format!(
                "{} in {file} takes {} bytes of LDS, and a work group can have {most}",
                facts.name, facts.lds
            ));
        }
    }
}

impl KernelFacts {
    fn from_kernel(kernel: &Kernel<'_>, processor: &str, hardware: Option<&Hardware>) -> KernelFacts {
        let occupancy = Occupancy::of_metadata(processor, kernel);
        let spread = hardware.map(|hardware| u64::from(hardware.simd_units()));
        let waves = occupancy.zip(spread).zip(kernel.wavefront());
        KernelFacts {
            lds: kernel.lds().unwrap_or(0),
            waves: waves.map(|((occupancy, units), lanes)| [u64::from(occupancy.waves()), units, lanes]),
            unit_lds: hardware.map(|hardware| u64::from(hardware.lds())),
            name: kernel.entry().into(),
        }
    }

    /// Work groups of so many work items that a compute unit has room for at most, and what limits them. On
    /// gfx10 and later that is the whole work-group processor, so that it is never too few.
    pub fn groups(&self, items: u64) -> Option<(u64, &'static str)> {
        let by_lds = self.unit_lds.and_then(|lds| lds.checked_div(self.lds)).map(|groups| (groups, "LDS"));
        let by_waves = self.waves.and_then(|[waves, units, lanes]| {
            let each = items.div_ceil(lanes.max(1)).max(1);
            Some((waves.saturating_mul(units).checked_div(each)?.max(1), "registers"))
        });
        by_lds.into_iter().chain(by_waves).min()
    }
}
