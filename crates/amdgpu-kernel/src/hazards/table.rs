//! The one table of hazards: which instruction has to stay how far behind which other on which processors.
//!
//! Source: LLVM 22.1.8, `GCNHazardRecognizer.cpp`: each row is what its pass `post-RA-hazard-rec` inserts
//! between two instructions on each processor. Matrix products are in [`super::matrix`].

use super::family::{HazardFamilies, HazardFamily};
use super::kinds::*;

/// How producer and consumer are tied to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// The consumer reads a vector register that the producer writes.
    Vector,
    /// The consumer moves such a register between lanes.
    MovedVector,
    /// The consumer reads a scalar register that the producer writes, VCC among them.
    Scalar,
    /// One that says which lane is meant.
    LaneSelect,
    /// The producer writes VCC.
    Vcc,
    /// The producer writes EXEC.
    Exec,
    /// The producer writes M0 and the consumer reads it.
    M0,
    /// Both name the same register of the hardware.
    HardwareRegister,
    /// A part of a register that was shifted to its place is read.
    Part,
    /// The consumer writes what the producer stores.
    StoredData,
    /// The consumer reads a result of a dot product, and not as the sum of the same one; or writes it.
    Dot,
    /// Whatever they name.
    Always,
    /// The consumer writes a scalar register that the producer reads.
    ScalarOverwritten,
    /// The producer reads EXEC by name.
    ExecRead,
    /// The consumer is no transcendental function and reads what the producer writes.
    Transcendental,
    /// The producer is a matrix product of 64 bits.
    DoubleProduct,
    /// The producer names its addresses in 16 bytes, and the consumer has an offset with bits 1 or 2.
    LongImage,
    /// The second reads as a factor, or as an index, what the first writes.
    Factor,
}

/// How far apart they have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Distance {
    /// So many wait states.
    States(u8),
    /// So many wait states, or an instruction of these kinds, or any wait.
    StatesOr(u8, Kinds),
    /// An instruction of these kinds, or a wait, has to lie between.
    Until(Kinds, EndingWait),
}

/// A wait that ends a hazard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndingWait {
    None,
    /// `s_waitcnt_depctr` that waits for sources of vector memory, or `s_waitcnt 0`.
    VectorMemorySources,
    /// `s_waitcnt` or `s_waitcnt_lgkmcnt` that leaves no scalar memory.
    ScalarMemory,
    /// `s_waitcnt_depctr` that waits for scalar results, or a vector instruction with one.
    ScalarResults,
}

/// Instructions that have to be kept apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hazard {
    /// Its name.
    pub id: &'static str,
    /// What it is about, in one sentence without its full stop.
    pub title: &'static str,
    pub(super) families: HazardFamilies,
    pub(super) producer: Kinds,
    /// Producers of these kinds are none.
    pub(super) except: Kinds,
    pub(super) consumer: Kinds,
    pub(super) relation: Relation,
    pub(super) distance: Distance,
}

impl Hazard {
    /// The families of processors that have it.
    pub fn families(&self) -> HazardFamilies {
        self.families
    }

    /// Wait states that it asks for; nothing where another instruction has to lie between.
    pub fn states(&self) -> Option<u32> {
        match self.distance {
            Distance::States(states) | Distance::StatesOr(states, _) => Some(u32::from(states)),
            Distance::Until(..) => None,
        }
    }
}

use HazardFamily::{
    Gfx6, Gfx7, Gfx8, Gfx9, Gfx10, Gfx11, Gfx12, Gfx90a, Gfx103, Gfx115, Gfx125, Gfx908, Gfx940, Gfx950,
};

const fn from_to(first: HazardFamily, last: HazardFamily) -> HazardFamilies {
    HazardFamilies::from_to(first, last)
}

macro_rules! hazards {
    ($($id:literal $title:literal : $families:expr, $producer:expr $(, except $except:expr)? => $consumer:expr,
       $relation:ident, $distance:expr;)*) => {
        /// All hazards but those of matrix products.
        pub static HAZARDS: &[Hazard] = &[$(Hazard {
            id: $id,
            title: $title,
            families: $families,
            producer: $producer,
            except: 0 $(| $except)?,
            consumer: $consumer,
            relation: Relation::$relation,
            distance: $distance,
        }),*];
    };
}

use Distance::{States, StatesOr, Until};

