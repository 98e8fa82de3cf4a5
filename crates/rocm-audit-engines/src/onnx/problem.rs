//! The convolutions and products of a graph, in the form of questions to MIOpen and rocBLAS.

use super::graph::{Graph, Node};
use super::shape::{KnownTensor, Shape, Sizes, count, infer};
use super::window::Window;
use rocm_audit_files::error::Unanswered;
use rocm_audit_files::error::{ParseError, ParseErrors};
use std::collections::{BTreeMap, HashMap};

/// The problem of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeProblem {
    /// Index of the node in the graph.
    pub node: usize,
    /// Name of the node, else of its first output.
    pub name: String,
    /// Operator type of the node.
    pub operator: String,
    /// The problem, or why it is unknown.
    pub problem: Result<Problem, Unanswered>,
}

/// A problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A convolution.
    Convolution(Convolution),
    /// A matrix product.
    Product(Product),
}

/// A convolution, in terms of the forward one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Convolution {
    /// Two parts of the find-db key; the data type goes between them.
    key: (String, String),
    /// Floating-point operations.
    pub flops: u128,
    /// Whether a bias is added.
    pub bias: bool,
}

/// A matrix product as rocBLAS sees it: column-major, so the operands are swapped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// Rows of the result.
    pub m: u64,
    /// Columns of the result.
    pub n: u64,
    /// Length of the sums.
    pub k: u64,
    /// Transpositions: `TN`.
    pub transposes: &'static str,
    /// Number of products.
    pub batch: u64,
}

impl Convolution {
    /// The key for a type of data: `FP32`, `FP16`.
    pub fn key(&self, data: &str) -> String {
        format!("{}{data}{}", self.key.0, self.key.1)
    }
}

impl Product {
    /// Floating-point operations.
    pub fn flops(&self) -> u128 {
        [self.n, self.k, self.batch]
            .iter()
            .fold(2 * u128::from(self.m), |all, n| all.saturating_mul(u128::from(*n)))
    }
}

/// The problems of a graph, in the order of its nodes, and errors in the graph.
pub fn problems(graph: &Graph, sizes: &Sizes) -> (Vec<NodeProblem>, ParseErrors) {
    let (known, wrong) = infer(graph, sizes);
    let mut errors = graph.problems.clone();
    errors.extend(wrong);
    let mut all = Vec::new();
    for (place, node) in graph.nodes.iter().enumerate().filter(|(_, node)| node.is_standard()) {
        let shape = |at: usize| whole(&known, node, at);
        let problem = match node.operator.as_str() {
            "Conv" => convolution(node, shape(0), shape(1)),
            "ConvTranspose" => transposed(node, shape(0), shape(1)),
            "Gemm" => gemm(node, shape(0), shape(1)),
            "MatMul" => mat_mul(shape(0), shape(1)),
            "Attention" => attention(node, &shape).map(|(scores, _)| scores),
            _ => continue,
        };
        let name = if node.name.is_empty() { node.outputs.first() } else { Some(&node.name) };
        if let Err(why) = &problem {
            errors.push(ParseError::new(
                node.at,
                format!("{} {}: {why}", node.operator, name.map_or("", |n| n)),
            ));
        }
        let (name, operator) = (name.cloned().unwrap_or_default(), node.operator.clone());
        let values = attention(node, &shape).ok().filter(|_| operator == "Attention");
        if let Some((_, values)) = values {
            let of = |what: &str| format!("{name} {what}");
            all.push(NodeProblem { node: place, name: of("scores"), operator: operator.clone(), problem });
            all.push(NodeProblem { node: place, name: of("values"), operator, problem: Ok(values) });
        } else {
            all.push(NodeProblem { node: place, name, operator, problem });
        }
    }
    (all, errors)
}

/// Standard operators with products or attention that this program does not examine.
const STANDARD: [&str; 5] = ["QLinearConv", "ConvInteger", "QLinearMatMul", "MatMulInteger", "DeformConv"];

/// The same for `com.microsoft` (ONNX Runtime, `docs/ContribOperators.md`).
const MICROSOFT: [&str; 21] = [
    "Attention",
    "DecoderAttention",
    "DecoderMaskedMultiHeadAttention",
    "DecoderMaskedSelfAttention",
    "DynamicQuantizeMatMul",
    "FusedConv",
    "FusedGemm",
    "FusedMatMul",
    "GroupQueryAttention",
    "LongformerAttention",
    "MatMulBnb4",
    "MatMulInteger16",
    "MatMulIntegerToFloat",
    "MatMulNBits",
    "MultiHeadAttention",
    "PackedAttention",
    "PackedMultiHeadAttention",
    "QAttention",
    "QGemm",
    "QMoE",
    "SparseAttention",
];

