//! The code pages by name, and translation of bytes in both directions.

use crate::tables::{IBM037, IBM273, IBM500, IBM1047, Table, inverse};
use serde::{Deserialize, Serialize};

/// An EBCDIC code page.
///
/// Each is a permutation of the 256 program characters, so translation never fails and never loses anything. New line
/// stays apart from line feed in all of them: X'15' is NL (U+0085), X'25' is LF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CodePage {
    /// USA, Canada, Brazil: the page of most application data.
    #[default]
    Ibm037,
    /// Open systems (z/OS UNIX).
    Ibm1047,
    /// International.
    Ibm500,
    /// Germany, Austria.
    Ibm273,
    /// 037 with the euro sign in place of the currency sign. The euro's program character is X'A4', where ISO 8859-15
    /// has it too: every C1 control, X'80' among them, has an EBCDIC byte of its own, so any other place would make two
    /// bytes one. In program characters the page is therefore the same as 037; only [`CodePage::character`] differs.
    Ibm1140,
}

/// The tables of one page: to program characters, back, and upper case of EBCDIC bytes.
struct Tables {
    to_program: Table,
    from_program: Table,
    upper: Table,
}

impl Tables {
    const fn of(to_program: Table) -> Self {
        let from_program = inverse(&to_program);
        let mut upper = [0; 256];
        let mut at = 0;
        while at < upper.len() {
            upper[at] = from_program[UPPER[to_program[at] as usize] as usize];
            at += 1;
        }
        Self { to_program, from_program, upper }
    }
}

static TABLES_037: Tables = Tables::of(IBM037);
static TABLES_1047: Tables = Tables::of(IBM1047);
static TABLES_500: Tables = Tables::of(IBM500);
static TABLES_273: Tables = Tables::of(IBM273);

/// The program character of the euro sign, in a code page that has one.
const EURO: u8 = 0xA4;

impl CodePage {
    /// Every code page.
    pub const ALL: [Self; 5] = [Self::Ibm037, Self::Ibm1047, Self::Ibm500, Self::Ibm273, Self::Ibm1140];

    /// The page that number fields are translated by, whatever the page of the text around them: a zoned sign is
    /// X'C0' to X'D9' in every country, and `{` to `R` in every ASCII file. Where X'C0' is `ä` (273), text and numbers
    /// part ways.
    pub const NUMERIC: Self = Self::Ibm037;

    /// A page by its name: `IBM037`, `IBM-037`, `cp037`, `037` and `37` are the same; any case.
    pub fn parse(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        let number = ["ibm-", "ibm", "cp"].iter().find_map(|p| name.strip_prefix(p)).unwrap_or(&name);
        if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let number: u16 = number.parse().ok()?;
        Self::ALL.into_iter().find(|page| page.number() == number)
    }

    /// Its number (CCSID).
    pub const fn number(self) -> u16 {
        match self {
            Self::Ibm037 => 37,
            Self::Ibm1047 => 1047,
            Self::Ibm500 => 500,
            Self::Ibm273 => 273,
            Self::Ibm1140 => 1140,
        }
    }

