//! Counts the contents of a find-db in one pass.

use super::find_db;
use super::find_db::ItemForm;
use super::problem::Direction;
use super::text;
use super::text::Malformed;
use std::collections::{BTreeMap, HashSet};

/// Malformed lines and items kept with line and offset; further ones are only counted.
const KEPT: usize = 100;

/// Counts for one find-db.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Census {
    /// Lines whose key no earlier line has.
    pub records: u64,
    /// Items in these records.
    pub entries: u64,
    /// Items by form.
    pub forms: BTreeMap<ItemForm, u64>,
    /// Records by data type, if the key is valid.
    pub data_types: BTreeMap<String, u64>,
    /// Records by direction: forward, backward data, backward weights.
    pub directions: [u64; 3],
    /// Records of 3D problems.
    pub three_dimensional: u64,
    /// Records of 3D problems with the layout NCHW, which no 3D request has.
    pub three_dimensional_nchw: u64,
    /// Records with the layout NHWC or NDHWC.
    pub channels_last: u64,
    /// Records with groups.
    pub grouped: u64,
    /// Records with a dilation above 1.
    pub dilated: u64,
    /// Keys outside of the grammar.
    pub unparsable_keys: u64,
    /// Items in records with such keys.
    pub entries_of_unparsable_keys: u64,
    /// Lines whose key an earlier line has.
    pub duplicate_keys: u64,
    /// Lines without a key.
    pub ill_formed_lines: u64,
    /// Items outside of the grammar, or with a repeated solver.
    pub malformed_items: u64,
    /// The first malformed lines and items, in order.
    pub malformed: Vec<Malformed>,
}

impl Census {
    /// Counts the records and items of a find-db.
    pub fn count(bytes: &[u8]) -> Census {
        let mut census = Census::default();
        let mut keys: HashSet<&[u8]> = HashSet::with_capacity(bytes.len() / 320);
        for record in text::records(bytes) {
            let record = match record {
                Ok(record) => record,
                Err(malformed) => {
                    census.ill_formed_lines += 1;
                    census.keep(malformed);
                    continue;
                }
            };
            if !keys.insert(record.key) {
                census.duplicate_keys += 1;
                census.keep(Malformed {
                    line: record.line,
                    offset: record.offset,
                    expected: "a key that no earlier line has",
                });
                continue;
            }
            census.records += 1;
            let before = census.entries;
            for item in find_db::items(&record) {
                match item {
                    Ok(item) => {
                        census.entries += 1;
                        *census.forms.entry(item.form).or_default() += 1;
                    }
                    Err(malformed) => {
                        census.malformed_items += 1;
                        census.keep(malformed);
                    }
                }
            }
            if let Err(malformed) = census.count_key(&record) {
                census.unparsable_keys += 1;
                census.entries_of_unparsable_keys += census.entries - before;
                census.keep(malformed);
            }
        }
        census
    }

    fn count_key(&mut self, record: &text::Record<'_>) -> Result<(), Malformed> {
        let problem = record.problem()?;
        match self.data_types.get_mut(problem.data_type) {
            Some(count) => *count += 1,
            None => {
                self.data_types.insert(problem.data_type.to_owned(), 1);
            }
        }
        let [forward, backward_data, backward_weights] = &mut self.directions;
        *match problem.direction {
            Direction::Forward => forward,
            Direction::BackwardData => backward_data,
            Direction::BackwardWeights => backward_weights,
        } += 1;
        self.three_dimensional += u64::from(problem.dimensions == 3);
        self.three_dimensional_nchw += u64::from(problem.has_layout_of_fewer_dimensions());
        self.channels_last += u64::from(problem.layouts.iter().any(|l| matches!(*l, "NHWC" | "NDHWC")));
        self.grouped += u64::from(problem.groups > 1);
        self.dilated += u64::from(problem.dilation.iter().any(|&d| d > 1));
        Ok(())
    }

    fn keep(&mut self, malformed: Malformed) {
        if self.malformed.len() < KEPT {
            self.malformed.push(malformed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_counted_once() {
        let key = "16-7-7-1x1-16-7-7-1-0x0-1x1-1x1-0-NCHW-FP32";
        let item = "S:1,0,miopenConvolutionFwdAlgoDirect";
        let text = format!("{key}-F={item};{item}\nnothing\n{key}-B_g2={item}\n{key}-F={item}\nx={item}\n");
        let census = Census::count(text.as_bytes());
        assert_eq!((census.records, census.entries, census.directions), (3, 3, [1, 1, 0]));
        assert_eq!((census.grouped, census.unparsable_keys, census.duplicate_keys), (1, 1, 1));
        assert_eq!((census.ill_formed_lines, census.malformed_items), (1, 1));
        let lines: Vec<_> = census.malformed.iter().map(|m| m.line).collect();
        assert_eq!(lines, [1, 2, 4, 5]);
    }
}
