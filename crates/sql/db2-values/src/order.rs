//! The order of characters.

use std::cmp::Ordering;
use std::fmt;

use ebcdic::{CodePage, Table};

/// The blank of a program.
pub(crate) const BLANK: u8 = b' ';

/// The order in which characters are compared: a program's own (ISO 8859-1), or that of an EBCDIC code page, where letters come
/// before digits and small ones before capitals. A shorter text is compared as if it had blanks behind it.
#[derive(Clone, Copy, Default)]
pub struct Order {
    /// The places of a program's characters; `None`: their numbers.
    places: Option<&'static Table>,
}

impl fmt::Debug for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.places.is_some() { "Order(EBCDIC)" } else { "Order(program)" })
    }
}

impl Order {
    /// The order of an EBCDIC code page.
    pub fn of(page: CodePage) -> Self {
        Self { places: Some(page.from_program_table()) }
    }

    /// The place of a character.
    pub fn place(self, character: u8) -> u8 {
        self.places.map_or(character, |places| places[usize::from(character)])
    }

    /// Two texts, the shorter with blanks behind it.
    pub fn compare(self, a: &[u8], b: &[u8]) -> Ordering {
        let common = a.len().min(b.len());
        let different = a.iter().zip(b).find(|(x, y)| x != y);
        let front = different.map_or(Ordering::Equal, |(x, y)| self.place(*x).cmp(&self.place(*y)));
        front.then_with(|| match a.len().cmp(&b.len()) {
            Ordering::Equal => Ordering::Equal,
            Ordering::Greater => self.beside_blanks(&a[common..]),
            Ordering::Less => self.beside_blanks(&b[common..]).reverse(),
        })
    }

    /// A text beside so many blanks.
    fn beside_blanks(self, text: &[u8]) -> Ordering {
        match text.iter().find(|byte| **byte != BLANK) {
            Some(byte) => self.place(*byte).cmp(&self.place(BLANK)),
            None => Ordering::Equal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shorter_has_blanks_behind_it() {
        let order = Order::default();
        assert_eq!(order.compare(b"AB", b"AB   "), Ordering::Equal);
        assert_eq!(order.compare(b"AB", b"AB\x01"), Ordering::Greater);
        assert_eq!(order.compare(b"AB", b"ABC"), Ordering::Less);
        assert_eq!(order.compare(b"", b""), Ordering::Equal);
    }

    #[test]
    fn letters_come_before_digits_in_ebcdic() {
        let (program, host) = (Order::default(), Order::of(CodePage::Ibm037));
        assert_eq!(program.compare(b"1", b"A"), Ordering::Less);
        assert_eq!(host.compare(b"1", b"A"), Ordering::Greater);
        assert_eq!(host.compare(b"a", b"A"), Ordering::Less);
        assert_eq!(host.compare(b"AB", b"AB "), Ordering::Equal);
    }
}
