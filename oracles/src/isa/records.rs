//! What `llvm-tblgen --print-records` says of the target: instructions, kinds of operands, features,
//! processors.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::BufRead;

use anyhow::{Context, Result};

/// One instruction that a decoder table names.
#[derive(Debug, Default)]
pub struct Instruction {
    /// What the assembler prints, with `$operand` marks.
    pub assembly: String,
    /// The records that describe the operands, results first: the order of the decoded operands.
    pub operands: Vec<String>,
    /// Names of the inputs.
    pub inputs: Vec<String>,
    /// Names of the results.
    pub outputs: Vec<String>,
    /// What each bit of the encoding is, the lowest first: `0`, `1`, `?`, or a bit of an operand, such as
    /// `vdst{3}`.
    pub bits: Vec<String>,
    /// Operands that share a register, as `$a = $b` separated by commas.
    pub constraints: String,
    /// Registers that are read and written without being operands.
    pub uses: Vec<String>,
    pub defs: Vec<String>,
    /// The properties that are set, such as `VOP3` or `mayLoad`.
    pub flags: HashSet<String>,
    /// Whether this is in VOP3's encoding.
    pub vop3: bool,
    /// The bit of the encoding that holds bit 23 of `offset`, its sign on gfx12.
    pub offset_sign: Option<u8>,
}

/// One feature of a processor.
#[derive(Debug, Default)]
pub struct Feature {
    /// LLVM's name, such as `dot1-insts`.
    pub name: String,
    /// LLVM's own text.
    pub description: String,
    implies: Vec<String>,
}

/// The target description, as far as decoding needs it.
#[derive(Debug, Default)]
pub struct Records {
    /// By record name.
    pub instructions: HashMap<String, Instruction>,
    /// By record name: LLVM's type of an operand, `OPERAND_REGISTER` for a register class.
    pub operand_types: HashMap<String, String>,
    /// By record name: LLVM's function that prints an operand.
    pub printers: HashMap<String, String>,
    /// By record name, such as `FeatureDot1Insts`.
    pub features: BTreeMap<String, Feature>,
    /// Processor to the records of its features, as written.
    processors: BTreeMap<String, Vec<String>>,
}

impl Records {
    /// Reads the records as they come, and keeps the instructions in `wanted`.
    pub fn read(input: impl BufRead, wanted: &HashSet<String>) -> Result<Self> {
        let mut records = Records::default();
        let mut lines = input.lines();
        for line in lines.by_ref() {
            if line?.starts_with("------------- Defs") {
                break;
            }
        }
        while let Some(line) = lines.next() {
            let line = line?;
            let Some((name, classes)) = line.strip_prefix("def ").and_then(|rest| rest.split_once(" {"))
            else {
                continue;
            };
            let classes: HashSet<&str> = classes.trim_start_matches(['\t', '/', ' ']).split(' ').collect();
            let kept = wanted.contains(name)
                || ["SubtargetFeature", "Processor", "DAGOperand", "Operand", "RegisterClassLike"]
                    .iter()
                    .any(|class| classes.contains(class));
            let mut fields = HashMap::new();
            for line in lines.by_ref() {
                let line = line?;
                if line.starts_with('}') {
                    break;
                }
                if kept && let Some((field, value)) = field(&line) {
                    fields.insert(field.to_owned(), value.to_owned());
                }
            }
            if kept {
                records.keep(name, &classes, &fields, wanted.contains(name))?;
            }
        }
        Ok(records)
    }

    fn keep(
        &mut self,
        name: &str,
        classes: &HashSet<&str>,
        fields: &HashMap<String, String>,
        instruction: bool,
    ) -> Result<()> {
        let value = |field: &str| {
            fields.get(field).map(String::as_str).with_context(|| format!("{name} has no {field}"))
        };
        if instruction {
            let outputs = operands(value("OutOperandList")?);
            let inputs = operands(value("InOperandList")?);
            self.instructions.insert(
                name.to_owned(),
                Instruction {
                    assembly: text(value("AsmString")?).to_owned(),
                    operands: outputs.iter().chain(&inputs).map(|(kind, _)| kind.clone()).collect(),
                    inputs: inputs.into_iter().map(|(_, name)| name).collect(),
                    outputs: outputs.into_iter().map(|(_, name)| name).collect(),
                    bits: bits(value("Inst")?),
                    constraints: text(value("Constraints")?).to_owned(),
                    uses: list(value("Uses")?).map(str::to_owned).collect(),
                    defs: list(value("Defs")?).map(str::to_owned).collect(),
                    flags: flags(fields),
                    vop3: value("VOP3")? == "1",
                    offset_sign: list(value("Inst")?)
                        .rev()
                        .position(|bit| bit == "offset{23}")
                        .and_then(|bit| bit.try_into().ok()),
                },
            );
        } else if classes.contains("SubtargetFeature") {
            self.features.insert(
                name.to_owned(),
                Feature {
                    name: text(value("Name")?).to_owned(),
                    description: text(value("Desc")?).to_owned(),
                    implies: list(value("Implies")?).map(str::to_owned).collect(),
                },
            );
        } else if classes.contains("Processor") {
            let features = list(value("Features")?).map(str::to_owned).collect();
            self.processors.insert(text(value("Name")?).to_owned(), features);
        } else if classes.contains("RegisterClassLike") {
            self.operand_types.insert(name.to_owned(), "OPERAND_REGISTER".to_owned());
            self.printers.insert(name.to_owned(), "printOperand".to_owned());
        } else if let Ok(kind) = value("OperandType") {
            self.operand_types.insert(name.to_owned(), text(kind).to_owned());
            let printer = fields.get("PrintMethod").map_or("printOperand", |printer| text(printer));
            self.printers.insert(name.to_owned(), printer.to_owned());
        }
        Ok(())
    }

