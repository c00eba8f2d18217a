//! Sections of `region.toml` that domains bring: a record each in the folder `sections`, of which the build makes a type.
//!
//! A domain finds the value of its section by the type, as it finds its part of a region. Nothing else names the type: the reader of
//! `region.toml`, the reference page and the tests of keys go through the records.
//!
//! Out of scope: TOML, files, messages (crate `config` reads sections), and what a value means.

use std::any::{Any, TypeId, type_name};
use std::fmt::{self, Debug, Write};
use std::sync::Arc;

include!(concat!(env!("OUT_DIR"), "/sections.rs"));

/// A section.
#[derive(Debug)]
pub struct Section {
    /// Its name: `events` of `[events]`.
    pub name: &'static str,
    /// Words for the reference page.
    pub about: &'static str,
    /// Its keys, in the order of the page.
    pub keys: &'static [Key],
    make: fn(&[Given]) -> Arc<dyn AnyValue>,
    kind: fn() -> TypeId,
}

/// A key of a section.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Words for the reference page.
    pub about: &'static str,
    /// Values that it takes.
    pub kind: Kind,
}

/// The values that a key takes, and that of an absent one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number within bounds.
    Number {
        /// The least one.
        least: u32,
        /// The greatest one.
        most: u32,
        /// The value of an absent key.
        default: u32,
    },
    /// `true` or `false`.
    Flag {
        /// The value of an absent key.
        default: bool,
    },
    /// One of some words.
    Choice {
        /// The words.
        words: &'static [&'static str],
        /// The place of the one where the key is absent.
        default: usize,
    },
    /// Names in upper case: a text or a list of texts. An absent key gives none.
    Names {
        /// The words of the page for none.
        default: &'static str,
        /// The kind of resource whose names these are, of up to 8 characters each; `None`: any characters.
        resource: Option<&'static str>,
    },
}

/// The value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// Of [`Kind::Number`].
    Number(u32),
    /// Of [`Kind::Flag`].
    Flag(bool),
    /// Of [`Kind::Choice`], by the place of its word.
    Choice(usize),
    /// Of [`Kind::Names`].
    Names(Vec<String>),
}

/// Message for a value whose kind is not that of its key.
const OTHER_KIND: &str = "a value is of the kind of its key";

impl Given {
    fn number(&self) -> u32 {
        if let Self::Number(number) = self { *number } else { unreachable!("{OTHER_KIND}") }
    }

    fn flag(&self) -> bool {
        if let Self::Flag(flag) = self { *flag } else { unreachable!("{OTHER_KIND}") }
    }

    fn choice(&self) -> usize {
        if let Self::Choice(place) = self { *place } else { unreachable!("{OTHER_KIND}") }
    }

    fn names(&self) -> Vec<String> {
        if let Self::Names(names) = self { names.clone() } else { unreachable!("{OTHER_KIND}") }
    }
}

impl Key {
    /// Its value where it is absent.
    pub fn default(&self) -> Given {
        match self.kind {
            Kind::Number { default, .. } => Given::Number(default),
            Kind::Flag { default } => Given::Flag(default),
            Kind::Choice { default, .. } => Given::Choice(default),
            Kind::Names { .. } => Given::Names(Vec::new()),
        }
    }
}

/// The value of a section, as a type.
pub trait SectionValue: AnyValue + Default {
    /// The section.
    const SECTION: Section;

    /// Makes it of the values of all keys, in their order.
    fn of(given: &[Given]) -> Self;
}

/// A value of some section.
pub trait AnyValue: Any + Debug + Send + Sync {}

impl<T: Any + Debug + Send + Sync> AnyValue for T {}

