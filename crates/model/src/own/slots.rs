//! Conversion between Rust values and vectors of slots.

use std::slice::Iter;

/// A value that is stored in a fixed number of slots. [`crate::slots!`] implements this trait for enums without
/// fields, and for structs if the types of all fields implement it; [`crate::interned!`] implements it for other types,
/// such as enums with fields. Lists and maps have one slot, with the number of their value.
pub trait Slots: Sized {
    /// Appends the number of values of each slot, in order.
    fn sizes(out: &mut Vec<u64>);

    /// Appends the values of the slots.
    fn put(&self, out: &mut Vec<u32>);

    /// Reads a value from the next slots.
    ///
    /// # Panics
    /// Panics if the slots do not encode a value of this type. Slots written by [`Slots::put`] always encode
    /// one.
    fn take(from: &mut Iter<'_, u32>) -> Self;
}

/// Returns the next slot.
///
/// # Panics
/// Panics if no slot is left.
#[must_use]
#[inline]
pub fn slot(from: &mut Iter<'_, u32>) -> u32 {
    *from.next().expect("a value has as many slots as it says")
}

/// A number below `N`, stored in as few bits as possible.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Below<const N: u32>(u32);

impl<const N: u32> Below<N> {
    /// Returns the number as this type; `None` if it is `N` or greater.
    #[must_use]
    pub fn new(number: u32) -> Option<Self> {
        (number < N).then_some(Self(number))
    }

    /// Returns the number.
    #[must_use]
    pub fn get(self) -> u32 {
        self.0
    }
}

impl<const N: u32> Slots for Below<N> {
    #[inline]
    fn sizes(out: &mut Vec<u64>) {
        out.push(N.max(1).into());
    }

    #[inline]
    fn put(&self, out: &mut Vec<u32>) {
        out.push(self.0);
    }

    #[inline]
    fn take(from: &mut Iter<'_, u32>) -> Self {
        Self(slot(from))
    }
}

impl Slots for bool {
    #[inline]
    fn sizes(out: &mut Vec<u64>) {
        out.push(2);
    }

    #[inline]
    fn put(&self, out: &mut Vec<u32>) {
        out.push(u32::from(*self));
    }

    #[inline]
    fn take(from: &mut Iter<'_, u32>) -> Self {
        slot(from) == 1
    }
}

macro_rules! number {
    ($($type:ty)*) => {$(
        impl Slots for $type {
            #[inline]
            fn sizes(out: &mut Vec<u64>) {
                out.push(u64::from(<$type>::MAX) + 1);
            }

            #[inline]
            fn put(&self, out: &mut Vec<u32>) {
                out.push(u32::from(*self));
            }

            #[inline]
            fn take(from: &mut Iter<'_, u32>) -> Self {
                Self::try_from(slot(from)).expect("the slot holds such a number")
            }
        }
    )*};
}

number!(u8 u16 u32);

/// Numbers with more bits than a slot, or with a sign: their bits, in slots of 32, the highest first.
macro_rules! bits {
    ($($type:ty as $unsigned:ty: $slots:literal;)*) => {$(
        impl Slots for $type {
            #[inline]
            fn sizes(out: &mut Vec<u64>) {
                let bits = <$type>::BITS.min(32);
                (0..$slots).for_each(|_| out.push(1 << bits));
            }

            #[inline]
            fn put(&self, out: &mut Vec<u32>) {
                let bits = u64::from(*self as $unsigned);
                (0..$slots).rev().for_each(|slot| out.push((bits >> (32 * slot)) as u32));
            }

            #[inline]
            fn take(from: &mut Iter<'_, u32>) -> Self {
                (0..$slots).fold(0u64, |bits, _| bits << 32 | u64::from(slot(from))) as $unsigned as $type
            }
        }
    )*};
}

bits! {
    u64 as u64: 2;
    i64 as u64: 2;
    i32 as u32: 1;
    i16 as u16: 1;
    i8 as u8: 1;
}

/// Sizes are stored like `u64`.
impl Slots for usize {
    #[inline]
    fn sizes(out: &mut Vec<u64>) {
        u64::sizes(out);
    }

    #[inline]
    fn put(&self, out: &mut Vec<u32>) {
        (*self as u64).put(out);
    }

    #[inline]
    fn take(from: &mut Iter<'_, u32>) -> Self {
        Self::try_from(u64::take(from)).expect("the slots hold such a number")
    }
}

impl Slots for char {
    #[inline]
    fn sizes(out: &mut Vec<u64>) {
        out.push(u64::from(u32::from(Self::MAX)) + 1);
    }

    #[inline]
    fn put(&self, out: &mut Vec<u32>) {
        out.push(u32::from(*self));
    }

    #[inline]
    fn take(from: &mut Iter<'_, u32>) -> Self {
        Self::from_u32(slot(from)).expect("the slot holds a character")
    }
}

impl<T: Slots, const N: usize> Slots for [T; N] {
    #[inline]
    fn sizes(out: &mut Vec<u64>) {
        (0..N).for_each(|_| T::sizes(out));
    }

    #[inline]
    fn put(&self, out: &mut Vec<u32>) {
        self.iter().for_each(|part| part.put(out));
    }

    #[inline]
    fn take(from: &mut Iter<'_, u32>) -> Self {
        std::array::from_fn(|_| T::take(from))
    }
}

/// `None` is stored with the slots of the default value, so that equal values have equal slots.
impl<T: Slots + Default> Slots for Option<T> {
    #[inline]
    fn sizes(out: &mut Vec<u64>) {
        bool::sizes(out);
        T::sizes(out);
    }

