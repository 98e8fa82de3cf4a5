//! Shapes of a graph's tensors, node by node, with the small integers that shapes are made from.
//!
//! Source: the operators' shape inference in onnx/onnx `docs/Operators.md`. If a tensor's shape cannot be
//! inferred, it is unknown, and so are those that depend on it, unless the file states them.

mod arithmetic;

pub(super) use arithmetic::sized;
pub use arithmetic::{Shape, count};

use super::graph::{Dimension, Graph, KEPT_VALUES, Node, Tensor};
use super::problem::heads;
use super::window::Window;
use arithmetic::{
    BROADCASTING, SHAPE_KEEPING, axis, bound, broadcast, flattened, gathered, padded, permuted, product,
    squeezed, tiled, unsqueezed,
};
use rocm_audit_files::error::ParseError;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Most dimensions that are followed.
const RANK: usize = 16;

/// The known facts about a tensor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownTensor {
    /// Shape, if its rank is known.
    pub shape: Option<Shape>,
    /// Values, if they are few integers; -1 for unknown ones.
    pub values: Option<Vec<i64>>,
}

/// Replacements for dimensions that a file leaves open.
#[derive(Debug, Clone, Default)]
pub struct Sizes {
    /// The first dimension of each input, if the file has 1, 0, a name or nothing.
    pub batch: Option<u64>,
    /// Dimensions by name.
    pub named: BTreeMap<String, u64>,
}

/// The known facts about every tensor in a graph, and errors in its order.
pub fn infer(graph: &Graph, sizes: &Sizes) -> (HashMap<String, KnownTensor>, Vec<ParseError>) {
    let mut state = State { graph, sizes, known: HashMap::new(), rebased: HashSet::new() };
    state.begin();
    let mut problems = Vec::new();
    let made: HashSet<&str> = graph
        .nodes
        .iter()
        .flat_map(|node| &node.outputs)
        .map(String::as_str)
        .filter(|n| !n.is_empty())
        .collect();
    let mut done: HashSet<&str> = HashSet::new();
    for node in &graph.nodes {
        let later =
            node.inputs.iter().find(|name| made.contains(name.as_str()) && !done.contains(name.as_str()));
        if let Some(name) = later {
            let what = format!("a node of {} reads {name}, which it or a later node makes", node.operator);
            problems.push(ParseError::new(node.at, what));
        }
        let outputs = if node.is_standard() { state.outputs(node) } else { Vec::new() };
        for (place, name) in node.outputs.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            let mut known = outputs.get(place).cloned().unwrap_or_default();
            if known.shape.as_ref().is_none_or(|shape| shape.contains(&None))
                && let Some(Some(stated)) = graph.stated.get(name)
                && known.shape.is_none()
            {
                known.shape = Some(state.of_dimensions(stated, false));
            }
            state.known.insert(name.clone(), known);
            done.insert(name);
        }
    }
    (state.known, problems)
}

struct State<'a> {
    graph: &'a Graph,
    sizes: &'a Sizes,
    known: HashMap<String, KnownTensor>,
    /// Constants used as the shape of a Reshape: their leading 1 is the batch.
    rebased: HashSet<&'a str>,
}

impl<'a> State<'a> {
    fn begin(&mut self) {
        let graph = self.graph;
        let reshapes = graph.nodes.iter().filter(|node| node.operator == "Reshape");
        self.rebased = reshapes.filter_map(|node| node.inputs.get(1)).map(String::as_str).collect();
        for (name, tensor) in &graph.constants {
            let known = self.constant(name, tensor);
            self.known.insert(name.clone(), known);
        }
        for (name, dimensions) in &graph.inputs {
            let shape = dimensions.as_ref().map(|dimensions| self.of_dimensions(dimensions, true));
            self.known.insert(name.clone(), KnownTensor { shape, values: None });
        }
    }

    fn constant(&self, name: &str, tensor: &Tensor) -> KnownTensor {
        let shape = tensor.shape.iter().copied().map(Some).collect();
        let mut values = tensor.values.clone();
        if let (Some(batch), Some(values)) = (self.sizes.batch, &mut values)
            && self.rebased.contains(name)
            && tensor.shape.len() == 1
            && let Some(first) = values.first_mut().filter(|first| **first == 1)
        {
            *first = i64::try_from(batch).unwrap_or(1);
        }
        KnownTensor { shape: Some(shape), values }
    }

