//! What a word that is not known may mean.

/// What a word that is not known may mean: all that begin with it, else the nearest.
pub fn similar<'k>(word: &str, known: impl Iterator<Item = &'k str> + Clone) -> Vec<&'k str> {
    let begins: Vec<&str> = known.clone().filter(|name| word.len() >= 3 && name.starts_with(word)).collect();
    if !begins.is_empty() {
        return begins;
    }
    let near = known.min_by_key(|name| distance(name, word)).filter(|name| distance(name, word) <= 2);
    near.into_iter().collect()
}

/// A question that names what may be meant: ` (is gfx1030 or gfx1031 meant?)`; nothing where that is not known.
pub fn meant(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => format!(" (is {one} meant?)"),
        [others @ .., last] => format!(" (is {} or {last} meant?)", others.join(", ")),
    }
}

/// Longest word that is compared with what is known, in bytes.
const LONGEST_NAME: usize = 256;

/// Edit distance; of words that are too long, the largest.
pub fn distance(a: &str, b: &str) -> usize {
    // No name is so long: what is, is near to none.
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
