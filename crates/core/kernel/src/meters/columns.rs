//! Columns of records as an enumeration: the place of each is its number.

/// Writes an enumeration whose variants are columns, each with the name that records in `spec` give it, and its form.
macro_rules! columns {
    ($(#[$about:meta])* $vis:vis enum $type:ident { $($variant:ident $name:literal $form:ident,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        $vis enum $type {
            $(#[doc = $name] $variant,)+
        }

        impl $type {
            /// All of them, in the order of their places: name and form.
            pub(crate) const ALL: &'static [(&'static str, instruments::format::ColumnForm)] =
                &[$(($name, instruments::format::ColumnForm::$form),)+];
        }
    };
}

pub(crate) use columns;