hazards! {
    "valu-sgpr-vmem" "a scalar register that a vector instruction writes is read by vector memory":
        from_to(Gfx8, Gfx950), VALU => VMEM, Scalar, States(5);
    "valu-sgpr-smem" "a scalar register that a vector instruction writes is read by scalar memory":
        HazardFamilies::one(Gfx6), VALU => SMEM, Scalar, States(4);
    "valu-vgpr-dpp" "a vector register is moved between lanes by DPP right behind its writing":
        from_to(Gfx8, Gfx950), VALU, except MFMA => DPP, MovedVector, States(2);
    "valu-exec-dpp" "EXEC is written by a vector instruction before DPP": from_to(Gfx8, Gfx950), VALU => DPP, Exec, States(5);
    "valu-vcc-div-fmas" "VCC is written by a vector instruction before v_div_fmas":
        from_to(Gfx6, Gfx950), VALU => DIV_FMAS, Vcc, States(4);
    "valu-sgpr-lane" "a scalar register that a vector instruction writes says which lane is read or written":
        from_to(Gfx6, Gfx950), VALU => LANE, LaneSelect, States(4);
    "setreg-getreg" "a register of the hardware is read right behind s_setreg":
        from_to(Gfx6, Gfx950), SETREG => GETREG, HardwareRegister, States(2);
    "setreg-setreg-1" "a register of the hardware is written twice in a row":
        from_to(Gfx6, Gfx7), SETREG => SETREG, HardwareRegister, States(1);
    "setreg-setreg-2" "a register of the hardware is written twice in a row":
        from_to(Gfx8, Gfx950), SETREG => SETREG, HardwareRegister, States(2);
    "wide-store-data" "data of a store of more than 64 bits are written over right behind it":
        from_to(Gfx7, Gfx90a), WIDE_STORE => VALU, StoredData, States(1);
    "wide-store-data-2" "data of a store of more than 64 bits are written over right behind it":
        from_to(Gfx940, Gfx950), WIDE_STORE => VALU, StoredData, States(2);
    "m0-message" "M0 is written right before a message": from_to(Gfx8, Gfx950), SALU => MESSAGE, M0, States(1);
    "m0-read" "M0 is written right before s_movrel, interpolation, or a load to LDS":
        from_to(Gfx9, Gfx950), SALU => READS_M0, M0, States(1);
    "trans-valu" "a result of a transcendental function is read by the next vector instruction":
        from_to(Gfx940, Gfx950), TRANS => VECTOR_WORK, Transcendental, States(1);
    "part-valu" "a result that is shifted to a part of its register is read by the next vector instruction":
        from_to(Gfx940, Gfx950), PART => VALU, Part, States(1);
    "valu-sgpr-valu" "a scalar register that a vector instruction writes is read by another":
        from_to(Gfx940, Gfx950), VALU => VALU, Scalar, States(2);
    "valu-vgpr-read-lane" "a vector register is read by v_readlane right behind its writing":
        from_to(Gfx940, Gfx950), VALU, except MFMA => READ_LANE, Vector, States(1);
    "valu-exec-lane" "EXEC is written by a vector instruction before v_readlane, v_readfirstlane or v_writelane":
        from_to(Gfx940, Gfx950), VALU => LANE | READ_LANE, Exec, States(4);
    "dot-valu" "a result of a dot product is read or written over": from_to(Gfx90a, Gfx950), DOT => VALU | VMEM | DS | EXPORT,
        Dot, States(3);
    "dgemm-fma64" "a matrix product of 64 bits before v_fma_f64": from_to(Gfx90a, Gfx950), MFMA => FMA64, DoubleProduct, States(2);
    "valu-vgpr-mfma-908" "a vector register is read by a matrix product right behind its writing":
        HazardFamilies::one(Gfx908), VALU, except MFMA | ACC_WRITE => MFMA | ACC_WRITE, Vector, States(2);
    "valu-vgpr-mfma" "a vector register is read by a matrix product right behind its writing":
        from_to(Gfx90a, Gfx950), VALU, except MFMA | DOT => MFMA, Vector, States(2);
    "valu-exec-mfma-908" "EXEC is written by a vector instruction before a matrix product":
        HazardFamilies::one(Gfx908), VALU => MFMA | ACC_WRITE, Exec, States(4);
    "valu-exec-mfma" "EXEC is written by a vector instruction before a matrix product":
        from_to(Gfx90a, Gfx950), VALU => MFMA, Exec, States(4);
    "acc-read-memory" "a register that v_accvgpr_read writes is read by memory":
        HazardFamilies::one(Gfx908), ACC_READ => VMEM | DS, Vector, States(2);
    "acc-write-acc-read" "an accumulation register is read right behind v_accvgpr_write":
        HazardFamilies::one(Gfx908), ACC_WRITE => ACC_READ, Vector, States(3);
    "acc-write-mfma" "an accumulation register is read by a matrix product right behind v_accvgpr_write":
        HazardFamilies::one(Gfx908), ACC_WRITE => MFMA, Factor, States(3);
    "acc-write-mfma-sum" "an accumulation register is the sum of a matrix product right behind v_accvgpr_write":
        HazardFamilies::one(Gfx908), ACC_WRITE => MFMA, Vector, States(1);
    "valu-vgpr-lane-swap" "a vector register is exchanged between lanes right behind its writing":
        HazardFamilies::one(Gfx950), VALU, except MFMA => LANE_SWAP, Vector, States(2);
    "cmpx-lane-swap" "EXEC is written by v_cmpx before lanes are exchanged":
        HazardFamilies::one(Gfx950), CMPX => LANE_SWAP, Exec, States(4);
    "vmem-scalar-write" "a scalar register that memory reads is written over while it may still be read":
        HazardFamilies::one(Gfx10), VMEM | DS => SALU | SMEM, ScalarOverwritten, Until(VALU, EndingWait::VectorMemorySources);
    "smem-vector-write" "a scalar register that scalar memory reads is written over by a vector instruction":
        HazardFamilies::one(Gfx10), SMEM => VALU, ScalarOverwritten, Until(SCALAR_WORK, EndingWait::ScalarMemory);
    "exec-read-cmpx" "EXEC is written by v_cmpx while a scalar instruction may still read it":
        HazardFamilies::one(Gfx10), SCALAR_WORK => CMPX, ExecRead, Until(0, EndingWait::ScalarResults);
    "cmpx-permlane" "EXEC is written by v_cmpx and v_permlane follows": HazardFamilies::one(Gfx10).and(from_to(Gfx11, Gfx125)),
        CMPX => PERMLANE, Exec, Until(VECTOR_WORK, EndingWait::None);
    "image-buffer" "an image whose addresses lie in many registers right before a buffer with such an offset":
        HazardFamilies::one(Gfx10), IMAGE => BUFFER, LongImage, States(1);
    "float-atomic-denorm" "s_denorm_mode right behind an atomic operation on a floating-point number":
        from_to(Gfx10, Gfx103), FLOAT_ATOMIC => DENORM_MODE, Always, StatesOr(3, VALU);
    "wmma-wmma" "a result of a matrix product is a factor of the next": from_to(Gfx11, Gfx12),
        WMMA => WMMA, Factor, Until(VALU, EndingWait::None);
}

