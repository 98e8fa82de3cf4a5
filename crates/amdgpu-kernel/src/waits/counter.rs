//! Counters of instructions that are on their way: what counts on which, and what a wait leaves open.
//!
//! Sources: AMD's instruction set references (Vega, CDNA 3, RDNA 1 to 4, "Manually inserted wait states" and
//! "Data dependency resolution"), and LLVM's `SIInsertWaitcnts.cpp` and `AMDGPUUsage`.

/// What the results of an instruction are counted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Counter {
    /// Vector memory: `vmcnt`, or `loadcnt` since gfx12. Results come in the order of their instructions.
    Vector,
    /// Memory of the work-group: `lgkmcnt`, or `dscnt` since gfx12. Results come in their order.
    Local,
    /// Scalar memory and messages: `lgkmcnt`, or `kmcnt` since gfx12. Results come in any order, so that only
    /// a wait for all of them tells that one is there.
    Scalar,
    /// Samples of images: `samplecnt` of gfx12.
    Sample,
    /// Ray tracing: `bvhcnt` of gfx12.
    Ray,
    /// FLAT instructions, which are counted both as vector memory and as memory of the work-group. Compilers
    /// wait only for the one that the address lies in, where they know it.
    Flat,
}

/// Number of [`Counter`]s.
pub(super) const COUNTERS: usize = 6;

impl Counter {
    pub(super) const ALL: [Counter; COUNTERS] =
        [Counter::Vector, Counter::Local, Counter::Scalar, Counter::Sample, Counter::Ray, Counter::Flat];

    /// Its name on processors of a major version.
    pub fn name(self, major: u8) -> &'static str {
        match (self, major >= 12) {
            (Counter::Vector | Counter::Sample | Counter::Ray, false) => "vmcnt",
            (Counter::Local | Counter::Scalar, false) => "lgkmcnt",
            (Counter::Flat, false) => "vmcnt or lgkmcnt",
            (Counter::Vector, true) => "loadcnt",
            (Counter::Local, true) => "dscnt",
            (Counter::Scalar, true) => "kmcnt",
            (Counter::Sample, true) => "samplecnt",
            (Counter::Ray, true) => "bvhcnt",
            (Counter::Flat, true) => "loadcnt or dscnt",
        }
    }

    /// Whether a result of this counter can come while an earlier one is still on its way.
    pub(super) fn is_in_order(self) -> bool {
        !matches!(self, Counter::Scalar)
    }

    /// How many can be on their way at once: the next waits for the first.
    pub(super) fn most(self, major: u8) -> u32 {
        match (self, major) {
            (Counter::Vector, ..=8) => 15,
            (Counter::Local, ..=9) => 15,
            (Counter::Ray, _) => 7,
            _ => 63,
        }
    }
}

/// What an instruction is for the counters, by its mnemonic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Issue {
    /// It is not counted where results are.
    Nothing,
    /// Vector memory that is counted with loads whether it has a result or not.
    Load,
    /// Stores, and atomic operations: with loads if they have a result, or where no other counter is.
    Store,
    Sample,
    Ray,
    FlatLoad,
    FlatStore,
    Local,
    Scalar,
    /// A wait.
    Wait(Wait),
    /// All that is on its way has come.
    All,
}

/// Which fields a wait has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// `s_waitcnt`: several counters in one number.
    Packed,
    /// One counter, up to gfx11 with a register that is added.
    One(Counter),
    /// `lgkmcnt` alone.
    LocalAndScalar,
    /// Of gfx12: memory of the work-group in bits 5:0, loads in bits 13:8.
    VectorAndLocal,
    /// Of gfx12: memory of the work-group in bits 5:0, stores above.
    StoreAndLocal,
}

/// Which half of a register is loaded or stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MovedHalf {
    Both,
    Low,
    High,
}

impl MovedHalf {
    pub(super) fn from_mnemonic(name: &str) -> MovedHalf {
        let stores_less = name.contains("store") && (name.ends_with("_b16") || name.ends_with("_b8"));
        match () {
            () if name.contains("_d16_hi") => MovedHalf::High,
            () if name.contains("_d16") || stores_less => MovedHalf::Low,
            () => MovedHalf::Both,
        }
    }
}

impl Issue {
    /// Whether it can store: memory of the work-group is both read and written.
    pub(super) fn stores(self) -> bool {
        matches!(self, Issue::Store | Issue::FlatStore | Issue::Local)
    }

