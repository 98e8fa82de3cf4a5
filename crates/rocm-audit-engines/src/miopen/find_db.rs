//! Find-dbs: which solvers were measured for a problem, and how fast each was.
//!
//! ```text
//! KEY=ITEM{;ITEM}
//! form 1.0  ITEM = ALGORITHM:SOLVER,TIME_MS,WORKSPACE,KCACHE,KCACHE
//! form 2.0  ITEM = SOLVER:TIME_MS,WORKSPACE,ALGORITHM
//! ```
//!
//! Each item decides by itself which form it has, as in MIOpen 3.3.0 (`src/db_record.cpp:97-165`): where the
//! id before the first `:` is the name of an algorithm of a direction, it is 1.0. Form 1.0 holds the fastest
//! solver of each algorithm, so that a solver which is missing there may well be applicable. Items are not
//! always sorted by time.

use super::problem::Direction;
use super::text;
use super::text::{Malformed, Record, Split, cut};
use std::collections::HashSet;

/// The algorithms that solvers belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Algorithm {
    Direct,
    Gemm,
    Fft,
    Winograd,
    ImplicitGemm,
}

/// How an item is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemForm {
    /// `ALGORITHM:SOLVER,…`, before MIOpen 2.20.
    V1,
    /// `SOLVER:…`.
    V2,
}

impl ItemForm {
    /// The number in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            ItemForm::V1 => "1.0",
            ItemForm::V2 => "2.0",
        }
    }
}

/// One measured solver in a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FindDbItem<'a> {
    /// The solver's name in the database: `ConvWinograd3x3MultipassWrW<3-6>`.
    pub solver: &'a str,
    /// Algorithm family of the solver.
    pub algorithm: Algorithm,
    /// The direction in the algorithm's name.
    pub direction: Direction,
    /// Milliseconds.
    pub time_ms: f32,
    /// Bytes of workspace.
    pub workspace: u64,
    /// The form of the item.
    pub form: ItemForm,
    /// Offset of the item in the file.
    pub offset: u64,
}

impl Algorithm {
    /// MIOpen's name for the algorithm.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Direct => "Direct",
            Algorithm::Gemm => "GEMM",
            Algorithm::Fft => "FFT",
            Algorithm::Winograd => "Winograd",
            Algorithm::ImplicitGemm => "ImplicitGEMM",
        }
    }

    /// Splits `miopenConvolutionBwdDataAlgoGEMM` and similar names.
    pub fn parse(name: &[u8]) -> Option<(Direction, Algorithm)> {
        let rest = name.strip_prefix(b"miopenConvolution")?;
        let (direction, rest) = match rest {
            [b'F', b'w', b'd', rest @ ..] => (Direction::Forward, rest),
            [b'B', b'w', b'd', b'D', b'a', b't', b'a', rest @ ..] => (Direction::BackwardData, rest),
            [b'B', b'w', b'd', b'W', b'e', b'i', b'g', b'h', b't', b's', rest @ ..] => {
                (Direction::BackwardWeights, rest)
            }
            _ => return None,
        };
        let algorithm = match rest.strip_prefix(b"Algo")? {
            b"Direct" => Algorithm::Direct,
            b"GEMM" => Algorithm::Gemm,
            b"FFT" => Algorithm::Fft,
            b"Winograd" => Algorithm::Winograd,
            b"ImplicitGEMM" => Algorithm::ImplicitGemm,
            _ => return None,
        };
        Some((direction, algorithm))
    }
}

/// All items of a record in file order; if a solver is repeated, the first item counts and the others are
/// malformed.
pub fn items<'a>(record: &Record<'a>) -> Items<'a> {
    Items { split: record.items(), line: record.line, seen: SeenSolvers::default() }
}