    /// Its name, as in `IBM037`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ibm037 => "IBM037",
            Self::Ibm1047 => "IBM1047",
            Self::Ibm500 => "IBM500",
            Self::Ibm273 => "IBM273",
            Self::Ibm1140 => "IBM1140",
        }
    }

    const fn tables(self) -> &'static Tables {
        match self {
            Self::Ibm037 | Self::Ibm1140 => &TABLES_037,
            Self::Ibm1047 => &TABLES_1047,
            Self::Ibm500 => &TABLES_500,
            Self::Ibm273 => &TABLES_273,
        }
    }

    /// The program character of each EBCDIC byte.
    pub const fn to_program_table(self) -> &'static Table {
        &self.tables().to_program
    }

    /// The EBCDIC byte of each program character.
    pub const fn from_program_table(self) -> &'static Table {
        &self.tables().from_program
    }

    /// The upper case of each EBCDIC byte: the translation of a screen by UCTRAN.
    pub const fn upper_table(self) -> &'static Table {
        &self.tables().upper
    }

    /// EBCDIC bytes as program characters.
    pub fn to_program(self, ebcdic: &[u8]) -> Vec<u8> {
        translated(self.to_program_table(), ebcdic)
    }

    /// Program characters as EBCDIC bytes.
    pub fn from_program(self, program: &[u8]) -> Vec<u8> {
        translated(self.from_program_table(), program)
    }

    /// [`CodePage::to_program`] in place.
    pub fn to_program_in_place(self, bytes: &mut [u8]) {
        translate(self.to_program_table(), bytes);
    }

    /// [`CodePage::from_program`] in place.
    pub fn from_program_in_place(self, bytes: &mut [u8]) {
        translate(self.from_program_table(), bytes);
    }

    /// Turns EBCDIC bytes into upper case in place.
    pub fn upper_in_place(self, ebcdic: &mut [u8]) {
        translate(self.upper_table(), ebcdic);
    }

    /// The Unicode character that a program character shows: its own number, but for the euro.
    pub const fn character(self, program: u8) -> char {
        match (self, program) {
            (Self::Ibm1140, EURO) => '€',
            _ => program as char,
        }
    }

    /// The character that a screen shows for an EBCDIC byte: a blank for controls.
    pub const fn shown(self, ebcdic: u8) -> char {
        match self.to_program_table()[ebcdic as usize] {
            0x00..=0x1F | 0x7F..=0x9F => ' ',
            program => self.character(program),
        }
    }

    /// The EBCDIC byte of a typed character; `None` if the page lacks it.
    pub fn typed(self, character: char) -> Option<u8> {
        let program = match character {
            '€' => EURO,
            _ => u8::try_from(character).ok()?,
        };
        let byte = self.from_program_table()[usize::from(program)];
        // A control is shown as a blank, and the euro's place has another sign in most pages.
        (self.shown(byte) == character).then_some(byte)
    }

    /// A text in EBCDIC; `?` for characters that the page lacks.
    pub fn encode(self, text: &str) -> Vec<u8> {
        let unknown = self.from_program_table()[usize::from(b'?')];
        text.chars().map(|character| self.typed(character).unwrap_or(unknown)).collect()
    }
}

/// The upper case of each program character: letters with accents too. `ß`, `ÿ` and `µ` stay, because their upper case
/// is not a single program character.
static UPPER: Table = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < table.len() {
        let byte = at as u8;
        table[at] = match byte {
            b'a'..=b'z' | 0xE0..=0xF6 | 0xF8..=0xFE => byte - (b'a' - b'A'),
            _ => byte,
        };
        at += 1;
    }
    table
};

/// One program character in upper case.
pub const fn upper(program: u8) -> u8 {
    UPPER[program as usize]
}

/// Turns program characters into upper case in place.
pub fn to_upper(program: &mut [u8]) {
    translate(&UPPER, program);
}

fn translate(table: &Table, bytes: &mut [u8]) {
    for byte in bytes {
        *byte = table[usize::from(*byte)];
    }
}

