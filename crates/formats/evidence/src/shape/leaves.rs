//! Forms of lists, numbers and names.

use super::{BREAKS, Input, LINES, Output, Shape, Style, shape};
use formats::json::{Res, string};
use formats::{codes, printable};
use model::{EventId, Goal, LatchId, LocalId, LocationId, PlaceId, PortId, ThreadId, TransitionId};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use std::io;
use std::sync::Arc;

/// The largest number of digits of a number.
const DIGITS: usize = 1000;

/// Implements [`Shape`] for types that are numbers in JSON.
macro_rules! numbers {
    ($($type:ty: $numbers:literal),+) => {$(
        impl Shape for $type {
            const NUMBERS: usize = $numbers;

            fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
                to.plain(self)
            }

            fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
                from.number(concat!("a number (", stringify!($type), ")"))
            }

            fn write_list(list: &[Self], to: &mut Output<'_>) -> io::Result<()> {
                to.plain(list)
            }
        }
    )+};
}

numbers! { u32: 1, u64: 2, usize: 2, i32: 1, i64: 2 }

shape! { ThreadId = (number) => {ThreadId(number)} }
shape! { LocalId = (number) => {LocalId(number)} }
shape! { LatchId = (number) => {LatchId(number)} }
shape! { PortId = (number) => {PortId(number)} }
shape! { LocationId = (number) => {LocationId(number)} }

/// A list of truth values about places is the list of the places for which they are true.
impl Shape for bool {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        to.text(if *self { "true" } else { "false" })
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        from.word("true or false")
    }

    fn write_list(list: &[Self], to: &mut Output<'_>) -> io::Result<()> {
        let places: Vec<PlaceId> = (0..list.len()).filter(|at| list[*at]).map(PlaceId::new).collect();
        places.write_to(to)
    }

    fn read_list(from: &mut Input<'_, '_>) -> Res<Vec<Self>> {
        let mut list = vec![false; from.scope.names.places.count];
        let (mut last, is_ordered) = (None, matches!(from.scope.style, Style::Listed(_)));
        from.take(list.len() / 8)?;
        from.list(|from| {
            let (start, place) = (from.here(), PlaceId::read_from(from)?);
            if std::mem::replace(&mut list[place.index()], true) {
                return Err(from.wrong(start, "a place stands here twice"));
            }
            if last.replace(place) > Some(place) && is_ordered {
                return Err(from.wrong(start, "a list of places that is not ascending"));
            }
            Ok(())
        })?;
        Ok(list)
    }
}

impl Shape for Arc<str> {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        to.text(&string(self))
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        from.string("a string").map(Self::from)
    }
}

impl<T: Shape> Shape for Box<T> {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        (**self).write_to(to)
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        from.read().map(Self::new)
    }
}

impl<T: Shape> Shape for Arc<T> {
    const BEFORE: [&'static str; 2] = T::BEFORE;
    const LEFT_OUT: bool = T::LEFT_OUT;

    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        (**self).write_to(to)
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        from.read().map(Self::new)
    }
}

impl<T: Shape> Shape for Option<T> {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        match self {
            Some(value) => value.write_to(to),
            None => to.text("null"),
        }
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        match from.peek() {
            b'n' => from.value().map(|_| None),
            _ => from.read().map(Some),
        }
    }

    fn is_left_out(&self) -> bool {
        T::LEFT_OUT && self.is_none()
    }

    fn left_out() -> Option<Self> {
        Some(None)
    }
}

impl<T: Shape> Shape for Vec<T> {
    const BEFORE: [&'static str; 2] = T::LISTS;

    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        T::write_list(self, to)
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        T::read_list(from)
    }
}

impl<T: Shape> Shape for Box<[T]> {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        T::write_list(self, to)
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        T::read_list(from).map(Vec::into_boxed_slice)
    }
}

