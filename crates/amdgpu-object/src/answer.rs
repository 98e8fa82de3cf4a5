//! The structs that readers return: one method for each field, so that later versions can add fields and
//! store them differently.

/// Declares such a struct. The word before a field says what its method returns: `copy` the value, `part` a
/// reference, `text` a `&str`, `list` a slice of the declared type, `maybe…` an `Option` of it; `hidden` has
/// no method.
#[doc(hidden)]
#[macro_export]
macro_rules! answer {
    (
        $(#[$about:meta])*
        pub struct $name:ident $(<$life:lifetime>)? {
            $($(#[$doc:meta])* $way:ident $field:ident: $kind:ty,)*
        }
    ) => {
        $(#[$about])*
        pub struct $name $(<$life>)? {
            $($(#[$doc])* pub(crate) $field: $crate::answer!(@kept $way $kind),)*
        }

        impl $(<$life>)? $name $(<$life>)? {
            $($crate::answer!(@method $way $field: $kind, $(#[$doc])*);)*
        }
    };

    (@kept list $kind:ty) => { Vec<$kind> };
    (@kept maybe $kind:ty) => { Option<$kind> };
    (@kept maybe_text $kind:ty) => { Option<$kind> };
    (@kept maybe_list $kind:ty) => { Option<Vec<$kind>> };
    (@kept maybe_boxed $kind:ty) => { Option<Box<$kind>> };
    (@kept $way:ident $kind:ty) => { $kind };

    (@method hidden $field:ident: $kind:ty, $(#[$doc:meta])*) => {};
    (@method copy $field:ident: $kind:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> $kind {
            self.$field
        }
    };
    (@method part $field:ident: $kind:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> &$kind {
            &self.$field
        }
    };
    (@method text $field:ident: $kind:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> &str {
            &self.$field
        }
    };
    (@method list $field:ident: $kind:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> &[$kind] {
            &self.$field
        }
    };
    (@method maybe $field:ident: $kind:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<&$kind> {
            self.$field.as_ref()
        }
    };
    (@method maybe_text $field:ident: $kind:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<&str> {
            self.$field.as_deref()
        }
    };
    (@method maybe_list $field:ident: $kind:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<&[$kind]> {
            self.$field.as_deref()
        }
    };
    (@method maybe_boxed $field:ident: $kind:ty, $(#[$doc:meta])*) => {
        $(#[$doc])*
        #[inline]
        pub fn $field(&self) -> Option<&$kind> {
            self.$field.as_deref()
        }
    };
}
