//! How two instructions are tied to each other: by what they read and write.

use super::family::HazardFamily;
use super::kinds::{ACC_READ, ACC_WRITE, BUFFER, DS, EXPORT, MFMA, TRANS, VALU, VMEM};
use super::matrix::{MatrixUnit, Product, ProductUse};
use super::table::Relation;
use super::walk::HazardWalk;
use crate::units::{Span, Unit};
use amdgpu_isa::{File, Instruction, Operand, Register};

/// A unit of the register that ties both; nothing where none is meant.
type Tie = Option<Option<u16>>;

/// The number of M0 among special registers.
const M0: u16 = 124;

impl HazardWalk<'_> {
    /// Whether the instruction of the first number and that of the second are tied like this.
    pub(super) fn relates(&self, relation: Relation, first: usize, second: usize) -> Tie {
        match relation {
            Relation::Vector => self.reads_vector(first, second).map(Some),
            Relation::MovedVector => self.reads_as(first, second, &["src0"]).map(Some),
            Relation::Scalar => self.reads_scalar(first, second).map(Some),
            Relation::LaneSelect => self.selects_lane(first, second).map(Some),
            Relation::Vcc => self.writes(first).iter().any(|span| span.is_vcc()).then_some(None),
            Relation::Exec => {
                self.writes(first).iter().any(|span| span.is_exec() && span.is_mask()).then_some(None)
            }
            Relation::M0 => self.passes_m0(first, second).then_some(None),
            Relation::HardwareRegister => (self.word(first) & 63 == self.word(second) & 63).then_some(None),
            Relation::Part => self.shifts_result(first, second).map(Some),
            Relation::StoredData => self.writes_stored(first, second).map(Some),
            Relation::Dot => self.uses_dot(first, second).map(Some),
            Relation::Always => Some(None),
            Relation::ScalarOverwritten => shared(self.reads(first), self.writes(second), true).map(Some),
            Relation::ExecRead => self.reads_exec(first).then_some(None),
            Relation::Transcendental => {
                let is_other = self.kinds_at(second) & TRANS == 0;
                self.reads_vector(first, second).filter(|_| is_other).map(Some)
            }
            Relation::DoubleProduct => {
                self.product(first).is_some_and(|own| own.unit == MatrixUnit::Double).then_some(None)
            }
            Relation::LongImage => self.is_long_before_offset(first, second).then_some(None),
            Relation::Factor => self.is_factor(first, second).map(Some),
        }
    }

    fn reads(&self, number: usize) -> &[Span] {
        self.body.all.get(number).map_or(&[], |one| self.body.reads(one))
    }

    fn writes(&self, number: usize) -> &[Span] {
        self.body.all.get(number).map_or(&[], |one| self.body.writes(one))
    }

    fn instruction(&self, number: usize) -> Option<Instruction> {
        self.code.instruction(self.body.all.get(number)?.offset)
    }

    pub(super) fn reads_vector(&self, first: usize, second: usize) -> Option<u16> {
        shared(self.writes(first), self.reads(second), false)
    }

    /// The second reads what the first writes in one of these operands.
    fn reads_as(&self, first: usize, second: usize, names: &[&str]) -> Option<u16> {
        // Most are not tied at all, which is known without decoding again.
        self.reads_vector(first, second)?;
        let found = self.instruction(second)?;
        let own = found.operands().filter(|named| !named.is_result && names.contains(&named.name));
        own.filter_map(|named| span(named.operand))
            .find_map(|read| shared(self.writes(first), &[read], false))
    }

    fn reads_scalar(&self, first: usize, second: usize) -> Option<u16> {
        let writes = self.writes(first);
        if let Some(unit) = shared(writes, self.reads(second), true) {
            return Some(unit);
        }
        let vcc = writes.iter().find(|span| span.is_vcc())?;
        let found = self.instruction(second)?;
        let mut reads = found.reads().filter_map(Span::from_register);
        reads.find_map(|read| vcc.first_shared(read))
    }

    fn selects_lane(&self, first: usize, second: usize) -> Option<u16> {
        let writes = self.writes(first);
        if !writes.iter().any(|span| span.file() == Unit::Scalar && !span.is_exec()) {
            return None;
        }
        let found = self.instruction(second)?;
        let lane =
            found.operands().filter(|named| named.name == "src1").find_map(|named| span(named.operand))?;
        writes.iter().filter(|span| !span.is_exec()).find_map(|span| span.first_shared(lane))
    }

    fn passes_m0(&self, first: usize, second: usize) -> bool {
        let is_m0 = |register: Register| register.file() == File::Special && register.index() == M0;
        let (Some(from), Some(to)) = (self.instruction(first), self.instruction(second)) else {
            return false;
        };
        from.writes().any(is_m0) && to.reads().any(is_m0)
    }

    fn reads_exec(&self, number: usize) -> bool {
        let reads_it = |found: Instruction| {
            found.reads().filter_map(Span::from_register).any(|span| span.is_mask() && span.is_exec())
        };
        self.instruction(number).is_some_and(reads_it)
    }

    fn shifts_result(&self, first: usize, second: usize) -> Option<u16> {
        let unit = self.reads_vector(first, second)?;
        let found = self.instruction(first)?;
        let text = found.to_string();
        let by_name = text.split_once("dst_sel:").is_some_and(|(_, rest)| !rest.starts_with("DWORD"));
        // One bit for each source, and one more for the result where that can be shifted.
        let by_bit = || {
            let bits = text.split_once("op_sel:[").and_then(|(_, rest)| rest.split_once(']'));
            let sources = found.operands().filter(|named| !named.is_result && named.name.starts_with("src"));
            bits.is_some_and(|(bits, _)| bits.split(',').count() > sources.count() && bits.ends_with('1'))
        };
        (by_name || by_bit()).then_some(unit)
    }

    fn writes_stored(&self, first: usize, second: usize) -> Option<u16> {
        shared(self.reads(first), self.writes(second), false)?;
        let found = self.instruction(first)?;
        let is_buffer = self.kinds_at(first) & BUFFER != 0;
        let offset_is_register = |named: &amdgpu_isa::Named| {
            named.name == "soffset" && matches!(named.operand, Operand::Register(_))
        };
        if is_buffer && found.operands().any(|named| offset_is_register(&named)) {
            return None;
        }
        let data =
            found.operands().filter(|named| named.name == "vdata").find_map(|named| span(named.operand))?;
        shared(&[data], self.writes(second), false)
    }

    fn uses_dot(&self, first: usize, second: usize) -> Option<u16> {
        // Matrix products wait for it themselves.
        if self.kinds_at(second) & MFMA != 0 {
            return None;
        }
        let [one, other] = [first, second].map(|at| self.body.all.get(at).map(|one| one.mnemonic));
        if one == other {
            return self.reads_as(first, second, &["src0", "src1"]);
        }
        let is_vector = self.kinds_at(second) & VALU != 0;
        let over = || shared(self.writes(first), self.writes(second), false).filter(|_| is_vector);
        self.reads_vector(first, second).or_else(over)
    }

    fn is_long_before_offset(&self, first: usize, second: usize) -> bool {
        let is_long = self.body.all.get(first).is_some_and(|one| one.length >= 16);
        let has_bits = |named: amdgpu_isa::Named| {
            named.name == "offset" && matches!(named.operand, Operand::Number(offset) if offset & 6 != 0)
        };
        is_long && self.instruction(second).is_some_and(|found| found.operands().any(has_bits))
    }

    fn is_factor(&self, first: usize, second: usize) -> Option<u16> {
        let is_sparse = |found: &Instruction| found.mnemonic().starts_with("v_swmmac");
        let names: &[&str] = match self.instruction(second) {
            // Its third operand is an index, and what it adds to is its result.
            Some(found) if is_sparse(&found) && self.code.major() >= 12 => &["src0", "src1", "src2"],
            _ => &["src0", "src1"],
        };
        self.reads_as(first, second, names)
    }

    /// What an instruction does to the result of a product, and to its sum.
    pub(super) fn uses_of_product(
        &self,
        first: usize,
        second: usize,
        other: Option<Product>,
        family: HazardFamily,
    ) -> [Option<(ProductUse, u16)>; 3] {
        if let Some(other) = other {
            return self.uses_by_product(first, second, other);
        }
        let kinds = self.kinds_at(second);
        let (writes, reads) = (self.writes(first), self.reads(second));
        let read = shared(writes, reads, false);
        let (by_read, by_write) = match () {
            () if family == HazardFamily::Gfx908 => match () {
                () if kinds & ACC_READ != 0 => (Some(ProductUse::AccRead), None),
                () if kinds & ACC_WRITE != 0 => (None, Some(ProductUse::AccWrite)),
                () => (None, None),
            },
            () if kinds & (VMEM | DS | EXPORT) != 0 => (Some(ProductUse::MemoryRead), None),
            () => (Some(ProductUse::VectorRead), Some(ProductUse::VectorWrite)),
        };
        let own = self.writes(second);
        let over = || shared(writes, own, false);
        let sum = || self.sum_that_is_written(first, own);
        [
            by_read.zip(read),
            by_write.and_then(|used| Some((used, over()?))),
            by_write.and_then(|_| Some((ProductUse::SumWrite, sum()?))),
        ]
    }

    fn uses_by_product(&self, first: usize, second: usize, other: Product) -> [Option<(ProductUse, u16)>; 3] {
        let none = [None; 3];
        let writes = self.writes(first);
        let own = self.writes(second);
        if shared(writes, self.reads(second), false).is_none() && shared(writes, own, false).is_none() {
            return none;
        }
        let Some(found) = self.instruction(second) else { return none };
        let is_sparse = found.mnemonic().starts_with("v_smfmac");
        let mut uses = none;
        for named in found.operands().filter(|named| !named.is_result) {
            let Some(read) = span(named.operand) else { continue };
            let Some(unit) = shared(writes, &[read], false) else { continue };
            match named.name {
                "src2" if !is_sparse => uses[0] = Some((sum_use(writes, read, other), unit)),
                _ => uses[1] = Some((ProductUse::Factor, unit)),
            }
        }
        // A sparse product adds to its result.
        if is_sparse
            && let Some(unit) = shared(writes, own, false)
            && let Some(sum) = own.first()
        {
            uses[0] = Some((sum_use(writes, *sum, other), unit));
        }
        uses
    }

    /// Whether some of these registers are the sum of a product, which it may still have to read.
    fn sum_that_is_written(&self, first: usize, own: &[Span]) -> Option<u16> {
        shared(self.reads(first), own, false)?;
        let found = self.instruction(first)?;
        let sum =
            found.operands().filter(|named| named.name == "src2").find_map(|named| span(named.operand))?;
        let is_sparse = found.mnemonic().starts_with("v_smfmac");
        shared(&[sum], own, false).filter(|_| !is_sparse)
    }

    fn kinds_at(&self, number: usize) -> super::kinds::Kinds {
        let one = self.body.all.get(number);
        one.and_then(|one| self.kinds.get(usize::from(one.mnemonic))).copied().unwrap_or(0)
    }
}

fn sum_use(writes: &[Span], read: Span, other: Product) -> ProductUse {
    if writes.first() == Some(&read) { ProductUse::SameSum(other) } else { ProductUse::OtherSum(other) }
}

/// The registers of an operand.
fn span(operand: Operand) -> Option<Span> {
    match operand {
        Operand::Register(register) => Span::from_register(register),
        _ => None,
    }
}

/// The first unit that some of both have in common: of scalar registers but masks, or of the others.
fn shared(some: &[Span], others: &[Span], scalar: bool) -> Option<u16> {
    let fits = |span: &&Span| (span.file() == Unit::Scalar) == scalar && !span.is_mask();
    let mut pairs =
        some.iter().filter(fits).flat_map(|one| others.iter().filter(fits).map(move |other| (one, other)));
    pairs.find_map(|(one, other)| one.first_shared(*other))
}