/// Number of nodes with products or attention that this program does not examine, by operator and domain.
pub fn unasked(graph: &Graph) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for node in &graph.nodes {
        let operator = node.operator.as_str();
        let name = match node.domain.as_str() {
            _ if node.is_standard() && STANDARD.contains(&operator) => operator.to_owned(),
            "com.microsoft" if MICROSOFT.contains(&operator) => format!("com.microsoft.{operator}"),
            _ => continue,
        };
        *found.entry(name).or_default() += 1;
    }
    found
}

type Sized = Result<Vec<u64>, Unanswered>;

/// The shape of an input, if it is fully known.
fn whole(known: &HashMap<String, KnownTensor>, node: &Node, at: usize) -> Sized {
    let name = node.inputs.get(at).map_or("", String::as_str);
    let shape: Option<&Shape> = known.get(name).and_then(|known| known.shape.as_ref());
    let sizes: Option<Vec<u64>> = shape.and_then(|shape| shape.iter().copied().collect());
    sizes.ok_or_else(|| {
        format!("the shape of {name:?} is not known; name open dimensions with --batch or --dim").into()
    })
}

fn convolution(node: &Node, x: Sized, w: Sized) -> Result<Problem, Unanswered> {
    let (x, w) = (x?, w?);
    let ([n, c, h, width], [k, per_group, y, xs]) = (&x[..], &w[..]) else {
        return Err(format!(
            "a convolution of {} dimensions; those of MIOpen's keys here have two",
            x.len().saturating_sub(2)
        )
        .into());
    };
    let groups = node.int("group").unwrap_or(1);
    let groups = u64::try_from(groups).ok().filter(|groups| *groups > 0).ok_or("a group is at least 1")?;
    let open: Vec<Option<u64>> = x.iter().copied().map(Some).collect();
    let window = Window::for_node(node, &open, &[Some(*y), Some(*xs)]).ok_or("its window is impossible")?;
    if window.before != window.after {
        return Err(format!(
            "padding of {:?} before and {:?} behind, for which MIOpen has no key",
            window.before, window.after
        )
        .into());
    }
    let sizes: Option<Vec<u64>> = window.sizes(&open, false).into_iter().collect();
    let ([oh, ow], [ph, pw], [sh, sw], [dh, dw]) = (
        &sizes.ok_or("its window does not fit into the input")?[..],
        &window.before[..],
        &window.strides[..],
        &window.dilations[..],
    ) else {
        return Err("its window has other dimensions than its input".into());
    };
    let front = format!("{c}-{h}-{width}-{y}x{xs}-{k}-{oh}-{ow}-{n}-{ph}x{pw}-{sh}x{sw}-{dh}x{dw}-0-NCHW-");
    let back = if groups == 1 { "-F".to_owned() } else { format!("-F_g{groups}") };
    let flops = [*n, *k, *oh, *ow, *per_group, *y, *xs]
        .iter()
        .fold(2_u128, |all, f| all.saturating_mul(u128::from(*f)));
    let bias = node.inputs.get(2).is_some_and(|name| !name.is_empty());
    Ok(Problem::Convolution(Convolution { key: (front, back), flops, bias }))
}

/// A transposed convolution is a backward data convolution: its input is the forward one's output.
fn transposed(node: &Node, x: Sized, w: Sized) -> Result<Problem, Unanswered> {
    let (x, w) = (x?, w?);
    let ([n, k, oh, ow], [_, per_group, y, xs]) = (&x[..], &w[..]) else {
        return Err(format!(
            "a convolution of {} dimensions; those of MIOpen's keys here have two",
            x.len().saturating_sub(2)
        )
        .into());
    };
    let groups = u64::try_from(node.int("group").unwrap_or(1)).ok().filter(|groups| *groups > 0);
    let groups = groups.ok_or("a group is at least 1")?;
    let c = per_group.checked_mul(groups).ok_or("too many channels")?;
    let open: Vec<Option<u64>> = x.iter().copied().map(Some).collect();
    let window = Window::for_node(node, &open, &[Some(*y), Some(*xs)]).ok_or("its window is impossible")?;
    if window.before != window.after || node.ints("output_shape").is_some() {
        return Err("padding that is not the same on both sides, for which MIOpen has no key".into());
    }
    let more = node.ints("output_padding").unwrap_or(&[0, 0]);
    let size = |at: usize, size: u64| {
        let steps = size.checked_sub(1)?.checked_mul(*window.strides.get(at)?)?;
        let extent =
            window.kernel.get(at)?.checked_sub(1)?.checked_mul(*window.dilations.get(at)?)?.checked_add(1)?;
        let all = steps.checked_add(extent)?.checked_add(u64::try_from(*more.get(at)?).ok()?)?;
        all.checked_sub(2 * window.before.get(at)?)
    };
    let (h, width) = size(0, *oh).zip(size(1, *ow)).ok_or("its window does not fit")?;
    let ([ph, pw], [sh, sw], [dh, dw]) = (&window.before[..], &window.strides[..], &window.dilations[..])
    else {
        return Err("its window has other dimensions than its input".into());
    };
    let front = format!("{k}-{oh}-{ow}-{y}x{xs}-{c}-{h}-{width}-{n}-{ph}x{pw}-{sh}x{sw}-{dh}x{dw}-0-NCHW-");
    let back = if groups == 1 { "-B".to_owned() } else { format!("-B_g{groups}") };
    let flops = [*n, *k, *oh, *ow, *per_group, *y, *xs]
        .iter()
        .fold(2_u128, |all, f| all.saturating_mul(u128::from(*f)));
    let bias = node.inputs.get(2).is_some_and(|name| !name.is_empty());
    Ok(Problem::Convolution(Convolution { key: (front, back), flops, bias }))
}

