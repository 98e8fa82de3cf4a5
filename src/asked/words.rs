//! Suggestions for an unknown word.

/// Suggestions for an unknown word: all known words that begin with it, else the nearest one.
pub fn similar<'k>(word: &str, known: impl Iterator<Item = &'k str> + Clone) -> Vec<&'k str> {
    let begins: Vec<&str> = known.clone().filter(|name| word.len() >= 3 && name.starts_with(word)).collect();
    if !begins.is_empty() {
        return begins;
    }
    let near = known.min_by_key(|name| distance(name, word)).filter(|name| distance(name, word) <= 2);
    near.into_iter().collect()
}

/// A question that offers suggestions: ` (is gfx1030 or gfx1031 meant?)`; empty without any.
pub fn meant(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => format!(" (is {one} meant?)"),
        [others @ .., last] => format!(" (is {} or {last} meant?)", others.join(", ")),
    }
}

/// Longest word to compare with known ones, in bytes.
const LONGEST_NAME: usize = 256;

/// Edit distance; the largest number if a word is too long.
pub fn distance(a: &str, b: &str) -> usize {
    // No known name is this long, so none is similar.
    if a.len().max(b.len()) > LONGEST_NAME {
        return usize::MAX;
    }
    let mut row: Vec<usize> = (0..=b.chars().count()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = i;
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
        for (j, y) in b.chars().enumerate() {
            let (left, above) = (row.get(j).copied().unwrap_or(0), row.get(j + 1).copied().unwrap_or(0));
            let cost = (diagonal + usize::from(x != y)).min(left + 1).min(above + 1);
            diagonal = above;
            if let Some(slot) = row.get_mut(j + 1) {
                *slot = cost;
            }
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edit_distance() {
        assert_eq!(distance("fatbin", "fatbn"), 1);
        assert_eq!(distance("fatbin", "fatbin"), 0);
        assert_eq!(distance("", "abc"), 3);
    }
}