    #[inline]
    fn put(&self, out: &mut Vec<u32>) {
        self.is_some().put(out);
        match self {
            Some(value) => value.put(out),
            None => T::default().put(out),
        }
    }

    #[inline]
    fn take(from: &mut Iter<'_, u32>) -> Self {
        let (is_some, value) = (bool::take(from), T::take(from));
        is_some.then_some(value)
    }
}

macro_rules! tuple {
    ($($part:ident)*) => {
        impl<$($part: Slots),*> Slots for ($($part,)*) {
            #[inline]
            fn sizes(out: &mut Vec<u64>) {
                $($part::sizes(out);)*
            }

            #[allow(non_snake_case, reason = "a part is called as its type")]
            #[inline]
            fn put(&self, out: &mut Vec<u32>) {
                let ($($part,)*) = self;
                $($part.put(out);)*
            }

            #[inline]
            fn take(from: &mut Iter<'_, u32>) -> Self {
                ($($part::take(from),)*)
            }
        }
    };
}

tuple!(A B);
tuple!(A B C);
tuple!(A B C D);

/// Defines an enum without fields, or a struct, and implements `own::Slots` for it.
///
/// ```text
/// crate::slots! {
///     #[derive(Clone, Copy, PartialEq, Debug)]
///     pub enum Light { Red, Green }
/// }
/// crate::slots! {
///     #[derive(Clone, PartialEq, Debug)]
///     pub struct Crossing { pub lights: [Light; 2], pub waiting: u8 }
/// }
/// ```
#[macro_export]
macro_rules! slots {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($value:ident),* $(,)? }) => {
        $(#[$meta])* $vis enum $name { $($value),* }

        impl $crate::own::Slots for $name {
            #[inline]
            fn sizes(out: &mut Vec<u64>) {
                out.push([$(stringify!($value)),*].len() as u64);
            }

            #[inline]
            fn put(&self, out: &mut Vec<u32>) {
                enum Number { $($value),* }
                out.push(match self { $($name::$value => Number::$value as u32),* });
            }

            #[inline]
            fn take(from: &mut std::slice::Iter<'_, u32>) -> Self {
                let number = $crate::own::slot(from) as usize;
                [$($name::$value),*].into_iter().nth(number).expect("the slot holds one of the values")
            }
        }
    };
    ($(#[$meta:meta])* $vis:vis struct $name:ident { $($fvis:vis $field:ident : $type:ty),* $(,)? }) => {
        $(#[$meta])* $vis struct $name { $($fvis $field: $type),* }

        impl $crate::own::Slots for $name {
            #[inline]
            fn sizes(out: &mut Vec<u64>) {
                $(<$type as $crate::own::Slots>::sizes(out);)*
            }

            #[inline]
            fn put(&self, out: &mut Vec<u32>) {
                $($crate::own::Slots::put(&self.$field, out);)*
            }

            #[inline]
            fn take(from: &mut std::slice::Iter<'_, u32>) -> Self {
                Self { $($field: $crate::own::Slots::take(from)),* }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    slots! {
        #[derive(Clone, Copy, PartialEq, Debug)]
        enum Light { Red, Amber, Green }
    }

    slots! {
        #[derive(Clone, PartialEq, Debug)]
        struct State { lights: [Light; 2], waiting: Option<u8>, pair: (bool, u16), small: Below<5> }
    }

    #[test]
    fn what_is_put_is_taken() {
        for number in 0..3 * 3 * 2 * 5u32 {
            let light = |n: u32| [Light::Red, Light::Amber, Light::Green][n as usize % 3];
            let state = State {
                lights: [light(number), light(number / 3)],
                waiting: (number % 2 == 0).then_some(number as u8),
                pair: (number % 4 > 1, 65_535 - number as u16),
                small: Below::new(number % 5).expect("below 5"),
            };
            let (mut sizes, mut slots) = (Vec::new(), Vec::new());
            State::sizes(&mut sizes);
            state.put(&mut slots);
            assert_eq!(sizes, [3, 3, 2, 256, 2, 65_536, 5]);
            assert!(
                sizes.len() == slots.len() && sizes.iter().zip(&slots).all(|(size, slot)| u64::from(*slot) < *size)
            );
            let mut from = slots.iter();
            assert_eq!(State::take(&mut from), state);
            assert!(from.next().is_none());
        }
        assert!(Below::<5>::new(5).is_none());
    }

    #[test]
    fn numbers_of_any_width_fit() {
        fn same<T: Slots + PartialEq + std::fmt::Debug + Copy>(values: &[T]) {
            for value in values {
                let (mut sizes, mut slots) = (Vec::new(), Vec::new());
                T::sizes(&mut sizes);
                value.put(&mut slots);
                assert!(sizes.iter().zip(&slots).all(|(size, slot)| u64::from(*slot) < *size), "{value:?} {slots:?}");
                assert_eq!(sizes.len(), slots.len());
                assert_eq!(T::take(&mut slots.iter()), *value);
            }
        }
        same(&[0, 1, u64::MAX, 1 << 40]);
        same(&[0, -1, i64::MIN, i64::MAX]);
        same(&[0, -1, i32::MIN, i32::MAX]);
        same(&[0i16, -1, i16::MIN, i16::MAX]);
        same(&[0i8, -1, i8::MIN, i8::MAX]);
        same(&[0, usize::MAX]);
        same(&['a', char::MAX]);
    }
}
