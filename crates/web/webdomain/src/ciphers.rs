//! CIPHERS: which cipher suites a service or a URI map speaks.

use std::path::Path;

use mapping::xml::{Reader, Token};
use ports::Suites;

use crate::line::is_label;

/// CIPHERS of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ciphers {
    /// Codes of two hexadecimal digits each.
    Codes(String),
    /// A file of the keyring that names suites by codes of four digits.
    File(String),
}

/// Hexadecimal digits of a list, and of a code in it.
const DIGITS_MAX: usize = 56;
const DIGITS: usize = 2;
/// Ending of a file's name, and its longest length.
const EXTENSION: &str = ".xml";
const FILE_MAX: usize = 28;
/// Bytes of a file.
const FILE_BYTES_MAX: usize = 64 << 10;
/// The element of a file that names a suite, and its attribute with the code.
const ELEMENT: &str = "cipher";
const CODE: &str = "number";

impl Ciphers {
    /// Reads CIPHERS.
    ///
    /// # Errors
    /// It is neither a list of codes nor the name of a file.
    pub fn of(text: &str) -> Result<Self, String> {
        if text.ends_with(EXTENSION) {
            let fits = text.len() <= FILE_MAX && is_label(text);
            return fits.then(|| Self::File(text.to_owned())).ok_or_else(|| refused(text));
        }
        let is_list = text.len() <= DIGITS_MAX && text.len().is_multiple_of(DIGITS);
        let is_hexadecimal = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_list && is_hexadecimal).then(|| Self::Codes(text.to_owned())).ok_or_else(|| refused(text))
    }

    /// It, as the definition has it.
    pub fn text(&self) -> &str {
        match self {
            Self::Codes(text) | Self::File(text) => text,
        }
    }

    /// The suites that it leads to; the log of `owner` says which codes lead to none.
    ///
    /// Codes of two digits are those of older suites, none of which is there: a list that names nothing else stands for all
    /// that are there, which are stronger.
    ///
    /// # Errors
    /// The file cannot be read, or names no suite that is there.
    pub fn suites(&self, keyring: &Path, owner: &str) -> Result<Suites, String> {
        let numbers = match self {
            Self::Codes(codes) => two_digits(codes),
            Self::File(name) => {
                read(&keyring.join(name)).map_err(|why| format!("CIPHERS({name}) cannot be used: {why}"))?
            }
        };
        let suites = Suites::of(&numbers);
        if !suites.unknown().is_empty() {
            let codes: Vec<_> = suites.unknown().iter().map(|code| format!("{code:04X}")).collect();
            tracing::warn!(target: "SO", "{owner}: cipher suites of CIPHERS that are not there: {}", codes.join(" "));
        }
        match self {
            _ if suites.count() > 0 => Ok(suites),
            Self::Codes(_) => {
                tracing::warn!(target: "SO", "{owner}: CIPHERS names no suite that is there: all that are there are used");
                Ok(Suites::default())
            }
            Self::File(name) => Err(format!("CIPHERS({name}) names no cipher suite that is there")),
        }
    }

    /// Number of suites in the file that exist.
    pub fn count(&self, keyring: &Path) -> usize {
        let numbers = match self {
            Self::Codes(codes) => two_digits(codes),
            Self::File(name) => read(&keyring.join(name)).unwrap_or_default(),
        };
        Suites::of(&numbers).count()
    }
}

fn refused(text: &str) -> String {
    format!("CIPHERS({text}): codes of two hexadecimal digits, or the name of a file, NAME.xml, are expected")
}

/// The numbers of codes of two digits.
fn two_digits(codes: &str) -> Vec<u16> {
    let digits: Vec<char> = codes.chars().collect();
    let code = |pair: &[char]| u16::from_str_radix(&pair.iter().collect::<String>(), 16).ok();
    digits.chunks(DIGITS).filter_map(code).collect()
}

/// The numbers that a file names.
fn read(path: &Path) -> Result<Vec<u16>, String> {
    named(&kernel::inputs::text(path, "it", FILE_BYTES_MAX)?)
}

fn named(text: &str) -> Result<Vec<u16>, String> {
    let mut reader = Reader::new(text).map_err(|fault| fault.to_string())?;
    let mut numbers = Vec::new();
    loop {
        match reader.token().map_err(|fault| fault.to_string())? {
            Token::Start(start) if start.local == ELEMENT => {
                let code = start.attribute("", CODE).unwrap_or_default();
                let number = (code.len() == 2 * DIGITS).then(|| u16::from_str_radix(code, 16).ok()).flatten();
                numbers
                    .push(number.ok_or_else(|| format!("“{code}” is no code of four hexadecimal digits"))?);
            }
            Token::Eof => return Ok(numbers),
            Token::Start(_) | Token::Text(_) | Token::End => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ciphers_are_codes_or_a_file() {
        let codes = Ciphers::of("3538392F").expect("codes");
        assert_eq!(two_digits(codes.text()), [0x35, 0x38, 0x39, 0x2F]);
        assert_eq!(Ciphers::of("strong.xml"), Ok(Ciphers::File("strong.xml".to_owned())));
        for wrong in ["", "353", "XY", "../strong.xml", "a-name-that-is-much-too-long.xml"] {
            assert!(Ciphers::of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_file_names_suites_by_their_numbers() {
        let file = "<?xml version=\"1.0\"?><suites><!-- <cipher number=\"0035\"/> --><cipher number=\"C030\"/>\
                    <cipher number=\"1301\"></cipher></suites>";
        assert_eq!(named(file), Ok(vec![0xC030, 0x1301]));
        assert!(named("<suites><cipher number=\"35\"/></suites>").is_err());
        assert!(named("<suites>").is_err());
    }
}
