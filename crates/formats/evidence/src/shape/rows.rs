//! Objects and rows of forms: the macro [`shape!`], and the macros for forms that depend on more than their value.

/// Writes an object with the values of these variables under their names.
macro_rules! put {
    ($to:expr, {$first:ident $($sep:tt $field:ident)*}) => {{
        let mut before = "{";
        $crate::shape::put!(@ $to, before, "{", $first);
        $($crate::shape::put!(@ $to, before, $crate::shape::put!(@ $sep), $field);)*
        $to.text(if before == "{" { "{}" } else { "}" })
    }};
    (@ ,) => { "," };
    (@ /) => { ",\n" };
    (@ $to:expr, $before:ident, $sep:expr, $field:ident) => {
        if !$field.is_left_out() {
            $to.text(if $before == "{" { "{" } else { $sep })?;
            $before = "";
            $to.text(concat!("\"", stringify!($field), "\":"))?;
            $field.write_to($to)?;
        }
    };
}

/// Reads an object as the tuple of the values of these keys.
macro_rules! get {
    ($from:expr, {$($field:ident)*}) => {{
        let start = $from.here();
        $(let mut $field = None;)*
        $from.object(&[$(stringify!($field)),*], |from, key| {
            $(if key == stringify!($field) {
                $field = Some($crate::shape::Shape::read_from(from)?);
            })*
            Ok(())
        })?;
        ($($from.found(start, stringify!($field), $field)?,)*)
    }};
}

/// Implements [`Shape`](super::Shape) from a description of the form, as the head of [`super`] explains.
macro_rules! shape {
    ($type:ty $([$flag:ident $(= $value:expr)?])* = $($form:tt)*) => {
        impl $crate::shape::Shape for $type {
            $($crate::shape::shape! { @flag $flag $(= $value)? })*
            $crate::shape::shape! { @both $type; $($form)* }
        }
    };
    (@flag LEFT_OUT) => { const LEFT_OUT: bool = true; };
    (@flag NUMBERS = $value:expr) => { const NUMBERS: usize = $value; };
    (@flag $before:ident) => { const BEFORE: [&'static str; 2] = $crate::shape::$before; };
    // A form without names.
    (@both $type:ty; $form:tt => $built:tt $(refuse ($wrong:expr, $why:expr))?) => {
        fn write_to(&self, to: &mut $crate::shape::Output<'_>) -> std::io::Result<()> {
            let $crate::shape::shape!(@open $built) = self;
            $crate::shape::shape! { @write to $form }
        }

        fn read_from(from: &mut $crate::shape::Input<'_, '_>) -> formats::json::Res<Self> {
            let start = from.here();
            $crate::shape::shape! { @read from $form }
            let value: Self = $crate::shape::shape!(@open $built);
            $({
                #[allow(unused_variables, reason = "a condition is about some parts")]
                let $crate::shape::shape!(@open $built) = &value;
                if $wrong {
                    return Err(from.wrong(start, $why));
                }
            })?
            let _ = start;
            Ok(value)
        }
    };
    // Rows with names.
    (@both $type:ty; $($name:literal $form:tt $(with ($with:ident = $fixed:expr))? => $built:tt
            $(refuse ($wrong:expr, $why:expr))?,)+) => {
        fn write_to(&self, to: &mut $crate::shape::Output<'_>) -> std::io::Result<()> {
            match self {
                $($crate::shape::shape!(@open $built) $(if *$with == $fixed)? => {
                    let is_alone = stringify!($form) == "()";
                    to.text(if is_alone { concat!("\"", $name, "\"") } else { concat!("{\"", $name, "\":") })?;
                    $crate::shape::shape! { @write to $form }?;
                    to.text(if is_alone { "" } else { "}" })
                })+
            }
        }

        fn read_from(from: &mut $crate::shape::Input<'_, '_>) -> formats::json::Res<Self> {
            let start = from.here();
            from.row(&[$($name),+], |from, name, has_value| {
                $(if name == $name && has_value != (stringify!($form) == "()") {
                    $crate::shape::shape! { @read from $form }
                    $(let $with = $fixed;)?
                    let value: Self = $crate::shape::shape!(@open $built);
                    $(
                        #[allow(unused_variables, reason = "a condition is about some parts")]
                        if let $crate::shape::shape!(@open $built) = &value && $wrong {
                            return Err(from.wrong(start, $why));
                        }
                    )?
                    return Ok(value);
                })+
                Err(from.wrong(start, format!("the kind `{name}` has another form")))
            })
        }
    };
    (@open {$($built:tt)*}) => { $($built)* };
    (@write $to:ident ()) => { Ok::<(), std::io::Error>(()) };
    (@write $to:ident {$($form:tt)*}) => { $crate::shape::put!($to, {$($form)*}) };
    (@write $to:ident ($only:ident)) => { $only.write_to($to) };
    (@write $to:ident ($first:ident, $second:ident)) => {{
        $to.text("[")?;
        $first.write_to($to)?;
        $to.text(",")?;
        $second.write_to($to)?;
        $to.text("]")
    }};
    (@read $from:ident ()) => {};
    (@read $from:ident {$first:ident $($sep:tt $field:ident)*}) => {
        let ($first, $($field,)*) = $crate::shape::get!($from, {$first $($field)*});
    };
    (@read $from:ident ($only:ident)) => { let $only = $from.read()?; };
    (@read $from:ident ($first:ident, $second:ident)) => { let ($first, $second) = $from.read()?; };
}

pub(crate) use {get, put, shape};