/// A hazard that is not judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotJudged {
    /// What it is about.
    pub title: &'static str,
    /// The families of processors that have it.
    pub families: HazardFamilies,
    /// Why it is not judged.
    pub why: &'static str,
}

macro_rules! not_judged {
    ($($title:literal : $families:expr, $why:literal;)*) => {
        /// Hazards that LLVM knows and that are not judged.
        pub static NOT_JUDGED: &[NotJudged] = &[$(NotJudged { title: $title, families: $families, why: $why }),*];
    };
}

not_judged! {
    "s_mov of a descriptor before s_buffer_load": HazardFamilies::one(Gfx6), "undocumented by LLVM's words, and four wait states are its guess";
    "VCCZ after a scalar load or a write of half of VCC": from_to(Gfx6, Gfx7), "not yet";
    "VSKIP, EXECZ and VCCZ as data, VCC under its other name": from_to(Gfx6, Gfx950), "compilers do not write such code";
    "TRAPSTS before s_rfe": from_to(Gfx8, Gfx950), "trap handlers are no kernels";
    "memory in a clause that is repeated (XNACK)": from_to(Gfx8, Gfx10).and(HazardFamilies::one(Gfx125)),
        "depends on the mode that the card runs in";
    "DPP: the old value and the second source": from_to(Gfx8, Gfx950), "only what is moved between lanes is claimed";
    "EXEC before vector memory": from_to(Gfx8, Gfx950), "LLVM keeps it apart like any scalar register; not taken over";
    "loads that write over a result or the sum of a matrix product": from_to(Gfx90a, Gfx950),
        "LLVM keeps them apart like vector instructions; not taken over";
    "a product of 64 bits between a vector instruction and memory": HazardFamilies::one(Gfx90a), "not yet";
    "vector instruction, v_accvgpr_read or v_accvgpr_write, memory": HazardFamilies::one(Gfx908), "not yet";
    "v_cvt_scale results that are shifted to a part": HazardFamilies::one(Gfx950), "not yet";
    "LDS, a branch, vector memory": HazardFamilies::one(Gfx10), "not yet";
    "shifts of 64 bits by the last register": HazardFamilies::one(Gfx90a), "depends on the registers that are allocated";
    "results before and after a change of EXEC in one instruction": from_to(Gfx11, Gfx115), "not yet";
    "a mask that a scalar instruction writes over": from_to(Gfx11, Gfx115), "LLVM does not say where it ends";
    "parameters and LDS read directly": from_to(Gfx11, Gfx125), "kernels have none";
    "a scalar register that vector instructions read before it is written": from_to(Gfx12, Gfx125),
        "LLVM does not say where it begins";
    "matrix products and transcendental functions beside other instructions": HazardFamilies::one(Gfx125), "not yet";
    "s_setreg and s_getreg between vector instructions": HazardFamilies::one(Gfx125), "not yet";
}