/// A pair is an array of two elements, or an object if its first part says so.
impl<A: Shape, B: Shape> Shape for (A, B) {
    const BEFORE: [&'static str; 2] = if A::KEYS.is_some() { LINES } else { ["", ","] };

    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        let (parts, end) = match A::KEYS {
            Some([first, second]) => (["{\"", first, "\":", ",\"", second, "\":"], "}"),
            None => (["[", "", "", ",", "", ""], "]"),
        };
        parts[..3].iter().try_for_each(|part| to.text(part))?;
        self.0.write_to(to)?;
        parts[3..].iter().try_for_each(|part| to.text(part))?;
        self.1.write_to(to)?;
        to.text(end)
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        let (start, mut first, mut second) = (from.here(), None, None);
        let keys = A::KEYS.unwrap_or(["first", "second"]);
        let mut read = |from: &mut Input<'_, '_>, is_first: bool| {
            match is_first {
                true => first = Some(A::read_from(from)?),
                false => second = Some(B::read_from(from)?),
            }
            Ok(())
        };
        match A::KEYS {
            Some(keys) => from.object(&keys, |from, key| read(from, key == keys[0]))?,
            None => {
                let mut is_first = true;
                from.array(2, |from| read(from, std::mem::take(&mut is_first)))?;
            }
        }
        Ok((from.found(start, keys[0], first)?, from.found(start, keys[1], second)?))
    }
}

/// A number is a string if it has more than 64 bits, and in certificates with numbers in strings.
impl Shape for BigInt {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        match (&to.scope.style, self.to_i64()) {
            (Style::Used(_), _) => Ok(()),
            (Style::Numbers, _) | (_, None) => write!(to.out, "\"{self}\""),
            (_, Some(small)) => small.write_to(to),
        }
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        if from.peek() != b'"' && !matches!(from.scope.style, Style::Numbers) {
            return from.number::<i64>("a number of at most 64 bits, or a string with a number").map(Self::from);
        }
        let (start, digits) = (from.here(), from.string("a string with a number")?);
        let parsed = if digits.len() <= DIGITS { digits.parse().ok() } else { None };
        parsed.ok_or_else(|| from.wrong(start, format!("not an integer of at most {DIGITS} digits")))
    }
}

impl Shape for BigUint {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        match self.to_u32() {
            Some(small) if !matches!(to.scope.style, Style::Numbers) => small.write_to(to),
            _ => BigInt::from(self.clone()).write_to(to),
        }
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        let (start, number) = (from.here(), BigInt::read_from(from)?);
        number.to_biguint().ok_or_else(|| from.wrong(start, "a count below 0"))
    }
}

impl Shape for EventId {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        match to.scope.style {
            Style::Names => to.text(&to.scope.names.events.text(self.0)?),
            _ => self.0.write_to(to),
        }
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        match from.scope.style {
            Style::Names => from.scope.names.events.read(from).map(Self),
            _ => from.read().map(Self),
        }
    }
}

/// The transitions of a net are its events.
impl Shape for TransitionId {
    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        EventId(self.0).write_to(to)
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        from.read().map(|EventId(number)| Self(number))
    }
}

/// A place is a name, or a position in a list.
impl Shape for PlaceId {
    const LISTS: [&'static str; 2] = BREAKS;

    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        match &to.scope.style {
            Style::Listed(listed) => listed.position.get(self.index()).copied().unwrap_or_default().write_to(to),
            Style::Used(places) => {
                places.borrow_mut().push(*self);
                Ok(())
            }
            _ => to.text(&to.scope.names.places.text(self.0)?),
        }
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        let Style::Listed(listed) = &from.scope.style else {
            return from.scope.names.places.read(from).map(Self);
        };
        let (start, position) = (from.here(), u32::read_from(from)?);
        listed.places.get(position as usize).copied().ok_or_else(|| {
            let known = listed.places.len();
            from.wrong(start, format!("{position} is not a position in the list of {known} places"))
        })
    }
}

/// A goal is the id of a property. In certificates with numbers it is `bad` or `deadlock`.
impl Shape for Goal {
    const KEYS: Option<[&'static str; 2]> = Some(["goal", "why"]);

    fn write_to(&self, to: &mut Output<'_>) -> io::Result<()> {
        to.text(&string(if let Style::Numbers = to.scope.style { self.id() } else { to.scope.asked.id(*self)? }))
    }

    fn read_from(from: &mut Input<'_, '_>) -> Res<Self> {
        let (start, is_plain) = (from.here(), matches!(from.scope.style, Style::Numbers));
        let name = if is_plain { from.string("a goal") } else { from.name("the id of a property") }?;
        let (goal, code) = match from.scope.style {
            Style::Numbers => {
                ([Self::Bad, Self::Deadlock].into_iter().find(|g| g.id() == name), &codes::EVIDENCE_SHAPE)
            }
            _ => (from.scope.asked.goal(&name), &codes::EVIDENCE_KIND),
        };
        goal.ok_or_else(|| from.error(code, start, format!("`{}` is not a goal", printable(&name))))
    }
}