    fn of_dimensions(&self, dimensions: &[Dimension], is_input: bool) -> Shape {
        let size = |(place, dimension): (usize, &Dimension)| {
            let batch = self.sizes.batch.filter(|_| is_input && place == 0);
            match dimension {
                Dimension::Size(size @ (0 | 1)) => Some(batch.unwrap_or(*size)),
                Dimension::Size(size) => Some(*size),
                Dimension::Name(name) => self.sizes.named.get(name).copied().or(batch),
                Dimension::Open => batch,
            }
        };
        dimensions.iter().enumerate().map(size).collect()
    }

    /// The result of attention has the shape of the queries, with the values' head size.
    fn attention(&self, node: &Node) -> Option<Shape> {
        let whole = |at: usize| -> Option<Vec<u64>> { self.shape(node, at)?.iter().copied().collect() };
        let (queries, values) = (whole(0)?, whole(2)?);
        let (q, v) = (heads(node, &queries, "q_num_heads")?, heads(node, &values, "kv_num_heads")?);
        let shape = match queries.len() {
            4 => vec![q.batch, q.heads, q.queries, v.size],
            _ => vec![q.batch, q.queries, q.heads.checked_mul(v.size)?],
        };
        Some(shape.into_iter().map(Some).collect())
    }

    fn input(&self, node: &Node, place: usize) -> Option<&KnownTensor> {
        self.known.get(node.inputs.get(place).filter(|name| !name.is_empty())?)
    }

    fn shape(&self, node: &Node, place: usize) -> Option<&Shape> {
        self.input(node, place)?.shape.as_ref()
    }

    fn values(&self, node: &Node, place: usize) -> Option<&Vec<i64>> {
        self.input(node, place)?.values.as_ref()
    }

    /// Integers in an attribute or, in newer operator versions, in an input.
    fn numbers(&self, node: &Node, attribute: &str, place: usize) -> Option<Vec<i64>> {
        node.ints(attribute).map(<[i64]>::to_vec).or_else(|| self.values(node, place).cloned())
    }

    fn outputs(&self, node: &Node) -> Vec<KnownTensor> {
        if node.operator == "Split" {
            return self.split(node);
        }
        let shape = self.output_shape(node).filter(|shape| shape.len() <= RANK);
        let values = self.output_values(node).filter(|values| values.len() <= KEPT_VALUES);
        // Without an inferred shape, the values determine it.
        let scalar = || values.as_ref().map(|values| vec![Some(values.len() as u64)]);
        let shape = shape.or_else(scalar);
        vec![KnownTensor { shape, values }]
    }

    fn output_shape(&self, node: &Node) -> Option<Shape> {
        let first = || self.shape(node, 0).cloned();
        match node.operator.as_str() {
            "Conv" => self.convolution(node),
            "ConvTranspose" => self.transposed(node),
            "MaxPool" | "AveragePool" | "LpPool" => self.pool(node),
            "GlobalAveragePool" | "GlobalMaxPool" | "GlobalLpPool" => {
                let sizes = first()?.into_iter().enumerate();
                Some(sizes.map(|(at, size)| if at < 2 { size } else { Some(1) }).collect())
            }
            "Gemm" => {
                let (a, b) = (first()?, self.shape(node, 1)?);
                let rows = *a.get(usize::from(node.int("transA") == Some(1)))?;
                let columns = *b.get(usize::from(node.int("transB") != Some(1)))?;
                Some(vec![rows, columns])
            }
            "MatMul" => product(&first()?, self.shape(node, 1)?),
            "Attention" => self.attention(node),
            "Concat" => self.concat(node),
            "Reshape" => self.reshape(node),
            "Flatten" => flattened(&first()?, node.int("axis").unwrap_or(1)),
            "Transpose" => permuted(first()?, node.ints("perm")),
            "Unsqueeze" => unsqueezed(&first()?, &self.numbers(node, "axes", 1)?),
            "Squeeze" => squeezed(&first()?, self.numbers(node, "axes", 1).as_deref()),
            "Shape" => Some(vec![Some(first()?.len() as u64)]),
            "Size" => Some(Vec::new()),
            "Gather" => gathered(&first()?, self.shape(node, 1)?, node.int("axis").unwrap_or(0)),
            "Slice" => self.slice(node),
            "Constant" => {
                let constant = node.attributes.get("value")?.tensor.as_ref()?;
                Some(constant.shape.iter().copied().map(Some).collect())
            }
            "ConstantOfShape" => self.of_values(node, 0),
            "Expand" => broadcast(&first()?, &self.of_values(node, 1)?),
            "Tile" => tiled(&first()?, self.values(node, 1)?),
            "Pad" => padded(&first()?, &self.numbers(node, "pads", 1)?),
            "Resize" | "Upsample" => self.of_values(node, 3),
            "ReduceMean" | "ReduceSum" | "ReduceMax" | "ReduceMin" | "ReduceProd" | "ReduceL2" | "ArgMax"
            | "ArgMin" => self.reduced(node),
            operator if BROADCASTING.contains(&operator) => {
                let mut shape = first()?;
                for place in 1..node.inputs.len() {
                    shape = broadcast(&shape, self.shape(node, place)?)?;
                }
                Some(shape)
            }
            operator if SHAPE_KEEPING.contains(&operator) => first(),
            _ => None,
        }
    }

