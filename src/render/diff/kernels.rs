//! What changed in kernels, and in their machine code.

use super::first;
use crate::render::block::{Block, Column, Table, TableCell};
use crate::render::style::{Style, Tone, cut};
use crate::report::v1::{CodeChange, KernelChange, KernelChanges, KernelName, NumberChange};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;

pub(super) fn blocks(kernels: &KernelChanges, style: &Style) -> Vec<Block> {
    let mut table = Table::new(
        [Column::left("target")].into_iter().chain(
            ["before", "now", "gone", "new", "other name", "changed", "spill more", "fewer waves"]
                .into_iter()
                .map(Column::right),
        ),
    );
    let changed = kernels
        .targets
        .iter()
        .filter(|target| target.lost + target.added + target.renamed + target.changed > 0);
    let mut any = false;
    for target in changed {
        any = true;
        let bad = |number: u64| {
            TableCell::toned(style.number(number), if number > 0 { Tone::Bad } else { Tone::Plain })
        };
        table.row([
            TableCell::new(target.target.clone()),
            TableCell::new(style.number(target.before)),
            TableCell::new(style.number(target.after)),
            bad(target.lost),
            TableCell::new(style.number(target.added)),
            TableCell::new(style.number(target.renamed)),
            TableCell::new(style.number(target.changed)),
            bad(target.spill_more),
            bad(target.lower_occupancy),
        ]);
    }
    let mut blocks = Vec::new();
    if any {
        blocks.extend([Block::Heading("Kernels by name".into()), Block::Table(table)]);
    }
    blocks.extend(of_code(kernels, style));
    if !any {
        return blocks;
    }
    let name = |kernel: &KernelName| format!("{}  {}", kernel.target, plain(kernel));
    let list = |heading: &str, names: &[KernelName]| -> Vec<Block> {
        if names.is_empty() {
            return Vec::new();
        }
        let (shown, more) = first(names, style);
        let lines = Block::Lines(shown.iter().map(name).collect());
        [Block::Heading(heading.into()), lines].into_iter().chain(more).collect()
    };
    if style.verbose > 0 || kernels.lost.len() <= super::FIRST {
        blocks.extend(list("Kernels that are gone", &kernels.lost));
    } else {
        blocks.extend(gone(kernels, style));
    }
    if style.verbose > 0 {
        blocks.extend(list("Kernels that are new", &kernels.added));
    }
    let worse: Vec<&KernelChange> =
        kernels.changed.iter().filter(|change| change.is_worse || style.verbose > 0).collect();
    let numbers = |change: &KernelChange| {
        let code = change.code.map(|code| format!("code by {}", code_words(code)));
        let each = change.numbers.iter().map(|n| format!("{} {} to {}", n.what, n.before, n.after));
        let file = change.file.as_ref().map_or_else(String::new, |file| format!(" in {file}"));
        let all: Vec<String> = code.into_iter().filter(|_| style.verbose > 0).chain(each).collect();
        format!("{}{file}: {}", name(&change.kernel), all.join(", "))
    };
    let heading = if style.verbose > 0 {
        "Kernels with other numbers or code"
    } else {
        "Kernels that spill more, need more scratch or leave room for fewer waves"
    };
    if !worse.is_empty() {
        let (shown, more) = first(&worse, style);
        let lines = shown.iter().map(|change| numbers(change)).collect();
        blocks.extend([Block::Heading(heading.into()), Block::Lines(lines)]);
        blocks.extend(more);
    }
    blocks
}

/// A kernel's name as people read it.
fn plain(kernel: &KernelName) -> &str {
    kernel.demangled.as_deref().unwrap_or(&kernel.name)
}

/// The families of the kernels that are gone, the largest first, and how many new ones they have: a family with as many new
/// ones may have other parameters only.
fn gone(kernels: &KernelChanges, style: &Style) -> Vec<Block> {
    let mut families: KeyMap<(&str, &str), [u64; 2]> = KeyMap::new();
    for (names, is_gone) in [(&kernels.lost, true), (&kernels.added, false)] {
        for kernel in names {
            let [gone, new] = families.entry((&*kernel.target, family(plain(kernel)))).or_default();
            *(if is_gone { gone } else { new }) += 1;
        }
    }
    let mut rows: Vec<(&(&str, &str), &[u64; 2])> =
        families.iter().filter(|(_, [gone, _])| *gone > 0).collect();
    rows.sort_rows_by_key(|(key, [gone, _])| (std::cmp::Reverse(*gone), **key));
    let (shown, more) = first(&rows, style);
    let mut table = Table::new([
        Column::left("target"),
        Column::left("kernels"),
        Column::right("gone"),
        Column::right("new"),
    ]);
    for ((target, family), [gone, new]) in shown {
        table.row([
            TableCell::new((*target).to_owned()),
            TableCell::new(cut(family, FAMILY_NAME)),
            TableCell::toned(style.number(*gone), Tone::Bad),
            TableCell::new(style.number(*new)),
        ]);
    }
    let heading = "Kernels that are gone, by the function or template that they are made from";
    [Block::Heading(heading.into()), Block::Table(table)].into_iter().chain(more).collect()
}

