//! The text of image instructions.

use super::{Printer, names};
use crate::counts::is_address;
use crate::form::{Item, Print};
use alloc::vec::Vec;
use core::fmt::{Result, Write};

impl Printer<'_> {
    pub(super) fn image(&mut self, print: Print, place: usize) -> Result {
        let value = self.number(place);
        if print == Print::Dim {
            return match names::DIMENSIONS.get(value as usize) {
                Some((name, _)) => write!(self.out, " dim:SQ_RSRC_IMG_{name}"),
                None => write!(self.out, " dim:SQ_RSRC_IMG_{value}"),
            };
        }
        match (value, self.source.generation.r128_is_a16()) {
            (0, _) => Ok(()),
            (_, true) => self.out.write_str(" a16"),
            (_, false) => self.out.write_str(" r128"),
        }
    }

    /// The whole text, with as many addresses as the dimension asks for.
    pub(super) fn image_instruction(&mut self) -> Result {
        let form = self.source.form;
        let is_address = |item: &Item| {
            let slot = form.slot(usize::from(item.slot));
            item.print == Print::Operand && slot.is_some_and(|slot| is_address(slot.name()))
        };
        let places: Vec<usize> =
            form.items().iter().filter(|item| is_address(item)).map(|item| usize::from(item.slot)).collect();
        let mut printed = false;
        let mut items = form.items().iter().peekable();
        while let Some(item) = items.next() {
            if item.print == Print::Text
                && items.peek().is_some_and(|next| is_address(next))
                && !places.is_empty()
            {
                if !printed {
                    printed = true;
                    self.out.push(item.string().text.trim_end_matches('['));
                    self.write_addresses(&places)?;
                }
            } else if is_address(item) {
            } else if item.print == Print::Text && printed {
                self.out.push(item.string().text.trim_start_matches(']'));
            } else {
                self.item(item)?;
            }
        }
        Ok(())
    }

    fn write_addresses(&mut self, places: &[usize]) -> Result {
        let count = self.source.image_sizes().used.min(places.len());
        if count > 1 {
            self.out.write_str("[")?;
        }
        for (number, place) in places.iter().take(count).enumerate() {
            if number > 0 {
                self.out.write_str(", ")?;
            }
            self.operand(*place)?;
        }
        if count > 1 { self.out.write_str("]") } else { Ok(()) }
    }
}