    fn output_values(&self, node: &Node) -> Option<Vec<i64>> {
        let first = || self.values(node, 0).cloned();
        match node.operator.as_str() {
            "Constant" => {
                let attribute = |name: &str| node.attributes.get(name);
                let tensor = attribute("value").and_then(|value| value.tensor.as_ref());
                match tensor {
                    Some(tensor) => self.constant(node.outputs.first()?, tensor).values,
                    None => attribute("value_ints")
                        .map(|value| value.ints.clone())
                        .or_else(|| Some(vec![attribute("value_int")?.int?])),
                }
            }
            "Shape" => {
                let shape = self.shape(node, 0)?;
                let number = |size: &Option<u64>| size.and_then(|size| i64::try_from(size).ok());
                let all: Option<Vec<i64>> = shape.iter().map(number).collect();
                let all = all?;
                let place =
                    |name: &str, other: usize| node.int(name).map_or(Some(other), |at| bound(at, all.len()));
                let (start, end) = (place("start", 0)?, place("end", all.len())?);
                all.get(start..end.max(start)).map(<[i64]>::to_vec)
            }
            "Gather" if node.int("axis").unwrap_or(0) == 0 => {
                let (values, indices) = (first()?, self.values(node, 1)?);
                indices.iter().map(|at| values.get(axis(*at, values.len())?).copied()).collect()
            }
            "Slice" => {
                let values = first()?;
                let (starts, ends, steps) = self.range(node)?;
                let ([start], [end]) = (&starts[..], &ends[..]) else { return None };
                if steps.first().is_some_and(|step| *step != 1) {
                    return None;
                }
                let (start, end) = (bound(*start, values.len())?, bound(*end, values.len())?);
                values.get(start..end.max(start)).map(<[i64]>::to_vec)
            }
            "Concat" => {
                let mut all = Vec::new();
                for place in 0..node.inputs.len() {
                    all.extend(self.values(node, place)?);
                    if all.len() > KEPT_VALUES {
                        return None;
                    }
                }
                Some(all)
            }
            "Add" | "Sub" | "Mul" | "Div" => {
                let (a, b) = (first()?, self.values(node, 1)?);
                let count = a.len().max(b.len());
                let at = |values: &[i64], place: usize| {
                    values.get(if values.len() == 1 { 0 } else { place }).copied()
                };
                let one = |place: usize| {
                    let (a, b) = (at(&a, place)?, at(b, place)?);
                    match node.operator.as_str() {
                        "Add" => a.checked_add(b),
                        "Sub" => a.checked_sub(b),
                        "Mul" => a.checked_mul(b),
                        _ => a.checked_div(b),
                    }
                };
                (0..count).map(one).collect()
            }
            "Identity" | "Cast" | "Unsqueeze" | "Squeeze" | "Reshape" | "Floor" | "Ceil" => first(),
            _ => None,
        }
    }

    /// The values of an input, as sizes.
    fn of_values(&self, node: &Node, place: usize) -> Option<Shape> {
        self.values(node, place)?.iter().map(|value| sized(*value).map(Some)).collect()
    }

    fn concat(&self, node: &Node) -> Option<Shape> {
        let mut shape = self.shape(node, 0)?.clone();
        let axis = axis(node.int("axis").unwrap_or(1), shape.len())?;
        for place in 1..node.inputs.len() {
            let more = *self.shape(node, place)?.get(axis)?;
            let slot = shape.get_mut(axis)?;
            *slot = slot.zip(more).and_then(|(a, b)| a.checked_add(b));
        }
        Some(shape)
    }

    fn reshape(&self, node: &Node) -> Option<Shape> {
        let from = self.shape(node, 0)?;
        let wanted = self.numbers(node, "shape", 1)?;
        let keeps_zero = node.int("allowzero") == Some(1);
        let mut to: Shape = Vec::new();
        for (place, size) in wanted.iter().enumerate() {
            to.push(match size {
                0 if !keeps_zero => *from.get(place)?,
                -1 => None,
                size => Some(sized(*size)?),
            });
        }
        let open = wanted.iter().position(|size| *size == -1);
        if let Some(open) = open {
            let rest: Option<u64> = to
                .iter()
                .enumerate()
                .filter(|(at, _)| *at != open)
                .try_fold(1_u64, |all, (_, s)| all.checked_mul((*s)?));
            let all = count(from);
            *to.get_mut(open)? = all.zip(rest).and_then(|(all, rest)| all.checked_div(rest));
        }
        Some(to)
    }