    /// The processors whose names begin with `gfx`, each with all its features, implied ones too.
    pub fn processors(&self) -> BTreeMap<String, HashSet<String>> {
        let close = |written: &Vec<String>| {
            let mut all = HashSet::new();
            let mut todo = written.clone();
            while let Some(feature) = todo.pop() {
                if let Some(record) = self.features.get(&feature) {
                    todo.extend(record.implies.iter().filter(|one| !all.contains(*one)).cloned());
                }
                all.insert(feature);
            }
            all
        };
        let named = self.processors.iter().filter(|(name, _)| name.starts_with("gfx"));
        named.map(|(name, written)| (name.clone(), close(written))).collect()
    }

    /// For each decoded operand of an instruction: whether LLVM looks for a literal in it
    /// (`decodeImmOperands`).
    pub fn sources(&self, instruction: &Instruction) -> Vec<bool> {
        let source = |kind: &String| {
            self.operand_types.get(kind).is_some_and(|kind| {
                kind.starts_with("OPERAND_REG")
                    || kind.starts_with("OPERAND_KIMM")
                    || kind == "OPERAND_INLINE_SPLIT_BARRIER_INT32"
            })
        };
        instruction.operands.iter().map(source).collect()
    }
}

/// `  type name = value;` → name and value.
fn field(line: &str) -> Option<(&str, &str)> {
    let (left, value) = line.split_once(" = ")?;
    Some((left.rsplit(' ').next()?, value.strip_suffix(';')?))
}

fn text(value: &str) -> &str {
    value.trim_matches('"')
}

/// The items of `[a, b]` or `{ a, b }`.
fn list(value: &str) -> impl DoubleEndedIterator<Item = &str> {
    value.trim_matches(['[', ']', '{', '}', ' ']).split(',').map(str::trim).filter(|item| !item.is_empty())
}

/// Bits of `TSFlags` (`SIInstrFormats.td`). An instruction of a processor has them from the one that it
/// stands for, while the fields of these names can be unset there.
const TARGET_FLAGS: &[(usize, &str)] = &[
    (0, "SALU"),
    (1, "VALU"),
    (9, "VOPC"),
    (10, "VOP3"),
    (12, "VOP3P"),
    (14, "SDWA"),
    (15, "DPP"),
    (16, "TRANS"),
    (17, "MUBUF"),
    (18, "MTBUF"),
    (19, "SMRD"),
    (20, "MIMG"),
    (21, "VIMAGE"),
    (22, "VSAMPLE"),
    (23, "EXP"),
    (24, "FLAT"),
    (25, "DS"),
    (28, "LDSDIR"),
    (32, "VM_CNT"),
    (33, "EXP_CNT"),
    (34, "LGKM_CNT"),
    (42, "VOP3_OPSEL"),
    (49, "IsPacked"),
    (51, "FlatGlobal"),
    (54, "IsMAI"),
    (55, "IsDOT"),
    (56, "FlatScratch"),
    (57, "IsAtomicNoRet"),
    (58, "IsAtomicRet"),
    (59, "IsWMMA"),
    (60, "TiedSourceNotRead"),
    (63, "IsSWMMAC"),
];

/// Properties of any instruction.
const FLAGS: &[&str] = &[
    "isBarrier",
    "isBranch",
    "isCall",
    "isIndirectBranch",
    "isReturn",
    "isTerminator",
    "mayLoad",
    "mayStore",
];

/// The properties of an instruction that are set.
fn flags(fields: &HashMap<String, String>) -> HashSet<String> {
    let is_set = |field: &str| fields.get(field).is_some_and(|value| value == "1");
    let bits = fields.get("TSFlags").map(|value| bits(value)).unwrap_or_default();
    let target = TARGET_FLAGS.iter().filter(|(bit, _)| bits.get(*bit).is_some_and(|bit| bit == "1"));
    let plain = FLAGS.iter().filter(|flag| is_set(flag));
    target.map(|(_, name)| *name).chain(plain.copied()).map(str::to_owned).collect()
}

/// The bits of `{ 0, ?, vdst{0} }`, the lowest first.
fn bits(value: &str) -> Vec<String> {
    let inner = value.trim().trim_start_matches('{').strip_suffix('}').unwrap_or(value);
    inner.split(',').rev().map(|bit| bit.trim().to_owned()).collect()
}

/// `(ins KIND:$name, …)` → kinds and names.
fn operands(value: &str) -> Vec<(String, String)> {
    let inner = value.trim_start_matches('(').trim_end_matches(')');
    let Some((_, inner)) = inner.split_once(' ') else { return Vec::new() };
    inner
        .split(", ")
        .map(|operand| {
            let (kind, name) = operand.split_once(":$").unwrap_or((operand, ""));
            (kind.to_owned(), name.to_owned())
        })
        .collect()
}
