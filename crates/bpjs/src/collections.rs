//! Maps and sets, in the order of insertion. A set is a map of its elements to nothing. What goes through a collection
//! while it may change is not read: `forEach`, iterators, and loops over it.

use super::heap::Heap;
use super::value::{Cell, Res, Value, argument, unsupported};

const HINT: &str = "make an array of it: `Array.from(collection)`";

impl Heap {
    /// Returns the entries if the value is a map or a set, and whether it is a set.
    pub(super) fn entries(&self, value: &Value) -> Option<(&Vec<(Value, Value)>, bool)> {
        let Value::Ref(at) = value else { return None };
        if let Cell::Map(entries, is_set) = self.get(*at) { Some((entries, *is_set)) } else { None }
    }

    /// Returns the elements of a set, or the pairs of a map.
    pub(super) fn listed(&mut self, value: &Value) -> Res<Option<Vec<Value>>> {
        let Some((entries, is_set)) = self.entries(value) else { return Ok(None) };
        let entries = entries.clone();
        self.charge(entries.len())?;
        let pair = |(key, value)| if is_set { Ok(key) } else { self.alloc(Cell::Array(vec![key, value])) };
        entries.into_iter().map(pair).collect::<Res<_>>().map(Some)
    }

    /// Makes the collection of an iterable value.
    pub(super) fn new_map(&mut self, source: &Value, is_set: bool) -> Res<Value> {
        let map = self.alloc(Cell::Map(Vec::new(), is_set))?;
        let items = if source.is_nullish() { Vec::new() } else { self.iterate(source)? };
        for item in items {
            if is_set {
                self.put_entry(&map, item, Value::Undefined)?;
                continue;
            }
            if self.array(&item).is_none() {
                return Err(unsupported("a map of what are no arrays is not read", "give a list of pairs: `[[1, 2]]`"));
            }
            let [key, value] = [0.0, 1.0].map(|at| self.get_index(&item, &Value::num(at)));
            self.put_entry(&map, key?, value?)?;
        }
        Ok(map)
    }

    /// Returns the place of a key. NaN is equal to itself.
    fn find_entry(&mut self, map: &Value, key: &Value) -> Res<Option<usize>> {
        let keys: Vec<Value> =
            self.entries(map).into_iter().flat_map(|(all, _)| all.iter().map(|(key, _)| key.clone())).collect();
        self.charge(keys.len())?;
        for (at, known) in keys.iter().enumerate() {
            let is_number = matches!((known, key), (Value::Num(_), Value::Num(_)));
            if (is_number && known == key) || self.strict_equals(known, key)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    fn put_entry(&mut self, map: &Value, key: Value, value: Value) -> Res<()> {
        // The key `-0` is `0`.
        let key = if let Value::Num(number) = key { Value::num(number.get() + 0.0) } else { key };
        let place = self.find_entry(map, &key)?;
        self.charge(2)?;
        if let Value::Ref(at) = map
            && let Cell::Map(entries, _) = self.get_mut(*at)?
        {
            match place {
                Some(place) => entries[place].1 = value,
                None => entries.push((key, value)),
            }
        }
        Ok(())
    }

    /// Refuses a loop over a collection, which may change in the loop.
    pub(super) fn check_loop(&self, value: &Value) -> Res<()> {
        match self.entries(value) {
            Some(_) => Err(unsupported("a map or a set is not gone through itself", HINT)),
            None => Ok(()),
        }
    }

    /// Calls a method of a map or a set. `None` if there is no such method.
    pub(super) fn map_method(&mut self, map: &Value, name: &str, arguments: &[Value]) -> Res<Option<Value>> {
        let (Value::Ref(at), Some((_, is_set))) = (map, self.entries(map)) else { return Ok(None) };
        let (first, second) = (argument(arguments, 0), argument(arguments, 1));
        Ok(Some(match (name, is_set) {
            ("has", _) => Value::Bool(self.find_entry(map, &first)?.is_some()),
            ("get", false) => {
                let place = self.find_entry(map, &first)?;
                let found = place.and_then(|place| Some(self.entries(map)?.0[place].1.clone()));
                found.unwrap_or(Value::Undefined)
            }
            ("add", true) => {
                self.put_entry(map, first, Value::Undefined)?;
                map.clone()
            }
            ("set", false) => {
                self.put_entry(map, first, second)?;
                map.clone()
            }
            ("delete", _) => {
                let place = self.find_entry(map, &first)?;
                if let (Some(place), Cell::Map(entries, _)) = (place, self.get_mut(*at)?) {
                    entries.remove(place);
                }
                Value::Bool(place.is_some())
            }
            ("clear", _) => {
                if let Cell::Map(entries, _) = self.get_mut(*at)? {
                    entries.clear();
                }
                Value::Undefined
            }
            ("forEach" | "keys" | "values" | "entries", _) => {
                return Err(unsupported(format!("`{name}` of a map or a set is not read"), HINT));
            }
            _ => return Ok(None),
        }))
    }
}
