//! Calls of rocBLAS in logs: command lines of rocblas-bench, traces and profiles.
//!
//! `ROCBLAS_LAYER` is 1 for traces (`rocblas_gemm_ex,T,N,…`), 2 for command lines, 4 for profiles, which
//! count equal calls (rocBLAS, "Logging in rocBLAS").

use super::Stated;
use super::json::Gemm;
use crate::tensile::call::{APIS, Transpose};
use rocm_audit_files::error::NotUnderstood;
use std::collections::HashMap;

/// The fields of a call, by lower-case names without hyphens and underscores.
pub(super) struct Fields<'a>(HashMap<String, &'a str>);

fn plain(name: &str) -> String {
    name.trim_start_matches('-').replace(['_', '-'], "").to_ascii_lowercase()
}

impl<'a> Fields<'a> {
    /// Parses a command line: `--lda 1024`, `-m 32`. The value of an option without one is empty.
    pub(super) fn of_arguments(text: &'a str) -> Self {
        let is_option = |word: &str| {
            word.strip_prefix('-')
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '-'))
        };
        let mut fields = HashMap::new();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            if is_option(word) {
                let (name, joined) =
                    word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
                let value = joined.or_else(|| words.next_if(|next| !is_option(next)));
                fields.insert(plain(name), value.unwrap_or_default());
            }
        }
        Fields(fields)
    }

    /// Parses a profile: `name: value, …`.
    fn of_profile(text: &'a str) -> Self {
        let pair = |part: &'a str| {
            let (name, value) = part.split_once(':')?;
            Some((plain(name.trim()), value.trim().trim_matches(['"', '\''])))
        };
        Fields(text.split(',').filter_map(pair).collect())
    }

    /// Whether an option is present, with or without a value.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// Whether an option is present with no value or a non-zero one.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|value| *value != "0")
    }

    pub(super) fn text(&self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| self.0.get(*name).copied()).filter(|text| !text.is_empty())
    }

    pub(super) fn number(&self, names: &[&str]) -> Result<Option<u64>, NotUnderstood> {
        let wrong = |text: &str| {
            NotUnderstood::from(format!(
                "--{} is {text:?}; a whole number is expected",
                names.first().unwrap_or(&"")
            ))
        };
        self.text(names).map(|text| text.parse().map_err(|_| wrong(text))).transpose()
    }

    pub(super) fn size(&self, names: &[&str]) -> Result<u64, NotUnderstood> {
        let name = names.first().copied().unwrap_or_default();
        self.number(names)?.ok_or_else(|| format!("the size {name} is missing").into())
    }

    pub(super) fn float(&self, name: &str) -> Result<Option<f64>, NotUnderstood> {
        let wrong = |text: &str| NotUnderstood::from(format!("--{name} is {text:?}; a number is expected"));
        self.text(&[name]).map(|text| text.parse().map_err(|_| wrong(text))).transpose()
    }

    pub(super) fn transpose(&self, names: &[&str]) -> Result<Transpose, NotUnderstood> {
        let Some(text) = self.text(names) else { return Ok(Transpose::N) };
        let found = text.chars().next().and_then(Transpose::of_letter);
        found.ok_or_else(|| format!("{text:?} is no transposition; expected N, T or C").into())
    }

    pub(super) fn batch(&self) -> Result<Option<u64>, NotUnderstood> {
        self.number(&["batchcount", "batch"])
    }

    /// The product for a function such as `gemm_strided_batched_ex`.
    fn gemm(&self, api: &str, ty: Option<&str>) -> Result<Gemm, NotUnderstood> {
        let four = |names: [&[&str]; 4], or: [u64; 4]| -> Result<[u64; 4], NotUnderstood> {
            let mut found = or;
            for (slot, names) in found.iter_mut().zip(names) {
                if let Some(number) = self.number(names)? {
                    *slot = number;
                }
            }
            Ok(found)
        };
        let (ta, tb) =
            (self.transpose(&["transposea", "transa"])?, self.transpose(&["transposeb", "transb"])?);
        let (m, n, k) =
            (self.size(&["m", "sizem"])?, self.size(&["n", "sizen"])?, self.size(&["k", "sizek"])?);
        let packed = [ta.packed(m, k), tb.packed(k, n), m, m];
        let [lda, ldb, ldc, mut ldd] = four([&["lda"], &["ldb"], &["ldc"], &["ldd"]], packed)?;
        if self.text(&["ldd"]).is_none() {
            // Functions without a separate D write to C.
            ldd = ldc;
        }
        let ld = [lda, ldb, ldc, ldd];
        let strides = [&["stridea"][..], &["strideb"], &["stridec"], &["strided"]];
        let has_strides = strides.iter().any(|names| self.text(names).is_some());
        let ty = match ty {
            Some(ty) => ty.to_owned(),
            None => self.ty()?,
        };
        Ok(Gemm {
            ty,
            ta,
            tb,
            m,
            n,
            k,
            batch: self.batch()?,
            api: Some(api.to_owned()),
            ld: Some(ld),
            stride: if has_strides { Some(four(strides, [1; 4])?) } else { None },
            alpha: self.float("alpha")?,
            beta: self.float("beta")?,
            c_eq_d: false,
        })
    }

    /// The type of a product, from those of its matrices and its sums, else from `-r`.
    fn ty(&self) -> Result<String, NotUnderstood> {
        let Some(input) = self.text(&["atype"]) else {
            let of = |text: &str| if text == "f16_r" { "HH".to_owned() } else { text.to_owned() };
            return Ok(self.text(&["r", "precision"]).map_or_else(|| "f32_r".to_owned(), of));
        };
        let output = self.text(&["ctype", "dtype"]).unwrap_or(input);
        let compute = self.text(&["computetype"]).unwrap_or(output);
        let known = match (input, output, compute.trim_start_matches("c_")) {
            ("f16_r", "f16_r", "f16_r") => "HH",
            ("f16_r", "f16_r", "f32_r") => "HHS",
            ("f16_r", "f32_r", "f32_r") => "HSS",
            ("bf16_r", "bf16_r", "f32_r") => "BBS",
            ("bf16_r", "f32_r", "f32_r") => "BSS",
            ("f32_r", "f32_r", "f32_r") => "SS",
            ("f64_r", "f64_r", "f64_r") => "DD",
            ("f32_c", "f32_c", "f32_c") => "CC",
            ("f64_c", "f64_c", "f64_c") => "ZZ",
            ("i8_r", "i32_r", "i32_r") => "I8I",
            _ => {
                return Err(format!(
                    "no product of rocBLAS has A of {input}, C of {output} and sums in {compute}"
                )
                .into());
            }
        };
        Ok(known.to_owned())
    }
}

