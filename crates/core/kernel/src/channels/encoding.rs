//! Encodings of a container's characters: CCSIDs and code page names.
//!
//! A program's own characters are ISO 8859-1 (819). A container keeps its characters as they were put; GET converts.

use ebcdic::{Characters, CodePage};

/// An encoding of characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// The encoding of programs.
    #[default]
    Program,
    /// UTF-8.
    Utf8,
    /// UTF-16, the high byte first.
    Utf16,
    /// EBCDIC.
    Ebcdic(CodePage),
}

/// The characters of programs.
const PROGRAM: Characters = Characters::Latin1;
const CCSID_PROGRAM: i64 = PROGRAM.number() as i64;
const CCSID_UTF8: i64 = 1208;
const CCSID_UTF16: i64 = 1200;
/// Substitute for a character that an encoding of single bytes does not have.
const SUBSTITUTE: u8 = 0x1a;

impl Encoding {
    /// The encoding of a CCSID.
    pub fn of_ccsid(ccsid: i64) -> Option<Self> {
        match ccsid {
            CCSID_PROGRAM => Some(Self::Program),
            CCSID_UTF8 => Some(Self::Utf8),
            CCSID_UTF16 => Some(Self::Utf16),
            number => {
                CodePage::ALL.into_iter().find(|page| i64::from(page.number()) == number).map(Self::Ebcdic)
            }
        }
    }

    /// The encoding of a name: of a code page, of the internet, or the number of a CCSID.
    pub fn of_name(name: &str) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "iso-8859-1" | "iso8859-1" => Some(Self::Program),
            "utf-8" | "utf8" => Some(Self::Utf8),
            "utf-16" | "utf-16be" => Some(Self::Utf16),
            name => {
                name.parse().ok().and_then(Self::of_ccsid).or_else(|| CodePage::parse(name).map(Self::Ebcdic))
            }
        }
    }

    /// Its CCSID.
    pub fn ccsid(self) -> i64 {
        match self {
            Self::Program => CCSID_PROGRAM,
            Self::Utf8 => CCSID_UTF8,
            Self::Utf16 => CCSID_UTF16,
            Self::Ebcdic(page) => page.number().into(),
        }
    }

    /// Bytes of this encoding in another; and whether every character is in both.
    pub fn convert(self, bytes: &[u8], to: Self) -> (Vec<u8>, bool) {
        if self == to {
            return (bytes.to_vec(), true);
        }
        let (text, readable) = self.decode(bytes);
        let (bytes, written) = to.encode(&text);
        (bytes, readable && written)
    }

    fn decode(self, bytes: &[u8]) -> (String, bool) {
        let text = match self {
            Self::Program => PROGRAM.text(bytes),
            Self::Ebcdic(page) => page.to_program(bytes).into_iter().map(|b| page.character(b)).collect(),
            Self::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Self::Utf16 => {
                let units = bytes.chunks(2).map(|pair| match pair {
                    [high, low] => u16::from_be_bytes([*high, *low]),
                    _ => char::REPLACEMENT_CHARACTER as u16,
                });
                char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
            }
        };
        let readable = !text.contains(char::REPLACEMENT_CHARACTER);
        (text, readable)
    }

    fn encode(self, text: &str) -> (Vec<u8>, bool) {
        match self {
            Self::Utf8 => (text.as_bytes().to_vec(), true),
            Self::Utf16 => (text.encode_utf16().flat_map(u16::to_be_bytes).collect(), true),
            Self::Program => single_bytes(text, |c| PROGRAM.byte(c)),
            Self::Ebcdic(page) => {
                let (mut bytes, written) =
                    single_bytes(text, |c| (0..=255).find(|b| page.character(*b) == c));
                page.from_program_in_place(&mut bytes);
                (bytes, written)
            }
        }
    }
}

fn single_bytes(text: &str, byte: impl Fn(char) -> Option<u8>) -> (Vec<u8>, bool) {
    let mut written = true;
    let bytes = text.chars().map(|c| {
        byte(c).unwrap_or_else(|| {
            written = false;
            SUBSTITUTE
        })
    });
    (bytes.collect(), written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_named_by_number_and_by_name() {
        let ebcdic = |page| Some(Encoding::Ebcdic(page));
        let cases = [
            ("1208", Some(Encoding::Utf8)),
            ("UTF-8", Some(Encoding::Utf8)),
            ("819", Some(Encoding::Program)),
            ("037", ebcdic(CodePage::Ibm037)),
            ("IBM-1047", ebcdic(CodePage::Ibm1047)),
            ("klingon", None),
        ];
        for (name, encoding) in cases {
            assert_eq!(Encoding::of_name(name), encoding, "{name}");
        }
        assert_eq!(Encoding::of_ccsid(1140), ebcdic(CodePage::Ibm1140));
    }

    #[test]
    fn characters_stay_the_same_in_other_bytes() {
        let (program, utf8, utf16) = (Encoding::Program, Encoding::Utf8, Encoding::Utf16);
        let ibm037 = Encoding::Ebcdic(CodePage::Ibm037);
        type Case<'a> = (Encoding, &'a [u8], Encoding, &'a [u8], bool);
        let cases: [Case<'_>; 6] = [
            (program, b"A\xe9", utf8, "Aé".as_bytes(), true),
            (utf8, "Aé".as_bytes(), program, b"A\xe9", true),
            (program, b"AB1", ibm037, b"\xc1\xc2\xf1", true),
            (ibm037, b"\xc1\xc2\xf1", utf16, b"\0A\0B\x001", true),
            (utf8, "A€".as_bytes(), program, b"A\x1a", false),
            (utf8, b"A\xff", utf16, b"\0A\xff\xfd", false),
        ];
        for (from, bytes, to, expected, whole) in cases {
            assert_eq!(from.convert(bytes, to), (expected.to_vec(), whole), "{from:?} {bytes:02X?} {to:?}");
        }
    }
}