/// The valid items of a record, fastest first. Equally fast ones keep their order.
pub fn by_time<'a>(record: &Record<'a>) -> Vec<FindDbItem<'a>> {
    let mut all: Vec<_> = items(record).flatten().collect();
    all.sort_by(|a, b| a.time_ms.total_cmp(&b.time_ms));
    all
}

/// The database that contains a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The user's database.
    User,
    /// The installed database.
    System,
}

/// The record of a key in the user's find-db, else what `system` finds in the installed one. The user's *replaces* the other
/// (`MultiFileDb<…, false>`).
pub fn find<'a>(
    user: Option<&'a [u8]>,
    system: impl FnOnce() -> Option<Record<'a>>,
    key: &str,
) -> Option<(Origin, Record<'a>)> {
    let user = user.and_then(|bytes| text::find(bytes, key)).map(|record| (Origin::User, record));
    user.or_else(|| Some((Origin::System, system()?)))
}

/// Iterates over the items of a record.
#[derive(Debug)]
pub struct Items<'a> {
    split: Split<'a>,
    line: u64,
    seen: SeenSolvers<'a>,
}

impl<'a> Iterator for Items<'a> {
    type Item = Result<FindDbItem<'a>, Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        let (offset, text) = self.split.next()?;
        let item = item(text, offset).and_then(|item| match self.seen.insert(item.solver) {
            true => Ok(item),
            false => Err((offset, "a solver that the record does not have already")),
        });
        Some(item.map_err(|(offset, expected)| Malformed { line: self.line, offset, expected }))
    }
}

/// The solvers of one record: four or five, so comparing them one by one is fastest.
#[derive(Debug, Default)]
struct SeenSolvers<'a> {
    first: [&'a str; 8],
    count: usize,
    more: HashSet<&'a str>,
}

impl<'a> SeenSolvers<'a> {
    fn insert(&mut self, solver: &'a str) -> bool {
        let known = self.first.get(..self.count).unwrap_or(&self.first);
        if known.contains(&solver) {
            return false;
        }
        if let Some(free) = self.first.get_mut(self.count) {
            *free = solver;
            self.count += 1;
            return true;
        }
        self.more.insert(solver)
    }
}

/// `Err` contains the offset, and what was expected there.
fn item(text: &[u8], offset: u64) -> Result<FindDbItem<'_>, (u64, &'static str)> {
    let (id, values) = cut(text, b':').ok_or((offset, "a solver and ':'"))?;
    let at = offset + id.len() as u64 + 1;
    let mut fields = LeBytes { rest: Some(values), at };
    let (solver, named, form) = match Algorithm::parse(id) {
        Some(algorithm) => (fields.next("a solver")?, Some(algorithm), ItemForm::V1),
        None => ((offset, id), None, ItemForm::V2),
    };
    let (solver_at, solver) = solver;
    let solver = std::str::from_utf8(solver).ok().filter(|s| !s.is_empty());
    let time = fields.next("a time")?;
    let workspace = fields.next("a workspace")?;
    let (algorithm_at, last) = fields.next("a field behind the workspace")?;
    let (direction, algorithm) =
        named.or_else(|| Algorithm::parse(last)).ok_or((algorithm_at, "an algorithm"))?;
    Ok(FindDbItem {
        solver: solver.ok_or((solver_at, "the name of a solver"))?,
        algorithm,
        direction,
        time_ms: milliseconds(time.1).ok_or((time.0, "a time in milliseconds"))?,
        workspace: number(workspace.1).ok_or((workspace.0, "a number of bytes"))?,
        form,
        offset,
    })
}

/// The values of an item between commas. MIOpen trims blanks around each, including the `\r` of a line that
/// ends in `\r\n`.
struct LeBytes<'a> {
    rest: Option<&'a [u8]>,
    at: u64,
}