/// The values of all sections, each found by its type.
#[derive(Clone)]
pub struct Sections(Vec<(TypeId, &'static str, Arc<dyn AnyValue>)>);

impl Sections {
    /// Those of a file: `read` gives the values of the keys that it has, each in its place.
    pub fn read(mut read: impl FnMut(&'static Section) -> Vec<Option<Given>>) -> Self {
        let value = |section: &&'static Section| {
            let given = read(section).into_iter().chain(std::iter::repeat(None));
            let given: Vec<Given> = section
                .keys
                .iter()
                .zip(given)
                .map(|(key, given)| given.unwrap_or_else(|| key.default()))
                .collect();
            ((section.kind)(), section.name, (section.make)(&given))
        };
        Self(ALL.iter().map(value).collect())
    }

    /// The value of a type.
    ///
    /// # Panics
    /// If the type is no section's.
    pub fn get<T: SectionValue>(&self) -> &T {
        let found = self.0.iter().find(|(kind, ..)| *kind == TypeId::of::<T>());
        let value = found.and_then(|(.., value)| (&**value as &dyn Any).downcast_ref());
        value.unwrap_or_else(|| panic!("{} is no section's", type_name::<T>()))
    }

    /// Changes the value of a section.
    pub fn set<T: SectionValue>(&mut self, value: T) {
        if let Some(place) = self.0.iter_mut().find(|(kind, ..)| *kind == TypeId::of::<T>()) {
            place.2 = Arc::new(value);
        }
    }
}

impl Default for Sections {
    fn default() -> Self {
        Self::read(|_| Vec::new())
    }
}

impl Debug for Sections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(|(_, name, value)| (name, value))).finish()
    }
}

impl Section {
    /// The values of all its keys where the file has none.
    pub fn defaults(&self) -> Vec<Given> {
        self.keys.iter().map(Key::default).collect()
    }

    /// Its part of the reference page.
    pub fn page(&self) -> String {
        let mut page =
            format!("`[{}]`: {}:\n\n| key | default | meaning |\n|---|---|---|\n", self.name, self.about);
        for Key { name, about, kind } in self.keys {
            let (default, bounds) = match kind {
                Kind::Number { least, most, default } => (default.to_string(), format!(" ({least}–{most})")),
                Kind::Flag { default } => (format!("`{default}`"), String::new()),
                Kind::Choice { words, default } => {
                    let all: Vec<String> = words.iter().map(|word| format!("`\"{word}\"`")).collect();
                    (all[*default].clone(), format!(": {}", all.join(", ")))
                }
                Kind::Names { default, .. } => ((*default).to_owned(), String::new()),
            };
            let _ = writeln!(page, "| `{name}` | {default} | {about}{bounds} |");
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_found_by_its_type_and_has_its_defaults() {
        let sections = Sections::default();
        let limits: &EventLimits = sections.get();
        assert_eq!((limits.queue_limit, limits.queue_limit_mb), (10_000, 64));
        assert_eq!(sections.get::<DiagnosticKeys>().abend_reasons, AbendReasons::Inquire);
    }

    #[test]
    fn keys_that_are_given_count_before_defaults() {
        let given = |section: &Section| match section.name {
            "events" => vec![None, Some(Given::Number(7))],
            _ => Vec::new(),
        };
        let mut sections = Sections::read(given);
        let expected = EventLimits { queue_limit_mb: 7, ..EventLimits::default() };
        assert_eq!(sections.get::<EventLimits>(), &expected);
        sections.set(EventLimits::default());
        assert_eq!(sections.get::<EventLimits>(), &EventLimits::default());
    }

    #[test]
    fn names_of_sections_and_of_keys_within_one_differ() {
        let is_sorted = |names: Vec<&str>| names.windows(2).all(|pair| pair[0] < pair[1]);
        assert!(
            is_sorted(ALL.iter().map(|section| section.name).collect()),
            "the record has the section's name"
        );
        for section in ALL {
            let mut keys: Vec<&str> = section.keys.iter().map(|key| key.name).collect();
            keys.sort_unstable();
            assert!(is_sorted(keys), "{}", section.name);
        }
    }
}
