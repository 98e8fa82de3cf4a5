//! A map in the order of its keys whose tree is compiled once for each type of key.
//!
//! The standard library's tree is seven kilobytes of code for each pair of types, and five more where it is
//! collected, since it sorts first. Reports gather values of fifty types by a few types of keys: here the tree
//! holds places, and the values lie in a vector.

use serde::{Serialize, Serializer};
use std::borrow::Borrow;
use std::collections::{BTreeMap, btree_map};
use std::fmt;
use std::ops::Index;

/// Values by key, in the order of keys: as `BTreeMap`, whose functions' names it has.
#[derive(Clone)]
pub struct KeyMap<K, V> {
    /// Where in `values` the value of a key is.
    places: BTreeMap<K, usize>,
    values: Vec<V>,
}

impl<K, V> KeyMap<K, V> {
    /// A map without keys.
    pub const fn new() -> Self {
        KeyMap { places: BTreeMap::new(), values: Vec::new() }
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Keys with their values, in the order of keys.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { places: self.places.iter(), values: &self.values }
    }

    /// Keys in their order.
    pub fn keys(&self) -> btree_map::Keys<'_, K, usize> {
        self.places.keys()
    }

    /// Keys in their order; the values are dropped.
    pub fn into_keys(self) -> btree_map::IntoKeys<K, usize> {
        self.places.into_keys()
    }

    /// Values in the order of keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator + Clone + use<'_, K, V> {
        self.places.values().map(|place| &self.values[*place])
    }

    /// Values in the order of keys; the keys are dropped.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.into_iter().map(|(_, value)| value)
    }

    /// Takes all keys and values out.
    pub fn clear(&mut self) {
        self.places.clear();
        self.values.clear();
    }

    /// Values to be changed, in the order in which their keys were inserted.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.values.iter_mut()
    }
}

impl<K: Ord, V> KeyMap<K, V> {
    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.values.get(*self.places.get(key)?)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.values.get_mut(*self.places.get(key)?)
    }

    /// The first key with its value.
    pub fn first_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    /// The last key with its value.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next_back()
    }

    /// Whether it has a value for a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.places.contains_key(key)
    }

    /// Gives a key a value; returns the one that it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let next = self.values.len();
        let place = *self.places.entry(key).or_insert(next);
        match self.values.get_mut(place) {
            Some(old) => Some(std::mem::replace(old, value)),
            None => {
                self.values.push(value);
                None
            }
        }
    }

    /// The place of a key, for a value that is there or is put there.
    pub fn entry(&mut self, key: K) -> Entry<'_, K, V> {
        Entry { key, map: self }
    }
}

/// The place of a key: [`KeyMap::entry`].
#[must_use = "nothing is put there before a function of it is called"]
pub struct Entry<'a, K, V> {
    key: K,
    map: &'a mut KeyMap<K, V>,
}

impl<'a, K: Ord, V> Entry<'a, K, V> {
    /// Changes the value that is there.
    pub fn and_modify(self, change: impl FnOnce(&mut V)) -> Self {
        if let Some(value) = self.map.get_mut(&self.key) {
            change(value);
        }
        self
    }

    /// The value that is there, or the one of the function, which is put there.
    pub fn or_insert_with(self, value: impl FnOnce() -> V) -> &'a mut V {
        let KeyMap { places, values } = self.map;
        let place = *places.entry(self.key).or_insert(values.len());
        if place == values.len() {
            values.push(value());
        }
        &mut values[place]
    }

    /// The value that is there, or this one, which is put there.
    pub fn or_insert(self, value: V) -> &'a mut V {
        self.or_insert_with(|| value)
    }

    /// The value that is there, or the default, which is put there.
    pub fn or_default(self) -> &'a mut V
    where
        V: Default,
    {
        self.or_insert_with(V::default)
    }
}

/// Keys with their values, in the order of keys.
pub struct Iter<'a, K, V> {
    places: btree_map::Iter<'a, K, usize>,
    values: &'a [V],
}

impl<K, V> Clone for Iter<'_, K, V> {
    fn clone(&self) -> Self {
        Iter { places: self.places.clone(), values: self.values }
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        self.places.next().map(|(key, place)| (key, &self.values[*place]))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl<K, V> DoubleEndedIterator for Iter<'_, K, V> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.places.next_back().map(|(key, place)| (key, &self.values[*place]))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

/// Keys and values, taken out of the map in the order of keys.
pub struct IntoIter<K, V> {
    places: btree_map::IntoIter<K, usize>,
    values: Vec<Option<V>>,
}

impl<K, V> Iterator for IntoIter<K, V> {
    type Item = (K, V);

    fn next(&mut self) -> Option<Self::Item> {
        let (key, place) = self.places.next()?;
        Some((key, self.values.get_mut(place)?.take()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl<K, V> IntoIterator for KeyMap<K, V> {
    type Item = (K, V);
    type IntoIter = IntoIter<K, V>;

    fn into_iter(self) -> IntoIter<K, V> {
        IntoIter { places: self.places.into_iter(), values: self.values.into_iter().map(Some).collect() }
    }
}

impl<'a, K, V> IntoIterator for &'a KeyMap<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<K, V> Default for KeyMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Ord, V> Extend<(K, V)> for KeyMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        for (key, value) in pairs {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for KeyMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        let mut map = Self::new();
        map.extend(pairs);
        map
    }
}

impl<K: Ord, V, const N: usize> From<[(K, V); N]> for KeyMap<K, V> {
    fn from(pairs: [(K, V); N]) -> Self {
        pairs.into_iter().collect()
    }
}

impl<K: Ord + Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for KeyMap<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        &self.values[self.places[key]]
    }
}

impl<K: PartialEq, V: PartialEq> PartialEq for KeyMap<K, V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq> Eq for KeyMap<K, V> {}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for KeyMap<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Serialize, V: Serialize> Serialize for KeyMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::KeyMap;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn a_key_map_is_a_map_in_the_order_of_keys(
            pairs in prop::collection::vec((0u8..20, any::<u16>()), 0..80),
            asked in 0u8..20,
        ) {
            let mut ours: KeyMap<u8, u16> = pairs.iter().copied().collect();
            let mut expected: BTreeMap<u8, u16> = pairs.iter().copied().collect();
            prop_assert!(ours.iter().eq(expected.iter()));
            prop_assert!(ours.iter().rev().eq(expected.iter().rev()));
            prop_assert!(ours.values().eq(expected.values()));
            prop_assert_eq!((ours.len(), ours.is_empty()), (expected.len(), expected.is_empty()));
            prop_assert_eq!(ours.get(&asked), expected.get(&asked));
            prop_assert_eq!(ours.contains_key(&asked), expected.contains_key(&asked));
            prop_assert_eq!(format!("{ours:?}"), format!("{expected:?}"));
            *ours.entry(asked).and_modify(|value| *value ^= 2).or_insert(7) ^= 1;
            *expected.entry(asked).and_modify(|value| *value ^= 2).or_insert(7) ^= 1;
            prop_assert_eq!(ours.insert(asked / 2, 3), expected.insert(asked / 2, 3));
            ours.values_mut().for_each(|value| *value |= 4);
            expected.values_mut().for_each(|value| *value |= 4);
            prop_assert_eq!(ours[&asked], expected[&asked]);
            prop_assert_eq!(&ours, &expected.iter().rev().map(|(key, value)| (*key, *value)).collect());
            prop_assert!(ours.into_iter().eq(expected));
        }
    }
}