fn gemm(node: &Node, a: Sized, b: Sized) -> Result<Problem, Unanswered> {
    let (a, b) = (a?, b?);
    let ([a0, a1], [b0, b1]) = (&a[..], &b[..]) else {
        return Err("its operands are no matrices".into());
    };
    let is = |name: &str| node.int(name) == Some(1);
    let (rows, k) = if is("transA") { (*a1, *a0) } else { (*a0, *a1) };
    let (inner, columns) = if is("transB") { (*b1, *b0) } else { (*b0, *b1) };
    if inner != k {
        return Err(format!("its operands do not fit: {k} and {inner}").into());
    }
    let transposes = match (is("transB"), is("transA")) {
        (false, false) => "NN",
        (false, true) => "NT",
        (true, false) => "TN",
        (true, true) => "TT",
    };
    Ok(Problem::Product(Product { m: columns, n: rows, k, transposes, batch: 1 }))
}

fn mat_mul(a: Sized, b: Sized) -> Result<Problem, Unanswered> {
    let (a, b) = (a?, b?);
    let open = |sizes: &[u64]| -> Option<u64> { count(&sizes.iter().copied().map(Some).collect::<Vec<_>>()) };
    let ([front @ .., rows, k], [rest @ .., inner, columns]) = (&a[..], &b[..]) else {
        return Err("an operand is a vector".into());
    };
    if inner != k {
        return Err(format!("its operands do not fit: {k} and {inner}").into());
    }
    let many = open(front).zip(open(rest)).ok_or("too many products")?;
    let (n, batch) = if rest.is_empty() {
        (rows.checked_mul(many.0).ok_or("too many rows")?, 1)
    } else {
        (*rows, many.0.max(many.1))
    };
    Ok(Problem::Product(Product { m: *columns, n, k: *k, transposes: "NN", batch }))
}

/// Sizes of standard attention (opset 23): heads are a dimension, or parts of the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heads {
    /// Batch size.
    pub batch: u64,
    /// Heads of queries.
    pub heads: u64,
    /// Queries for each sample.
    pub queries: u64,
    /// Size of a query and key head; that of a value head differs.
    pub size: u64,
}

/// Sizes of an attention operand; `None` if heads are parts of the last dimension and the node does not state
/// their number.
pub(super) fn heads(node: &Node, shape: &[u64], attribute: &str) -> Option<Heads> {
    match *shape {
        [batch, heads, queries, size] => Some(Heads { batch, heads, queries, size }),
        [batch, queries, all] => {
            let heads = u64::try_from(node.int(attribute)?).ok().filter(|heads| *heads > 0)?;
            all.is_multiple_of(heads).then_some(Heads { batch, heads, queries, size: all / heads })
        }
        _ => None,
    }
}

/// Attention as two products: scores from queries and keys, and results from scores and values. Keys and
/// values with fewer heads are repeated first (`Attention-23` of ONNX's operators, whose body has these
/// products).
fn attention(node: &Node, shape: &dyn Fn(usize) -> Sized) -> Result<(Problem, Problem), Unanswered> {
    let of = |at: usize, attribute: &str| {
        let whole = shape(at)?;
        let sizes = heads(node, &whole, attribute);
        sizes.ok_or_else(|| {
            Unanswered::from(format!("an operand of {} dimensions without a number of heads", whole.len()))
        })
    };
    let (q, k, v) = (of(0, "q_num_heads")?, of(1, "kv_num_heads")?, of(2, "kv_num_heads")?);
    if k.size != q.size || v.queries != k.queries || v.heads != k.heads {
        return Err(format!("its operands do not fit: heads of {} and {}", q.size, k.size).into());
    }
    if k.heads == 0 || !q.heads.is_multiple_of(k.heads) {
        return Err(format!("{} heads of queries are no multiple of {} of keys", q.heads, k.heads).into());
    }
    let past = match node.inputs.get(4).filter(|name| !name.is_empty()) {
        Some(_) => *shape(4)?.get(2).ok_or("keys of the past have no length")?,
        None => 0,
    };
    let keys = k.queries.checked_add(past).ok_or("too many keys")?;
    let batch = q.batch.checked_mul(q.heads).ok_or("too many products")?;
    let product = |m, k, transposes| Problem::Product(Product { m, n: q.queries, k, transposes, batch });
    Ok((product(keys, q.size, "TN"), product(v.size, keys, "NN")))
}
