//! What the solutions of a catalog state of their kernels, whichever library the catalog is of.
#![deny(clippy::indexing_slicing)]

use crate::tensile::indexed::{self, Apart, Indexed};
use crate::tensile::solution::index;
use crate::tensile::values;
use amdgpu_object::bytes::msgpack::Reader;
use rocm_audit_files::error::Parsed;

/// What a solution states.
#[derive(Debug, Default)]
pub(super) struct StatedSolution<'a> {
    /// Its number.
    pub index: u32,
    /// Its kernel.
    pub kernel: &'a [u8],
    /// The sides of a work group.
    pub work_group: Option<[u64; 3]>,
    /// Rows and columns of D that a work group computes.
    pub tile: Option<[u64; 2]>,
    /// Steps of K that are loaded at once.
    pub depth: Option<u64>,
    /// Work groups that a compute unit holds at once.
    pub occupancy: Option<u64>,
    /// Whether its kernel is compiled from HIP source.
    pub source: bool,
    /// What it was built with, in short.
    pub fingerprint: Option<&'a [u8]>,
    /// All that it states.
    pub bytes: &'a [u8],
}

/// The solutions of a catalog in MessagePack.
///
/// # Errors
/// Where it is not one.
pub(super) fn solutions(catalog: &[u8]) -> Parsed<Vec<StatedSolution<'_>>> {
    let mut reader = Reader::new(catalog, 0);
    let mut all = Vec::new();
    let mut table = Indexed::default();
    for _ in 0..reader.map("a Tensile catalog")? {
        let key = values::key(&mut reader)?;
        match key {
            b"solutions" => {
                for _ in 0..reader.array("solutions")? {
                    all.push(solution(&mut reader)?);
                }
            }
            _ if table.read(key, &mut reader)? => {}
            _ => reader.skip()?,
        }
    }
    let whole = |own: &Apart<'_>| indexed::fault_of(own.index, own.reader()).is_none();
    for own in table.solutions()?.into_iter().flatten().filter(whole) {
        all.push(solution(&mut own.reader())?);
    }
    Ok(all)
}

fn solution<'a>(reader: &mut Reader<'a>) -> Parsed<StatedSolution<'a>> {
    let bytes = reader.clone().raw()?;
    let mut stated = StatedSolution { bytes, ..StatedSolution::default() };
    let mut name: &[u8] = b"";
    for _ in 0..reader.map("a solution")? {
        match values::key(reader)? {
            b"index" => stated.index = index(reader)?,
            b"name" => name = values::text(reader, "a solution's name")?,
            b"kernelName" => stated.kernel = values::text(reader, "a kernel's name")?,
            b"fingerprint" => stated.fingerprint = Some(values::text(reader, "a fingerprint")?),
            b"sizeMapping" => size_mapping(reader, &mut stated)?,
            _ => reader.skip()?,
        }
    }
    if stated.kernel.is_empty() {
        stated.kernel = name;
    }
    Ok(stated)
}

fn size_mapping(reader: &mut Reader<'_>, stated: &mut StatedSolution<'_>) -> Parsed<()> {
    for _ in 0..reader.map("sizeMapping")? {
        match values::key(reader)? {
            b"workGroup" => stated.work_group = first(&list(reader)?),
            b"macroTile" => stated.tile = first(&list(reader)?),
            b"depthU" => stated.depth = Some(values::unsigned(reader, "depthU")?),
            b"CUOccupancy" => stated.occupancy = u64::try_from(values::signed(reader, "CUOccupancy")?).ok(),
            b"sourceKernel" => stated.source = values::boolean(reader, "sourceKernel")?,
            _ => reader.skip()?,
        }
    }
    Ok(())
}

fn list(reader: &mut Reader<'_>) -> Parsed<Vec<u64>> {
    let count = reader.array("a list of sizes")?;
    (0..count).map(|_| values::unsigned(reader, "a size")).collect()
}

fn first<const N: usize>(all: &[u64]) -> Option<[u64; N]> {
    all.get(..N)?.try_into().ok()
}

/// The numbers behind initials in the name of a kernel: of `_MT64x32x16` and `_WG8_8_1`. Nothing in names of
/// another form.
pub(super) fn numbers_in_name(kernel: &str, initials: &str) -> Option<Vec<u64>> {
    let behind = part(kernel, initials)?;
    let end = behind.find(|c: char| !(c.is_ascii_digit() || c == 'x' || c == '_')).unwrap_or(behind.len());
    let numbers = behind.get(..end)?;
    let separator = if numbers.split('_').next()?.contains('x') { 'x' } else { '_' };
    let own = if separator == 'x' { numbers.split('_').next()? } else { numbers };
    let all = own.split(separator).filter(|part| !part.is_empty()).take(3);
    let all: Vec<u64> = all.map(str::parse).collect::<Result<_, _>>().ok()?;
    (all.len() == 3).then_some(all)
}

/// The instruction set in the name of a kernel: `90a` of `_ISA90a`.
pub(super) fn isa_in_name(kernel: &str) -> Option<&str> {
    part(kernel, "ISA")?.split('_').next()
}

/// What stands behind initials that a digit follows.
fn part<'k>(kernel: &'k str, initials: &str) -> Option<&'k str> {
    let of_part = |part: &&str| {
        part.strip_prefix(initials).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let at = kernel.split('_').find(of_part)?.as_ptr() as usize - kernel.as_ptr() as usize;
    kernel.get(at + initials.len()..)
}
