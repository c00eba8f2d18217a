//! Classes of resources, by the names of the system initialization parameters that turn them on.

use std::fmt;
use std::sync::Arc;

/// The kind of a protected resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Transactions that users attach.
    Tran,
    /// Files.
    Fct,
    /// Transactions that a program names: START, CANCEL, and those of the programming interface of the system.
    Pct,
    /// Programs.
    Ppt,
    /// Transient data queues.
    Dct,
    /// Temporary storage queues.
    Tst,
    /// Journals.
    Jct,
    /// Commands of the programming interface of the system.
    Cmd,
    /// Surrogates: users in whose name others may start work.
    User,
    /// Files of the machine itself.
    Hfs,
    /// Resources without a class of their own.
    Res,
}

impl Class {
    /// The number of classes.
    pub const COUNT: usize = Self::ALL.len();

    /// Every class by the name of its parameter.
    pub const ALL: [(&str, Self); 11] = [
        ("XTRAN", Self::Tran),
        ("XFCT", Self::Fct),
        ("XPCT", Self::Pct),
        ("XPPT", Self::Ppt),
        ("XDCT", Self::Dct),
        ("XTST", Self::Tst),
        ("XJCT", Self::Jct),
        ("XCMD", Self::Cmd),
        ("XUSER", Self::User),
        ("XHFS", Self::Hfs),
        ("XRES", Self::Res),
    ];

    /// The class of a parameter's name, in any case.
    pub fn of_parameter(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(word, _)| word.eq_ignore_ascii_case(name)).map(|(_, class)| *class)
    }

    /// The parameter's name.
    pub fn parameter(self) -> &'static str {
        Self::ALL[self as usize].0
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.parameter())
    }
}

/// The name of each class's profiles: its parameter's (YES), another (a name), or none (NO).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes([Option<Arc<str>>; Class::COUNT]);

impl Default for Classes {
    /// All of them under their own names.
    fn default() -> Self {
        Self(Class::ALL.map(|(name, _)| Some(Arc::from(name))))
    }
}

impl Classes {
    /// No class is checked.
    pub fn none() -> Self {
        Self(Default::default())
    }

    /// The name of a class's profiles; `None` where the class is not checked.
    pub fn name(&self, class: Class) -> Option<&str> {
        self.0[class as usize].as_deref()
    }

    /// Sets the name, or that the class is not checked.
    pub fn set(&mut self, class: Class, name: Option<&str>) {
        self.0[class as usize] = name.map(Arc::from);
    }

    /// The names of all classes that are checked.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().flatten().map(AsRef::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_stands_at_its_own_place() {
        for (at, (name, class)) in Class::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, at);
            assert_eq!((class.parameter(), Class::of_parameter(name)), (name, Some(class)));
        }
        let mut classes = Classes::default();
        classes.set(Class::Tran, Some("BANKTRAN"));
        classes.set(Class::Fct, None);
        assert_eq!((classes.name(Class::Tran), classes.name(Class::Fct)), (Some("BANKTRAN"), None));
        assert_eq!(classes.name(Class::Cmd), Some("XCMD"));
    }
}
