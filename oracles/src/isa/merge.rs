//! Fewer rows that say the same: rows that differ in one fixed bit become one, rows inside another go.

use std::collections::BTreeMap;

/// Fixed bits and their values.
type Cube = (u128, u128);

/// Rows that are equal in all but their fixed bits: each with the families (a bit mask) in which it holds.
pub type Cubes = BTreeMap<Cube, u64>;

/// Merges until nothing changes; what each family accepts stays the same.
pub fn merge(cubes: &mut Cubes, bits: u32) {
    loop {
        let before = cubes.clone();
        for bit in (0..bits).map(|bit| 1 << bit) {
            join(cubes, bit);
        }
        absorb(cubes);
        if *cubes == before {
            return;
        }
    }
}

/// Joins the rows that differ in `bit` alone, where families have both.
fn join(cubes: &mut Cubes, bit: u128) {
    let low: Vec<Cube> =
        cubes.keys().filter(|(mask, value)| mask & bit != 0 && value & bit == 0).copied().collect();
    for (mask, value) in low {
        let other = (mask, value | bit);
        let both = cubes.get(&(mask, value)).copied().unwrap_or(0) & cubes.get(&other).copied().unwrap_or(0);
        if both != 0 {
            *cubes.entry((mask & !bit, value)).or_insert(0) |= both;
            for half in [(mask, value), other] {
                remove(cubes, half, both);
            }
        }
    }
}

/// Takes away the rows that a wider one holds.
fn absorb(cubes: &mut Cubes) {
    let mut order: Vec<Cube> = cubes.keys().copied().collect();
    order.sort_by_key(|(mask, value)| (mask.count_ones(), *mask, *value));
    for (at, &(mask, value)) in order.iter().enumerate() {
        let Some(&families) = cubes.get(&(mask, value)) else { continue };
        for &inner in order.get(at + 1..).unwrap_or_default() {
            if inner.0 & mask == mask && inner.1 & mask == value && inner != (mask, value) {
                remove(cubes, inner, families);
            }
        }
    }
}

fn remove(cubes: &mut Cubes, cube: Cube, families: u64) {
    if let Some(left) = cubes.get_mut(&cube) {
        *left &= !families;
        if *left == 0 {
            cubes.remove(&cube);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_differ_in_one_bit_join_where_families_have_both() {
        let mut cubes = Cubes::from([((0b11, 0b00), 0b111), ((0b11, 0b01), 0b011), ((0b11, 0b10), 0b001)]);
        merge(&mut cubes, 2);
        let expected = Cubes::from([((0b10, 0b00), 0b011), ((0b11, 0b00), 0b100), ((0b11, 0b10), 0b001)]);
        assert_eq!(cubes, expected);
    }

    #[test]
    fn a_row_inside_another_goes() {
        let mut cubes = Cubes::from([((0b100, 0b100), 0b01), ((0b110, 0b110), 0b11)]);
        merge(&mut cubes, 3);
        assert_eq!(cubes, Cubes::from([((0b100, 0b100), 0b01), ((0b110, 0b110), 0b10)]));
    }
}
