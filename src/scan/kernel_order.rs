//! Rows of the kernel inventory in another order than that of files, or only the first of them.

use super::kernel_field::KernelField;
use super::kernel_sink::KernelSink;
use crate::error::NotUnderstood;
use crate::inventory::kernel_row::KernelRow;
use std::cmp::Reverse;
use std::io;

/// By what rows are sorted.
#[derive(Debug, Clone, Copy)]
pub enum KernelOrder {
    /// By a number, the largest first; kernels that do not state it come last.
    Largest(&'static KernelField),
    /// By a number, the smallest first; kernels that do not state it come last.
    Smallest(&'static KernelField),
    /// By the name as it is shown.
    Name,
}

impl KernelOrder {
    /// Reads `vgprs`, `vgprs:asc` or `name`.
    ///
    /// # Errors
    /// What is not known of it, and what there is.
    pub fn parse(text: &str) -> Result<Self, NotUnderstood> {
        let (name, direction) = text.split_once(':').unwrap_or((text, ""));
        match (name, direction) {
            ("name", "" | "asc") => Ok(KernelOrder::Name),
            (_, "" | "desc") if name != "name" => Ok(KernelOrder::Largest(KernelField::by_name(name)?)),
            (_, "asc") => Ok(KernelOrder::Smallest(KernelField::by_name(name)?)),
            _ => Err(format!("{text:?} is no order: a field, `FIELD:asc`, or `name`").into()),
        }
    }

    /// Whether machine code has to be decoded for it.
    pub fn needs_code(self) -> bool {
        match self {
            KernelOrder::Largest(field) | KernelOrder::Smallest(field) => field.of_code,
            KernelOrder::Name => false,
        }
    }

    fn sort(self, rows: &mut [KernelRow]) {
        match self {
            KernelOrder::Largest(field) => {
                rows.sort_by_key(|row| Reverse((field.value)(&row.kernel, &row.place.target)))
            }
            KernelOrder::Smallest(field) => {
                rows.sort_by_key(|row| {
                    let value = (field.value)(&row.kernel, &row.place.target);
                    (value.is_none(), value)
                });
            }
            KernelOrder::Name => rows.sort_by(|a, b| shown(a).cmp(shown(b))),
        }
    }
}

fn shown(row: &KernelRow) -> &str {
    row.demangled.as_deref().unwrap_or(row.kernel.name())
}

/// Hands rows on in an order, up to a number of them. What is equal stays in the order of the files.
pub struct Ordered<'a> {
    sink: &'a mut dyn KernelSink,
    order: Option<KernelOrder>,
    limit: Option<usize>,
    kept: Vec<KernelRow>,
    seen: u64,
}

impl<'a> Ordered<'a> {
    /// Rows for a sink. Without an order nothing is held; with one and a limit, at most twice as many rows as
    /// that.
    pub fn new(sink: &'a mut dyn KernelSink, order: Option<KernelOrder>, limit: Option<usize>) -> Self {
        Ordered { sink, order, limit, kept: Vec::new(), seen: 0 }
    }

    /// Hands on what is held, and says how many rows came in all.
    ///
    /// # Errors
    /// As the sink.
    pub fn finish(mut self) -> io::Result<u64> {
        self.cut();
        self.sink.rows(self.kept)?;
        Ok(self.seen)
    }

    /// Sorts what is held, and drops what is beyond the limit.
    fn cut(&mut self) {
        if let Some(order) = self.order {
            order.sort(&mut self.kept);
        }
        self.kept.truncate(self.limit.unwrap_or(usize::MAX));
    }
}

impl KernelSink for Ordered<'_> {
    fn rows(&mut self, mut rows: Vec<KernelRow>) -> io::Result<()> {
        let before = usize::try_from(self.seen).unwrap_or(usize::MAX);
        self.seen += rows.len() as u64;
        if self.order.is_some() {
            self.kept.extend(rows);
            if self.limit.is_some_and(|limit| self.kept.len() / 2 > limit) {
                self.cut();
            }
            return Ok(());
        }
        rows.truncate(self.limit.map_or(usize::MAX, |limit| limit.saturating_sub(before)));
        if rows.is_empty() { Ok(()) } else { self.sink.rows(rows) }
    }
}