/// The function of a name such as `gemm_ex` or `rocblas_sgemm_batched`, and the type for its letter.
fn function(name: &str) -> Option<(&'static str, Option<&'static str>)> {
    let name = name.strip_prefix("rocblas_").unwrap_or(name);
    let name = name.strip_suffix("_64").unwrap_or(name);
    let known = |name: &str| APIS.iter().find(|api| **api == name).copied();
    if let Some(api) = known(name) {
        return Some((api, None));
    }
    let letters = [('s', "SS"), ('d', "DD"), ('c', "CC"), ('z', "ZZ"), ('h', "HH")];
    let (_, ty) = letters.iter().find(|(letter, _)| name.starts_with(*letter))?;
    Some((known(name.get(1..)?)?, Some(ty)))
}

/// Parses a command line of rocblas-bench; `None` if its function is not a product.
pub(super) fn rocblas(arguments: &str) -> Option<Stated> {
    let fields = Fields::of_arguments(arguments);
    let name = fields.text(&["f", "function"])?;
    let (api, ty) = function(name)?;
    let weight = 1;
    Some(fields.gemm(api, ty).and_then(Gemm::problem).map(|problem| vec![(weight, problem)]))
}

/// Parses a line of a profile, which counts equal calls.
pub(super) fn profile(text: &str) -> Option<Stated> {
    let fields = Fields::of_profile(text);
    let (api, ty) = function(fields.text(&["rocblasfunction"])?)?;
    let stated = fields.gemm(api, ty).and_then(Gemm::problem);
    let count = fields.number(&["callcount"]).map(|count| count.unwrap_or(1));
    Some(stated.and_then(|problem| Ok(vec![(count?, problem)])))
}

/// Parses a line of a trace. Pointers are between the sizes; only functions with a known order are read.
pub(super) fn trace(text: &str) -> Option<Stated> {
    let mut parts = text.split(',').map(str::trim);
    let name = parts.next()?;
    let (api, ty) = function(name)?;
    let values: Vec<&str> = parts.collect();
    Some(of_trace(api, ty, &values).and_then(Gemm::problem).map(|problem| vec![(1, problem)]))
}

/// Names of the fields in a trace, in order; a hyphen is an irrelevant field.
const TRACE_EX: &str =
    "transa transb m n k alpha - atype lda - btype ldb beta - ctype ldc - dtype ldd computetype";
const TRACE_STRIDED_EX: &str = "transa transb m n k alpha - atype lda stridea - btype ldb strideb beta - ctype ldc stridec - \
                                dtype ldd strided batchcount computetype";
const TRACE_BATCHED_EX: &str =
    "transa transb m n k alpha - atype lda - btype ldb beta - ctype ldc - dtype ldd batchcount computetype";
const TRACE: &str = "transa transb m n k alpha - lda - ldb beta - ldc";
const TRACE_STRIDED: &str =
    "transa transb m n k alpha - lda stridea - ldb strideb beta - ldc stridec batchcount";
const TRACE_BATCHED: &str = "transa transb m n k alpha - lda - ldb beta - ldc batchcount";

fn of_trace(api: &str, ty: Option<&str>, values: &[&str]) -> Result<Gemm, NotUnderstood> {
    let order = match api {
        "gemm_ex" => TRACE_EX,
        "gemm_strided_batched_ex" => TRACE_STRIDED_EX,
        "gemm_batched_ex" => TRACE_BATCHED_EX,
        "gemm" => TRACE,
        "gemm_strided_batched" => TRACE_STRIDED,
        _ => TRACE_BATCHED,
    };
    let names: Vec<&str> = order.split_whitespace().collect();
    if values.len() < names.len() {
        return Err(
            format!("a trace of {api} has {} values; {} are expected", values.len(), names.len()).into()
        );
    }
    let fields = names.iter().zip(values).filter(|(name, _)| **name != "-");
    Fields(fields.map(|(name, value)| ((*name).to_owned(), *value)).collect()).gemm(api, ty)
}
