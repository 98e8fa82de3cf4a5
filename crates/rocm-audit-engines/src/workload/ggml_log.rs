//! Operations of ggml as llama.cpp's programs print them: `test-backend-ops` names a case with the types and
//! sizes of its operation, `llama-eval-callback` the operations of a model with sizes alone.
//!
//! Sources: ggml-org/llama.cpp `tests/test-backend-ops.cpp` (`vars()` of `test_mul_mat`, `test_mul_mat_id`,
//! `test_flash_attn_ext`) and `examples/eval-callback/eval-callback.cpp` (`ggml_debug`).

use super::{Problem, Stated};
use rocm_audit_files::error::NotUnderstood;
use std::collections::HashMap;

/// The operation in a line; `None` if it names none of those that a selector is asked for.
pub(super) fn read(text: &str) -> Option<Stated> {
    let operations = ["MUL_MAT", "MUL_MAT_ID", "FLASH_ATTN_EXT"];
    let (operation, inside) = operations.iter().find_map(|operation| {
        let at = text.find(&format!("{operation}("))?;
        let is_whole =
            text.get(..at).is_none_or(|before| !before.ends_with(|c: char| c == '_' || c.is_alphanumeric()));
        let behind = text.get(at + operation.len() + 1..)?;
        is_whole.then_some((*operation, behind))
    })?;
    if text.trim_start().starts_with("ggml_debug:") {
        let what = "llama-eval-callback prints sizes, not the type of the weights, by which ggml chooses: ask `rocm-audit model` for the file";
        return Some(Err(what.into()));
    }
    let fields = Fields::from_inside(inside)?;
    Some(fields.query(operation).and_then(|query| {
        let query = query.parse().map_err(|error| format!("{operation}: {error}"))?;
        Ok(vec![(1, Problem::Ggml(query))])
    }))
}

/// `name=value` between the parentheses of a case; values in brackets hold commas.
struct Fields<'a>(HashMap<&'a str, &'a str>);

impl<'a> Fields<'a> {
    /// None where the parentheses hold no such fields: another program's line.
    fn from_inside(inside: &'a str) -> Option<Self> {
        let mut depth = 0_u32;
        let mut begin = 0;
        let mut fields = HashMap::new();
        for (at, byte) in inside.bytes().enumerate() {
            match byte {
                b'[' => depth += 1,
                b']' => depth = depth.saturating_sub(1),
                b',' | b')' if depth == 0 => {
                    let (name, value) = inside.get(begin..at)?.split_once('=')?;
                    fields.insert(name.trim(), value.trim());
                    begin = at + 1;
                    if byte == b')' {
                        return (fields.contains_key("type_a") || fields.contains_key("type_KV"))
                            .then_some(Fields(fields));
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn text(&self, name: &str) -> Result<&'a str, NotUnderstood> {
        self.0.get(name).copied().ok_or_else(|| format!("{name} is missing").into())
    }

    fn number(&self, name: &str) -> Result<u64, NotUnderstood> {
        let text = self.text(name)?;
        text.parse().map_err(|_| format!("{name} is {text:?}; a whole number is expected").into())
    }

    /// The first number of a pair in brackets.
    fn first_of(&self, name: &str) -> Result<u64, NotUnderstood> {
        let first = self.text(name)?.trim_start_matches('[').split(',').next().unwrap_or_default();
        first.trim().parse().map_err(|_| format!("{name} is no pair of numbers").into())
    }

    /// Whether a pair is of ones, or not there.
    fn is_one(&self, name: &str) -> bool {
        self.0.get(name).is_none_or(|text| text.chars().all(|c| "[1,] ".contains(c)))
    }

    fn query(&self, operation: &str) -> Result<String, NotUnderstood> {
        if operation == "FLASH_ATTN_EXT" {
            let heads = self.number("nh")?;
            return Ok(format!(
                "fa {} D{} DV{} nq={} nh={} nkv={heads} kv={} mask={}",
                self.text("type_KV")?,
                self.number("hsk")?,
                self.number("hsv")?,
                self.number("nb")?,
                heads.saturating_mul(self.first_of("nr23").unwrap_or(1)),
                self.number("kv")?,
                self.number("mask")?
            ));
        }
        let (ty, k, n) = (self.text("type_a")?, self.number("k")?, self.number("m")?);
        if self.0.get("type_b").is_some_and(|ty| *ty != "f32") {
            return Err("the other operand is not of f32, which the rules are about".into());
        }
        if operation == "MUL_MAT_ID" {
            let (experts, used) = (self.number("n_mats")?, self.number("n_used")?);
            return Ok(format!("mmid {ty} K{k} N{n} ne={experts} used={used} tok={}", self.number("n")?));
        }
        if !(self.is_one("bs") && self.is_one("nr")) {
            return Err("a product of several matrices at once is not answered".into());
        }
        Ok(format!("mm {ty} K{k} N{n} ne11={} prec=0", self.number("n")?))
    }
}
