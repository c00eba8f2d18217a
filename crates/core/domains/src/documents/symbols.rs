//! Symbols: names that templates refer to, and their values.

use std::collections::HashMap;

use kernel::limits::ITEM_BYTES;

/// Characters of a symbol's name.
const NAME_MAX: usize = 32;

/// The symbols of a document.
#[derive(Clone, Default)]
pub(super) struct Symbols {
    /// By the program.
    set: HashMap<Vec<u8>, Vec<u8>>,
    /// By `#set` in templates: what counts where the program has said nothing.
    defaults: HashMap<Vec<u8>, Vec<u8>>,
    /// The bytes that all of them count for.
    counts: usize,
}

/// Returns the bytes that a symbol counts for.
fn counts(name: &[u8], value: &[u8]) -> usize {
    name.len() + value.len() + ITEM_BYTES
}

/// A definition that is none: the offset in the list at which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed(pub usize);

impl Symbols {
    /// DOCUMENT SET.
    ///
    /// # Errors
    /// A name that is none.
    pub fn set(&mut self, name: &[u8], value: Vec<u8>) -> Result<(), Malformed> {
        if !is_name(name) {
            return Err(Malformed(0));
        }
        self.counts += counts(name, &value);
        let before = self.set.insert(name.to_vec(), value);
        self.counts -= before.map_or(0, |before| counts(name, &before));
        Ok(())
    }

    /// `#set`.
    pub fn set_default(&mut self, name: &[u8], value: &[u8]) {
        self.counts += counts(name, value);
        let before = self.defaults.insert(name.to_vec(), value.to_vec());
        self.counts -= before.map_or(0, |before| counts(name, &before));
    }

    /// Returns the bytes that all of them count for.
    pub fn counts(&self) -> usize {
        self.counts
    }

    /// The value of a name.
    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        self.set.get(name).or_else(|| self.defaults.get(name)).map(Vec::as_slice)
    }

    /// SYMBOLLIST: `name=value` and a delimiter between them.
    ///
    /// # Errors
    /// A definition without `=`, or whose name is none; those before it are set.
    pub fn set_list(&mut self, list: &[u8], delimiter: u8, escaped: bool) -> Result<(), Malformed> {
        let mut offset = 0;
        for definition in list.split(|byte| *byte == delimiter) {
            let equals = definition.iter().position(|byte| *byte == b'=').ok_or(Malformed(offset))?;
            let (name, value) = (&definition[..equals], &definition[equals + 1..]);
            let value = if escaped { unescaped(value) } else { value.to_vec() };
            self.set(name, value).map_err(|_| Malformed(offset))?;
            offset += definition.len() + 1;
        }
        Ok(())
    }
}

/// Returns true if a byte may occur in a symbol's name.
pub(super) fn is_name_character(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns true if this names a symbol.
pub(super) fn is_name(name: &[u8]) -> bool {
    (1..=NAME_MAX).contains(&name.len()) && name.iter().all(|byte| is_name_character(*byte))
}

/// `+` is a blank, and `%` with two hexadecimal digits any character; other percent signs stay.
pub(super) fn unescaped(value: &[u8]) -> Vec<u8> {
    let mut result = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let escape = (*first == b'%').then(|| behind.first_chunk::<2>().and_then(character)).flatten();
        match (first, escape) {
            (_, Some(byte)) => {
                result.push(byte);
                rest = &behind[2..];
            }
            (b'+', None) => result.push(b' '),
            (other, None) => result.push(*other),
        }
    }
    result
}

fn character(digits: &[u8; 2]) -> Option<u8> {
    let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
    Some((high? * 16 + low?) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_gives_names_their_values() {
        let mut symbols = Symbols::default();
        assert_eq!(symbols.set_list(b"applid=IYCQ&text=a+b%26c%&empty=", b'&', true), Ok(()));
        for (name, value) in [("applid", "IYCQ"), ("text", "a b&c%"), ("empty", "")] {
            assert_eq!(symbols.get(name.as_bytes()), Some(value.as_bytes()), "{name}");
        }
        assert_eq!(symbols.set_list(b"a=1+1", b'&', false), Ok(()));
        assert_eq!(symbols.get(b"a"), Some(b"1+1".as_slice()));
    }

    #[test]
    fn a_symbol_that_is_set_again_counts_once() {
        let mut symbols = Symbols::default();
        for value in ["first", "second value"] {
            assert_eq!(symbols.set(b"a", value.into()), Ok(()));
            symbols.set_default(b"b", value.as_bytes());
        }
        assert_eq!(symbols.counts(), 2 * (1 + "second value".len() + ITEM_BYTES));
    }

    #[test]
    fn what_is_no_definition_is_told_by_its_offset() {
        let mut symbols = Symbols::default();
        assert_eq!(symbols.set_list(b"a=1&b", b'&', true), Err(Malformed(4)));
        assert_eq!(symbols.set_list(b"a=1&b c=2", b'&', true), Err(Malformed(4)));
        assert_eq!(symbols.get(b"a"), Some(b"1".as_slice()));
    }

    #[test]
    fn what_the_program_sets_comes_before_what_a_template_sets() {
        let mut symbols = Symbols::default();
        symbols.set_default(b"name", b"template's");
        assert_eq!(symbols.get(b"name"), Some(b"template's".as_slice()));
        assert_eq!(symbols.set(b"name", b"program's".to_vec()), Ok(()));
        symbols.set_default(b"name", b"another template's");
        assert_eq!(symbols.get(b"name"), Some(b"program's".as_slice()));
    }
}