fn translated(table: &Table, bytes: &[u8]) -> Vec<u8> {
    bytes.iter().map(|&byte| table[usize::from(byte)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of X'00' to X'3F' in every page, as `iconv` and Python have them.
    const CONTROLS: [u8; 64] = [
        0x00, 0x01, 0x02, 0x03, 0x9C, 0x09, 0x86, 0x7F, 0x97, 0x8D, 0x8E, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x10,
        0x11, 0x12, 0x13, 0x9D, 0x85, 0x08, 0x87, 0x18, 0x19, 0x92, 0x8F, 0x1C, 0x1D, 0x1E, 0x1F, 0x80, 0x81,
        0x82, 0x83, 0x84, 0x0A, 0x17, 0x1B, 0x88, 0x89, 0x8A, 0x8B, 0x8C, 0x05, 0x06, 0x07, 0x90, 0x91, 0x16,
        0x93, 0x94, 0x95, 0x96, 0x04, 0x98, 0x99, 0x9A, 0x9B, 0x14, 0x15, 0x9E, 0x1A,
    ];

    /// The characters of X'40' to X'FF', sixteen to a row, as `iconv` and Python have them. One exception: X'BC' of 273
    /// is a macron as in `iconv`, since Python's overline is not in ISO 8859-1 and would be lost.
    const PRINTABLE: [(CodePage, [&str; 12]); 5] = [
        (
            CodePage::Ibm037,
            [
                " \u{a0}âäàáãåçñ¢.<(+|",
                "&éêëèíîïìß!$*);¬",
                "-/ÂÄÀÁÃÅÇÑ¦,%_>?",
                "øÉÊËÈÍÎÏÌ`:#@'=\"",
                "Øabcdefghi«»ðýþ±",
                "°jklmnopqrªºæ¸Æ¤",
                "µ~stuvwxyz¡¿ÐÝÞ®",
                "^£¥·©§¶¼½¾[]¯¨´×",
                "{ABCDEFGHI\u{ad}ôöòóõ",
                "}JKLMNOPQR¹ûüùúÿ",
                "\\÷STUVWXYZ²ÔÖÒÓÕ",
                "0123456789³ÛÜÙÚ\u{9f}",
            ],
        ),
        (
            CodePage::Ibm1047,
            [
                " \u{a0}âäàáãåçñ¢.<(+|",
                "&éêëèíîïìß!$*);^",
                "-/ÂÄÀÁÃÅÇÑ¦,%_>?",
                "øÉÊËÈÍÎÏÌ`:#@'=\"",
                "Øabcdefghi«»ðýþ±",
                "°jklmnopqrªºæ¸Æ¤",
                "µ~stuvwxyz¡¿Ð[Þ®",
                "¬£¥·©§¶¼½¾Ý¨¯]´×",
                "{ABCDEFGHI\u{ad}ôöòóõ",
                "}JKLMNOPQR¹ûüùúÿ",
                "\\÷STUVWXYZ²ÔÖÒÓÕ",
                "0123456789³ÛÜÙÚ\u{9f}",
            ],
        ),
        (
            CodePage::Ibm500,
            [
                " \u{a0}âäàáãåçñ[.<(+!",
                "&éêëèíîïìß]$*);^",
                "-/ÂÄÀÁÃÅÇÑ¦,%_>?",
                "øÉÊËÈÍÎÏÌ`:#@'=\"",
                "Øabcdefghi«»ðýþ±",
                "°jklmnopqrªºæ¸Æ¤",
                "µ~stuvwxyz¡¿ÐÝÞ®",
                "¢£¥·©§¶¼½¾¬|¯¨´×",
                "{ABCDEFGHI\u{ad}ôöòóõ",
                "}JKLMNOPQR¹ûüùúÿ",
                "\\÷STUVWXYZ²ÔÖÒÓÕ",
                "0123456789³ÛÜÙÚ\u{9f}",
            ],
        ),
        (
            CodePage::Ibm273,
            [
                " \u{a0}â{àáãåçñÄ.<(+!",
                "&éêëèíîïì~Ü$*);^",
                "-/Â[ÀÁÃÅÇÑö,%_>?",
                "øÉÊËÈÍÎÏÌ`:#§'=\"",
                "Øabcdefghi«»ðýþ±",
                "°jklmnopqrªºæ¸Æ¤",
                "µßstuvwxyz¡¿ÐÝÞ®",
                "¢£¥·©@¶¼½¾¬|¯¨´×",
                "äABCDEFGHI\u{ad}ô¦òóõ",
                "üJKLMNOPQR¹û}ùúÿ",
                "Ö÷STUVWXYZ²Ô\\ÒÓÕ",
                "0123456789³Û]ÙÚ\u{9f}",
            ],
        ),
        (
            CodePage::Ibm1140,
            [
                " \u{a0}âäàáãåçñ¢.<(+|",
                "&éêëèíîïìß!$*);¬",
                "-/ÂÄÀÁÃÅÇÑ¦,%_>?",
                "øÉÊËÈÍÎÏÌ`:#@'=\"",
                "Øabcdefghi«»ðýþ±",
                "°jklmnopqrªºæ¸Æ€",
                "µ~stuvwxyz¡¿ÐÝÞ®",
                "^£¥·©§¶¼½¾[]¯¨´×",
                "{ABCDEFGHI\u{ad}ôöòóõ",
                "}JKLMNOPQR¹ûüùúÿ",
                "\\÷STUVWXYZ²ÔÖÒÓÕ",
                "0123456789³ÛÜÙÚ\u{9f}",
            ],
        ),
    ];

    #[test]
    fn every_page_agrees_with_iconv_and_python() {
        for (page, rows) in PRINTABLE {
            let published =
                CONTROLS.iter().map(|&b| char::from(b)).chain(rows.concat().chars().collect::<Vec<_>>());
            let ours = page.to_program_table().iter().map(|&b| page.character(b));
            for (byte, (ours, published)) in ours.zip(published).enumerate() {
                assert_eq!(ours, published, "{} X'{byte:02X}'", page.name());
            }
            assert_eq!(rows.concat().chars().count() + CONTROLS.len(), 256);
        }
    }

    #[test]
    fn there_and_back_is_the_same_for_every_byte() {
        let all: Vec<u8> = (0..=255).collect();
        for page in CodePage::ALL {
            assert_eq!(page.from_program(&page.to_program(&all)), all);
            let mut bytes = all.clone();
            page.from_program_in_place(&mut bytes);
            page.to_program_in_place(&mut bytes);
            assert_eq!(bytes, all);
        }
    }

    #[test]
    fn new_line_and_line_feed_stay_apart() {
        for page in CodePage::ALL {
            assert_eq!(page.to_program(&[0x15, 0x25]), [0x85, b'\n'], "{}", page.name());
        }
    }

    #[test]
    fn the_signs_of_zoned_numbers_are_braces_and_letters_but_not_in_germany() {
        let signs: Vec<u8> = (0xC0..=0xC9).chain(0xD0..=0xD9).collect();
        for page in [CodePage::NUMERIC, CodePage::Ibm1047, CodePage::Ibm500, CodePage::Ibm1140] {
            assert_eq!(page.to_program(&signs), *b"{ABCDEFGHI}JKLMNOPQR");
        }
        assert_eq!(CodePage::Ibm273.to_program(&[0xC0, 0xD0]), [0xE4, 0xFC]);
    }

    #[test]
    fn the_euro_is_where_037_has_the_currency_sign() {
        assert_eq!(CodePage::Ibm1140.to_program(&[0x9F]), [0xA4]);
        assert_eq!(CodePage::Ibm1140.character(0xA4), '€');
        assert_eq!(CodePage::Ibm037.character(0xA4), '¤');
    }

    #[test]
    fn a_screen_shows_a_byte_and_a_keyboard_gives_it() {
        for page in CodePage::ALL {
            for byte in 0x40..=0xFE {
                assert_eq!(page.typed(page.shown(byte)), Some(byte), "{} X'{byte:02X}'", page.name());
            }
            assert!((0x00..0x40).all(|control| page.shown(control) == ' '), "{}", page.name());
            assert_eq!(page.encode("A1\u{0}\u{7F}漢"), [0xC1, 0xF1, 0x6F, 0x6F, 0x6F], "{}", page.name());
        }
        assert_eq!([CodePage::Ibm1140, CodePage::Ibm037].map(|page| page.typed('€')), [Some(0x9F), None]);
        assert_eq!([CodePage::Ibm1140, CodePage::Ibm037].map(|page| page.typed('¤')), [None, Some(0x9F)]);
    }

    #[test]
    fn names() {
        let cases = [
            ("IBM037", Some(CodePage::Ibm037)),
            ("037", Some(CodePage::Ibm037)),
            ("37", Some(CodePage::Ibm037)),
            ("cp037", Some(CodePage::Ibm037)),
            ("IBM-1047", Some(CodePage::Ibm1047)),
            ("Cp500", Some(CodePage::Ibm500)),
            (" ibm273 ", Some(CodePage::Ibm273)),
            ("1140", Some(CodePage::Ibm1140)),
            ("IBM+37", None),
            ("850", None),
            ("ibm", None),
            ("99999999999", None),
            ("", None),
        ];
        for (name, page) in cases {
            assert_eq!(CodePage::parse(name), page, "{name:?}");
        }
        for page in CodePage::ALL {
            assert_eq!(CodePage::parse(page.name()), Some(page));
        }
    }

    #[test]
    fn upper_case_takes_accents_along_and_leaves_the_rest() {
        for page in CodePage::ALL {
            let mut ebcdic = page.from_program(&latin1("az AZ 09 {}~ éüñæþ ÷ßÿµ"));
            page.upper_in_place(&mut ebcdic);
            assert_eq!(page.to_program(&ebcdic), latin1("AZ AZ 09 {}~ ÉÜÑÆÞ ÷ßÿµ"), "{}", page.name());
        }
        let mut program = latin1("straße");
        to_upper(&mut program);
        assert_eq!(program, latin1("STRAßE"));
        assert_eq!(upper(b'q'), b'Q');
    }

    fn latin1(text: &str) -> Vec<u8> {
        text.chars().map(|c| u8::try_from(u32::from(c)).expect("ISO 8859-1")).collect()
    }
}