    fn range(&self, node: &Node) -> Option<(Vec<i64>, Vec<i64>, Vec<i64>)> {
        let starts = self.numbers(node, "starts", 1)?;
        let ends = self.numbers(node, "ends", 2)?;
        let steps = self.values(node, 4).cloned().unwrap_or_else(|| vec![1; starts.len()]);
        Some((starts, ends, steps))
    }

    fn slice(&self, node: &Node) -> Option<Shape> {
        let mut shape = self.shape(node, 0)?.clone();
        let (starts, ends, steps) = self.range(node)?;
        let axes = self.numbers(node, "axes", 3).unwrap_or_else(|| (0..starts.len() as i64).collect());
        for (place, at) in axes.iter().enumerate() {
            let slot = shape.get_mut(axis(*at, self.shape(node, 0)?.len())?)?;
            let (start, end, step) = (starts.get(place)?, ends.get(place)?, *steps.get(place)?);
            *slot = slot.and_then(|size| {
                let length = usize::try_from(size).ok()?;
                let step = u64::try_from(step).ok().filter(|step| *step > 0)?;
                let (start, end) = (bound(*start, length)?, bound(*end, length)?);
                Some((end.saturating_sub(start) as u64).div_ceil(step))
            });
        }
        Some(shape)
    }

    fn split(&self, node: &Node) -> Vec<KnownTensor> {
        let parts = node.outputs.len();
        let of = |place: usize| {
            let mut shape = self.shape(node, 0)?.clone();
            let axis = axis(node.int("axis").unwrap_or(0), shape.len())?;
            let slot = shape.get_mut(axis)?;
            *slot = match self.numbers(node, "split", 1) {
                Some(sizes) => sizes.get(place).and_then(|size| sized(*size)),
                None => slot.map(|size| {
                    let each = size.div_ceil(parts.max(1) as u64);
                    size.saturating_sub(each.saturating_mul(place as u64)).min(each)
                }),
            };
            Some(shape)
        };
        (0..parts).map(|place| KnownTensor { shape: of(place), values: None }).collect()
    }

    fn reduced(&self, node: &Node) -> Option<Shape> {
        let shape = self.shape(node, 0)?;
        let axes = match node.operator.as_str() {
            "ArgMax" | "ArgMin" => vec![node.int("axis").unwrap_or(0)],
            _ => self.numbers(node, "axes", 1).unwrap_or_else(|| (0..shape.len() as i64).collect()),
        };
        let axes: Option<HashSet<usize>> = axes.iter().map(|at| axis(*at, shape.len())).collect();
        let axes = axes?;
        let keeps = node.int("keepdims").unwrap_or(1) == 1;
        let mut out = Vec::new();
        for (at, size) in shape.iter().enumerate() {
            match (axes.contains(&at), keeps) {
                (true, true) => out.push(Some(1)),
                (true, false) => {}
                (false, _) => out.push(*size),
            }
        }
        Some(out)
    }

    fn convolution(&self, node: &Node) -> Option<Shape> {
        let (x, w) = (self.shape(node, 0)?, self.shape(node, 1)?);
        let window = Window::for_node(node, x, w.get(2..)?)?;
        let mut out = vec![*x.first()?, *w.first()?];
        out.extend(window.sizes(x, false));
        Some(out)
    }

    fn transposed(&self, node: &Node) -> Option<Shape> {
        let (x, w) = (self.shape(node, 0)?, self.shape(node, 1)?);
        let groups = sized(node.int("group").unwrap_or(1))?;
        let window = Window::for_node(node, x, w.get(2..)?)?;
        let mut out = vec![*x.first()?, w.get(1)?.and_then(|size| size.checked_mul(groups))];
        out.extend(window.enlarged(node, x));
        Some(out)
    }

    fn pool(&self, node: &Node) -> Option<Shape> {
        let x = self.shape(node, 0)?;
        let kernel: Option<Shape> =
            node.ints("kernel_shape")?.iter().map(|size| sized(*size).map(Some)).collect();
        let window = Window::for_node(node, x, &kernel?)?;
        let mut out = vec![*x.first()?, *x.get(1)?];
        out.extend(window.sizes(x, node.int("ceil_mode") == Some(1)));
        Some(out)
    }
}
