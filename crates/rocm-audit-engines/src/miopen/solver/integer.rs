//! The integer type for the arithmetic of rules.

use std::ops::{Add, Div, Mul, Rem, Sub};

/// An integer that saturates. A key may contain any `u32`, so a product of five of them exceeds 64 bits; the
/// largest limit in a rule is far below the bound, so such a product correctly compares as too large.
/// Division by zero, which only an invalid key can cause, gives zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Integer(pub i64);

impl Integer {
    /// One.
    pub const ONE: Integer = Integer(1);

    /// The quotient rounded up.
    #[must_use]
    pub fn ceil_div(self, by: Integer) -> Integer {
        (self + by - Integer(1)) / by
    }

    /// The next multiple of `of`.
    #[must_use]
    pub fn round_up(self, of: Integer) -> Integer {
        self.ceil_div(of) * of
    }

    /// The greatest common divisor.
    #[must_use]
    pub fn gcd(self, other: Integer) -> Integer {
        if other.0 == 0 { self } else { other.gcd(self % other) }
    }

    /// Whether this is a multiple of `of`.
    pub fn is_multiple(self, of: i64) -> bool {
        (self % Integer(of)).0 == 0
    }
}

impl From<u32> for Integer {
    fn from(value: u32) -> Self {
        Integer(i64::from(value))
    }
}

impl From<bool> for Integer {
    fn from(value: bool) -> Self {
        Integer(i64::from(value))
    }
}

impl PartialEq<i64> for Integer {
    fn eq(&self, other: &i64) -> bool {
        self.0 == *other
    }
}

impl PartialOrd<i64> for Integer {
    fn partial_cmp(&self, other: &i64) -> Option<std::cmp::Ordering> {
        self.0.partial_cmp(other)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $how:expr;)*) => {$(
        impl $trait for Integer {
            type Output = Integer;
            #[inline]
            fn $method(self, other: Integer) -> Integer {
                let how: fn(i64, i64) -> i64 = $how;
                Integer(how(self.0, other.0))
            }
        }

        impl $trait<i64> for Integer {
            type Output = Integer;
            #[inline]
            fn $method(self, other: i64) -> Integer {
                $trait::$method(self, Integer(other))
            }
        }
    )*};
}

operators! {
    Add add i64::saturating_add;
    Sub sub i64::saturating_sub;
    Mul mul i64::saturating_mul;
    Div div |a, b| a.checked_div_euclid(b).unwrap_or(if b == 0 { 0 } else { i64::MAX });
    Rem rem |a, b| a.checked_rem_euclid(b).unwrap_or(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_saturates_and_never_stops() {
        let most = Integer(i64::MAX);
        assert_eq!(most * most + most, most);
        assert_eq!(most / Integer(0), Integer(0));
        assert_eq!(Integer(i64::MIN) / Integer(-1), most);
        assert_eq!(Integer(7).ceil_div(Integer(2)), Integer(4));
        assert_eq!(Integer(12).gcd(Integer(18)), Integer(6));
        assert_eq!(Integer(-3) % Integer(16), Integer(13));
    }
}