/// What changed in machine code: by target, and by families of kernels.
fn of_code(kernels: &KernelChanges, style: &Style) -> Vec<Block> {
    let titles = ["same", "addresses", "registers", "waits", "order", "instructions", "fewer waits"];
    let mut table = Table::new([Column::left("target")].into_iter().chain(titles.map(Column::right)));
    for target in &kernels.targets {
        let Some(code) = &target.code else { continue };
        let numbers = [code.same, code.addresses, code.registers, code.waits, code.order, code.instructions];
        let bad = if code.fewer_waits > 0 { Tone::Bad } else { Tone::Plain };
        table.row(
            [TableCell::new(target.target.clone())]
                .into_iter()
                .chain(numbers.map(|number| TableCell::new(style.number(number))))
                .chain([TableCell::toned(style.number(code.fewer_waits), bad)]),
        );
    }
    if table.rows.is_empty() {
        return Vec::new();
    }
    let heading = "Machine code of the kernels of both sides, by what is different";
    let mut blocks = vec![Block::Heading(heading.into()), Block::Table(table)];
    let mut families: KeyMap<&str, FamilyChange> = KeyMap::new();
    for change in &kernels.changed {
        let Some(code) = change.code else { continue };
        families.entry(family(plain(&change.kernel))).or_default().add(code, &change.numbers);
    }
    let mut families: Vec<(&str, FamilyChange)> = families.into_iter().collect();
    families.sort_rows_by_key(|(name, own)| (std::cmp::Reverse(own.kernels), *name));
    if families.is_empty() {
        return blocks;
    }
    let mut table = Table::new([
        Column::left("kernels"),
        Column::right("changed"),
        Column::left("by"),
        Column::right("instructions"),
        Column::right("waits"),
    ]);
    let (shown, more) = first(&families, style);
    for (name, own) in shown {
        table.row([
            TableCell::new(cut(name, FAMILY_NAME)),
            TableCell::new(style.number(own.kernels)),
            TableCell::new(own.most.map_or("", code_words)),
            TableCell::new(signed(own.instructions, style)),
            TableCell::new(signed(own.waits, style)),
        ]);
    }
    blocks
        .extend([Block::Heading("Changed machine code, by families of kernels".into()), Block::Table(table)]);
    blocks.extend(more);
    blocks
}

/// Characters of a family's name.
const FAMILY_NAME: usize = 44;

/// What changed in the kernels of one family.
#[derive(Default)]
struct FamilyChange {
    kernels: u64,
    /// The most that changed in one of them.
    most: Option<CodeChange>,
    instructions: i64,
    waits: i64,
}

impl FamilyChange {
    fn add(&mut self, code: CodeChange, numbers: &[NumberChange]) {
        self.kernels += 1;
        self.most = self.most.max(Some(code));
        for number in numbers {
            let more = number.after as i64 - number.before as i64;
            match number.what.as_str() {
                "instructions" => self.instructions += more,
                "waits" => self.waits += more,
                _ => {}
            }
        }
    }
}

fn code_words(change: CodeChange) -> &'static str {
    match change {
        CodeChange::Addresses => "addresses",
        CodeChange::Registers => "registers",
        CodeChange::Waits => "waits",
        CodeChange::Order => "order",
        CodeChange::Instructions => "instructions",
    }
}

/// A number with its sign; a dot for none.
fn signed(number: i64, style: &Style) -> String {
    match number {
        0 => style.none().to_owned(),
        1.. => format!("+{}", style.number(number.unsigned_abs())),
        _ => format!("-{}", style.number(number.unsigned_abs())),
    }
}

/// The template that a kernel is made from: `mul_mat_q` of `void mul_mat_q<(ggml_type)8, 16>(char const*)`, also of a name
/// that no demangler reads; of Tensile's names what stands before the first number of its parameters.
fn family(name: &str) -> &str {
    if let Some(mangled) = name.strip_prefix("_Z") {
        let own = mangled.trim_start_matches(['L', 'N', 'K', 'S', 't']);
        let digits = own.bytes().take_while(u8::is_ascii_digit).count();
        let length: usize = own.get(..digits).and_then(|digits| digits.parse().ok()).unwrap_or_default();
        if let Some(plain) = own.get(digits..digits.saturating_add(length)).filter(|plain| !plain.is_empty())
        {
            return plain;
        }
    }
    let plain = name.strip_prefix("void ").unwrap_or(name);
    let plain = plain.strip_prefix("(anonymous namespace)::").unwrap_or(plain);
    let cut = plain.find(['<', '(']).or_else(|| plain.find("_MT")).unwrap_or(plain.len());
    plain.get(..cut).unwrap_or(plain)
}

#[cfg(test)]
mod tests {
    use super::family;

    #[test]
    fn kernels_of_one_template_are_a_family() {
        for (name, expected) in [
            ("void mul_mat_q<(ggml_type)8, 16>(char const*)", "mul_mat_q"),
            ("_ZL27gemm_batched_general_kernelIf11rocblas_bf8S0_EvT_", "gemm_batched_general_kernel"),
            ("_Z9", "_Z9"),
            ("_Z99short", "_Z99short"),
            ("Cijk_Ailk_Bjlk_SB_MT64x64x16_SN", "Cijk_Ailk_Bjlk_SB"),
            ("axpy", "axpy"),
        ] {
            assert_eq!(family(name), expected);
        }
    }
}