impl<'a> LeBytes<'a> {
    fn next(&mut self, expected: &'static str) -> Result<(u64, &'a [u8]), (u64, &'static str)> {
        let rest = self.rest.ok_or((self.at, expected))?;
        let at = self.at;
        let (field, rest) = cut(rest, b',').map_or((rest, None), |(field, rest)| (field, Some(rest)));
        self.rest = rest;
        self.at += field.len() as u64 + 1;
        Ok((at, field.trim_ascii()))
    }
}

/// A finite, non-negative time. `f32` also parses `inf` and `nan`, which are rejected here.
fn milliseconds(text: &[u8]) -> Option<f32> {
    if !matches!(text.first()?, b'0'..=b'9' | b'.') {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok().filter(|ms: &f32| ms.is_finite())
}

fn number(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0u64, |value, &byte| {
        let digit = byte.checked_sub(b'0').filter(|&digit| digit <= 9)?;
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Read<'a> = Result<(&'a str, f32, u64, ItemForm), &'static str>;

    fn read(line: &str) -> Vec<Read<'_>> {
        let record = text::records(line.as_bytes()).next().unwrap().unwrap();
        items(&record)
            .map(|i| i.map(|i| (i.solver, i.time_ms, i.workspace, i.form)).map_err(|e| e.expected))
            .collect()
    }

    #[test]
    fn both_forms_are_read_item_by_item() {
        let line = "k=miopenConvolutionFwdAlgoGEMM:GemmFwdRest,8.47,32768,rocBlas,0_1_2;\
                    ConvWinograd3x3MultipassWrW<3-6>:1.5e-2,7,miopenConvolutionBwdWeightsAlgoWinograd\r";
        assert_eq!(
            read(line),
            [
                Ok(("GemmFwdRest", 8.47, 32768, ItemForm::V1)),
                Ok(("ConvWinograd3x3MultipassWrW<3-6>", 0.015, 7, ItemForm::V2))
            ]
        );
    }

    #[test]
    fn malformed_items_are_named_and_the_others_kept() {
        let line = "k=A:1,2,miopenConvolutionFwdAlgoGEMM;;B;C:1;D:1,2,3;E:x,2,miopenConvolutionFwdAlgoFFT;\
                    F:1,-2,miopenConvolutionFwdAlgoFFT;A:3,4,miopenConvolutionFwdAlgoGEMM;\
                    miopenConvolutionFwdAlgoGEMM:G,1,2;:1,2,miopenConvolutionFwdAlgoFFT;\
                    H:nan,2,miopenConvolutionFwdAlgoFFT";
        assert_eq!(
            read(line),
            [
                Ok(("A", 1.0, 2, ItemForm::V2)),
                Err("a solver and ':'"),
                Err("a solver and ':'"),
                Err("a workspace"),
                Err("an algorithm"),
                Err("a time in milliseconds"),
                Err("a number of bytes"),
                Err("a solver that the record does not have already"),
                Err("a field behind the workspace"),
                Err("the name of a solver"),
                Err("a time in milliseconds"),
            ]
        );
    }

    #[test]
    fn a_user_record_replaces_the_installed_one() {
        let (user, system): (&[u8], &[u8]) = (b"k=mine", b"k=theirs\nl=only");
        let found =
            |key| find(Some(user), || text::find(system, key), key).map(|(from, r)| (from, r.content));
        assert_eq!(found("k"), Some((Origin::User, &b"mine"[..])));
        assert_eq!(found("l"), Some((Origin::System, &b"only"[..])));
        assert_eq!(found("m"), None);
    }

    #[test]
    fn many_solvers_of_a_record_stay_distinct() {
        let algorithm = "miopenConvolutionFwdAlgoDirect";
        let all: Vec<_> = (0..20).chain(5..15).map(|n| format!("S{n}:{n},0,{algorithm}")).collect();
        let line = format!("k={}", all.join(";"));
        assert_eq!(read(&line).iter().filter(|i| i.is_ok()).count(), 20);
        assert_eq!(read(&line).iter().filter(|i| i.is_err()).count(), 10);
    }
}