    /// What a mnemonic is.
    pub(super) fn from_mnemonic(name: &str) -> Issue {
        if let Some(wait) = Wait::from_mnemonic(name) {
            return Issue::Wait(wait);
        }
        let starts = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
        match () {
            // Counters of their own, without a register as result.
            () if name.contains("_async") || starts(&["tensor_"]) => Issue::Nothing,
            () if name == "s_wait_idle" => Issue::All,
            () if starts(&["image_sample", "image_gather4", "image_msaa"]) => Issue::Sample,
            () if starts(&["image_bvh"]) => Issue::Ray,
            () if starts(&["flat_"]) => {
                if name.contains("load") {
                    Issue::FlatLoad
                } else {
                    Issue::FlatStore
                }
            }
            () if starts(&["buffer_", "tbuffer_", "global_", "scratch_", "image_"]) => {
                let is_store = name.contains("store") || name.contains("atomic") || name.contains("wb");
                if is_store { Issue::Store } else { Issue::Load }
            }
            () if starts(&["ds_nop"]) => Issue::Nothing,
            () if starts(&["ds_"]) => Issue::Local,
            () if starts(&["s_load", "s_buffer_load", "s_scratch_load", "s_memtime", "s_memrealtime"]) => {
                Issue::Scalar
            }
            () if starts(&["s_atomic", "s_buffer_atomic", "s_get_waveid", "s_sendmsg_rtn"]) => Issue::Scalar,
            () if starts(&["s_get_barrier_state"]) => Issue::Scalar,
            () => Issue::Nothing,
        }
    }
}

impl Wait {
    fn from_mnemonic(name: &str) -> Option<Wait> {
        Some(match name {
            "s_waitcnt" => Wait::Packed,
            "s_waitcnt_vmcnt" | "s_wait_loadcnt" => Wait::One(Counter::Vector),
            "s_waitcnt_lgkmcnt" => Wait::LocalAndScalar,
            "s_wait_dscnt" => Wait::One(Counter::Local),
            "s_wait_kmcnt" => Wait::One(Counter::Scalar),
            "s_wait_samplecnt" => Wait::One(Counter::Sample),
            "s_wait_bvhcnt" => Wait::One(Counter::Ray),
            "s_wait_loadcnt_dscnt" => Wait::VectorAndLocal,
            "s_wait_storecnt_dscnt" => Wait::StoreAndLocal,
            _ => return None,
        })
    }
}

/// How many of each counter a wait leaves on their way.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Left([Option<u32>; COUNTERS]);

impl Left {
    pub(super) fn get(&self, counter: Counter) -> Option<u32> {
        self.0[counter as usize]
    }

    fn with(mut self, counter: Counter, count: u32) -> Self {
        self.0[counter as usize] = Some(count);
        self
    }

    /// What the wait with this word leaves, on processors of a major version.
    pub(super) fn from_word(wait: Wait, word: u32, major: u8) -> Left {
        let number = word & 0xffff;
        let bits = |low: u32, width: u32| number >> low & ((1 << width) - 1);
        let none = Left::default();
        match wait {
            Wait::Packed => {
                let (vector, local) = match major {
                    ..=8 => (bits(0, 4), bits(8, 4)),
                    9 => (bits(0, 4) | bits(14, 2) << 4, bits(8, 4)),
                    10 => (bits(0, 4) | bits(14, 2) << 4, bits(8, 6)),
                    _ => (bits(10, 6), bits(4, 6)),
                };
                none.with_vector(vector).with(Counter::Local, local).with(Counter::Scalar, local)
            }
            Wait::One(counter) if major >= 12 => none.with(counter, number),
            Wait::One(_) => none.with_vector(added(word)),
            Wait::LocalAndScalar => none.with(Counter::Local, added(word)).with(Counter::Scalar, added(word)),
            Wait::VectorAndLocal => none.with(Counter::Local, bits(0, 6)).with(Counter::Vector, bits(8, 6)),
            Wait::StoreAndLocal => none.with(Counter::Local, bits(0, 6)),
        }
    }

    /// Before gfx12 images are counted like other vector memory.
    fn with_vector(self, count: u32) -> Self {
        [Counter::Vector, Counter::Sample, Counter::Ray]
            .into_iter()
            .fold(self, |all, own| all.with(own, count))
    }
}

/// The number of a wait of gfx10 and gfx11 that adds a register: nothing is left if it is not `null`, because
/// no statement is made of what is not known.
fn added(word: u32) -> u32 {
    const NULL: [u32; 2] = [124, 125];
    if NULL.contains(&(word >> 16 & 0x7f)) { word & 0xffff } else { 0 }
}
