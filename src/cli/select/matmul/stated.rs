//! The calls that options state.

use super::{Args, PointerMode, Scale, Sparse, Which};
use crate::engines::tensile::call::Transpose;
use crate::engines::tensile::lite::call::{BLOCKS_OF_32, Interface, MatmulCall, OUTER_VECTOR, SparseMatrix};
use crate::engines::tensile::lite::epilogue::Epilogue;
use crate::engines::tensile::lite::sparse::SPARSE_ALGORITHMS;
use crate::engines::tensile::lite::types::{ComputeType, MatrixType, types_of};
use crate::engines::workload::hipblaslt::call_of_line;
use crate::error::{AuditError, NotUnderstood};
use crate::target::TargetId;

/// A product of a group: `512,64,4096` or with the number of its matrices.
pub(super) fn member(text: &str) -> Result<[u64; 4], NotUnderstood> {
    let numbers: Option<Vec<u64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[m, n, k]) => Ok([m, n, k, 1]),
        Some(&[m, n, k, batch]) => Ok([m, n, k, batch]),
        _ => Err("M,N,K or M,N,K,BATCH is expected, such as 512,64,4096".into()),
    }
}

/// The one call of a run, by options or a line.
pub(super) fn call(args: &Args, target: &TargetId, multiprocessors: u32) -> Result<MatmulCall, AuditError> {
    let mut call = match &args.line {
        Some(line) => {
            let expected = || "--line: neither a line of hipblaslt-bench nor a trace of hipBLASLt".into();
            call_of_line(line).ok_or_else(expected).and_then(|call| call)?
        }
        None => stated(args)?,
    };
    call.target = target.to_string();
    call.multiprocessors = multiprocessors;
    call.workspace = args.workspace.unwrap_or(call.workspace);
    if args.line.is_none() || args.algorithms != 1 {
        call.requested = args.algorithms;
    }
    if call.sparse.is_some() {
        call.requested = SPARSE_ALGORITHMS;
    }
    call.check()?;
    Ok(call)
}

/// The call that the options state, not yet of a device.
fn stated(args: &Args) -> Result<MatmulCall, AuditError> {
    let letters: Option<Vec<Transpose>> = args.trans.chars().map(Transpose::of_letter).collect();
    let Some([ta, tb]) = letters.as_deref() else {
        let what = format!("--trans {}: two letters of N and T are expected", args.trans);
        return Err(AuditError::Usage(what));
    };
    let ([a, b, c, d], compute) = match (&args.ty, args.a_type) {
        (Some(ty), _) => types_of(ty)?,
        (None, Some(a)) => ([a; 4], ComputeType::usual(a)),
        (None, None) => return Err(AuditError::Usage("--type: a type is needed".to_owned())),
    };
    let sizes = [args.m, args.n, args.k].map(Option::unwrap_or_default);
    let mut call = MatmulCall::new(&TargetId::bare(""), 1, a, [*ta, *tb], sizes);
    call.a = args.a_type.unwrap_or(a);
    call.b = args.b_type.unwrap_or(if args.ty.is_some() { b } else { call.a });
    call.d = args.d_type.or(args.c_type).unwrap_or(d);
    call.c = args.c_type.or(args.d_type).unwrap_or(c);
    call.comp = args.compute_type.unwrap_or(compute);
    call.scale = args.scale_type;
    call.batch = args.batch_count;
    let [lda, ldb, ldc, ldd] = call.ld;
    call.ld = [
        args.lda.unwrap_or(lda),
        args.ldb.unwrap_or(ldb),
        args.ldc.unwrap_or(ldc),
        args.ldd.or(args.ldc).unwrap_or(ldd),
    ];
    call.set_epilogue(args.epilogue);
    needs(args.bias_type.is_some() || args.no_bias_pointer, call.epilogue.bias.is_some(), "bias", args)?;
    let aux = args.aux_type.is_some() || args.aux_ld.is_some() || args.no_aux_pointer;
    needs(aux, call.epilogue.aux, "auxiliary matrix", args)?;
    call.bias_ptr &= !args.no_bias_pointer;
    call.bias_type = args.bias_type;
    call.aux_ptr &= !args.no_aux_pointer;
    call.aux_type = args.aux_type;
    call.aux_ld = args.aux_ld.unwrap_or(call.aux_ld);
    (call.scale_a, call.scale_b) = (args.scale_a.is_some(), args.scale_b.is_some());
    let mode = |scale: Option<Scale>| match scale {
        Some(Scale::Vector) => OUTER_VECTOR,
        Some(Scale::Blocks) => BLOCKS_OF_32,
        _ => 0,
    };
    (call.scale_mode_a, call.scale_mode_b) = (mode(args.scale_a), mode(args.scale_b));
    (call.scale_c, call.scale_d, call.amax_d) = (args.scale_c, args.scale_d, args.amax_d);
    call.pointer_mode = match args.alpha {
        PointerMode::Host => 0,
        PointerMode::Device => 1,
        PointerMode::Vector => 4,
    };
    call.beta = args.beta;
    call.interface = if args.interface == Which::Ext { Interface::Ext } else { Interface::C };
    call.sparse = args.sparse.map(|which| match which {
        Sparse::A => SparseMatrix::A,
        Sparse::B => SparseMatrix::B,
    });
    call.group = (!args.group.is_empty()).then(|| args.group.clone());
    Ok(call)
}

/// Refuses an option about a part that the epilogue does not have.
fn needs(said: bool, has: bool, part: &str, args: &Args) -> Result<(), AuditError> {
    if said && !has {
        let name = args.epilogue.name;
        let what = format!("the epilogue {name} has no {part}; choose one that has with --epilogue");
        return Err(AuditError::Usage(what));
    }
    Ok(())
}

/// An earlier call, as what it differs in.
pub(super) fn earlier(call: &MatmulCall, text: &str) -> Result<MatmulCall, NotUnderstood> {
    let mut other = call.clone();
    for part in text.split(',') {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        match name.trim() {
            "bias-type" => other.bias_type = Some(MatrixType::meant(value)?),
            "epilogue" => other.epilogue = Epilogue::meant(value)?,
            "algorithms" => {
                let wrong = |_| {
                    NotUnderstood::from(format!("--after algorithms={value}: a whole number is expected"))
                };
                other.requested = value.parse().map_err(wrong)?;
            }
            name => {
                return Err(format!(
                    "--after {name}: bias-type, epilogue and algorithms are known; a call that differs in anything else has \
                     another key in hipBLASLt's cache and changes nothing"
                ).into());
            }
        }
    }
    other.check()?;
    Ok(other)
}
