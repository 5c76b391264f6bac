//! Values without a fixed size, such as lists and maps, in one slot: each different value gets a number.
//!
//! The values stay in memory until the process ends, so that a number has the same meaning in a search, in the check
//! of its evidence, and when a run is shown. A value is numbered when it is first met. So numbers differ from run to
//! run if several threads search, but answers do not depend on them.

use indexmap::IndexSet;
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, RwLock};

/// The values of a type that have numbers.
type Table<T> = RwLock<IndexSet<T>>;

/// For each type: its table.
static TABLES: LazyLock<Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>> = LazyLock::new(Mutex::default);

thread_local! {
    /// The tables that this thread has used.
    static KNOWN: RefCell<HashMap<TypeId, Arc<dyn Any + Send + Sync>>> = RefCell::default();
}

/// Calls `use_it` with the table of a type.
fn with_table<T: Countable, R>(use_it: impl FnOnce(&Table<T>) -> R) -> R {
    let new = || Arc::new(Table::<T>::default()) as Arc<dyn Any + Send + Sync>;
    let shared = || {
        Arc::clone(TABLES.lock().unwrap_or_else(PoisonError::into_inner).entry(TypeId::of::<T>()).or_insert_with(new))
    };
    let table = KNOWN.with_borrow_mut(|known| Arc::clone(known.entry(TypeId::of::<T>()).or_insert_with(shared)));
    use_it(table.downcast_ref().expect("the table has the type of its key"))
}

/// Returns the number of a value.
///
/// # Panics
/// If a type has more than 2^32 values.
pub fn number_of<T: Countable>(value: &T) -> u32 {
    with_table(|table: &Table<T>| {
        let known = table.read().unwrap_or_else(PoisonError::into_inner).get_index_of(value);
        let number =
            known.unwrap_or_else(|| table.write().unwrap_or_else(PoisonError::into_inner).insert_full(value.clone()).0);
        u32::try_from(number).expect("memory ends earlier")
    })
}

/// Returns the value with this number.
///
/// # Panics
/// If no value has this number.
#[must_use]
pub fn value_of<T: Countable>(number: u32) -> T {
    with_table(|table: &Table<T>| {
        let values = table.read().unwrap_or_else(PoisonError::into_inner);
        values.get_index(number as usize).expect("the number was given to a value").clone()
    })
}

/// Implements [`Slots`](crate::own::Slots) for types that are `Clone`, `Eq`, `Hash`, `Send` and `Sync`, with one slot
/// for the whole value.
///
/// ```
/// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
/// enum Message { Ask { from: u8 }, Answer(Vec<u8>) }
/// impasse_model::interned!(Message);
/// ```
#[macro_export]
macro_rules! interned {
    (for [$($generics:tt)*] $type:ty) => {
        impl<$($generics)*> $crate::own::Slots for $type {
            fn sizes(out: &mut Vec<u64>) {
                out.push(1 << 32);
            }

            fn put(&self, out: &mut Vec<u32>) {
                out.push($crate::own::number_of(self));
            }

            fn take(from: &mut std::slice::Iter<'_, u32>) -> Self {
                $crate::own::value_of($crate::own::slot(from))
            }
        }
    };
    ($($type:ty),* $(,)?) => {
        $($crate::interned!(for [] $type);)*
    };
}

/// What values have that can be numbered.
pub trait Countable: Clone + Eq + Hash + Send + Sync + 'static {}

impl<T: Clone + Eq + Hash + Send + Sync + 'static> Countable for T {}

interned!(String);
interned!(for [T: Countable] Vec<T>);
interned!(for [T: Countable] VecDeque<T>);
interned!(for [T: Countable + Ord] BTreeSet<T>);
interned!(for [K: Countable + Ord, V: Countable] BTreeMap<K, V>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own::Slots;

    #[test]
    fn equal_values_have_one_number() {
        let long: Vec<u8> = (0..200).collect();
        assert_eq!(number_of(&long), number_of(&long.clone()));
        assert_ne!(number_of(&long), number_of(&Vec::<u8>::new()));
        // Each type has numbers of its own.
        assert_eq!(value_of::<Vec<u8>>(number_of(&long)), long);
        let map = BTreeMap::from([(3u64, "three".to_owned())]);
        let (mut slots, mut sizes) = (Vec::new(), Vec::new());
        map.put(&mut slots);
        BTreeMap::<u64, String>::sizes(&mut sizes);
        assert_eq!((slots.len(), sizes), (1, vec![1 << 32]));
        assert_eq!(BTreeMap::take(&mut slots.iter()), map);
    }

    #[test]
    fn threads_agree_on_numbers() {
        let numbers: Vec<u32> = std::thread::scope(|scope| {
            let of = |i: u64| scope.spawn(move || number_of(&vec![i % 3; 5]));
            let threads: Vec<_> = (0..9).map(of).collect();
            threads.into_iter().map(|thread| thread.join().expect("it ends")).collect()
        });
        for (i, number) in numbers.iter().enumerate() {
            assert_eq!(*number, numbers[i % 3]);
            assert_eq!(value_of::<Vec<u64>>(*number), vec![i as u64 % 3; 5]);
        }
    }
}
