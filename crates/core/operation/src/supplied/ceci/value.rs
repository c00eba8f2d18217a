//! A value that a user of CECI looks at and types over: text of a length, or a number of a form.

use ebcdic::Characters;
use kernel::exec::Content;
use kernel::limits::HALFWORD_LENGTH_MAX;

/// The form of a number, by its published letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Halfword,
    Fullword,
    Doubleword,
    /// Four bytes, packed.
    Packed,
    /// Eight bytes, packed.
    LongPacked,
}

/// The forms with their letters and digits.
const FORMS: [(Form, &str, usize); 5] = [
    (Form::Halfword, "H", 5),
    (Form::Fullword, "F", 10),
    (Form::Doubleword, "FD", 19),
    (Form::Packed, "P", 7),
    (Form::LongPacked, "D", 15),
];

impl Form {
    fn row(self) -> &'static (Self, &'static str, usize) {
        FORMS.iter().find(|(form, ..)| *form == self).unwrap_or(&FORMS[1])
    }

    /// Its letter.
    pub fn letter(self) -> &'static str {
        self.row().1
    }

    /// Characters of a number: its sign and all digits.
    fn width(self) -> usize {
        self.row().2 + 1
    }

    /// Returns true if a number fits.
    fn takes(self, number: i64) -> bool {
        match self {
            Self::Halfword => i16::try_from(number).is_ok(),
            Self::Fullword => i32::try_from(number).is_ok(),
            Self::Doubleword => true,
            Self::Packed | Self::LongPacked => {
                number.unsigned_abs() < 10u64.pow(u32::try_from(self.row().2).unwrap_or(0))
            }
        }
    }
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Characters of a program.
    Text(Vec<u8>),
    Number(Form, i64),
}

impl Value {
    /// An empty value of a length as it is typed: a number of characters, or the letter of a form.
    pub fn of_length(typed: &str) -> Option<Self> {
        let typed = typed.trim().to_ascii_uppercase();
        if let Some((form, ..)) = FORMS.iter().find(|(_, letter, _)| *letter == typed) {
            return Some(Self::Number(*form, 0));
        }
        let length = typed.strip_prefix('+').unwrap_or(&typed).parse::<usize>().ok()?;
        (length <= HALFWORD_LENGTH_MAX).then(|| Self::Text(vec![b' '; length]))
    }

    /// The value that a command has, or gives.
    pub fn of_content(content: &Content) -> Self {
        match content {
            Content::Nothing => Self::Text(Vec::new()),
            Content::Bytes(bytes) => Self::Text(bytes.clone()),
            Content::Number(number) if Form::Fullword.takes(*number) => Self::Number(Form::Fullword, *number),
            Content::Number(number) => Self::Number(Form::Doubleword, *number),
            Content::Pointer(address) => Self::Text(format!("{address:?}").into_bytes()),
        }
    }

    /// It as the value of an option.
    pub fn content(&self) -> Content {
        match self {
            Self::Text(bytes) => Content::Bytes(bytes.clone()),
            Self::Number(_, number) => Content::Number(*number),
        }
    }

    /// Its length, as it is published: the number of characters, or the letter of a number's form.
    pub fn length(&self) -> String {
        match self {
            Self::Text(bytes) => format!("{:+06}", bytes.len()),
            Self::Number(form, _) => form.letter().to_owned(),
        }
    }

    /// The characters that are shown and typed over.
    pub fn characters(&self) -> Vec<u8> {
        match self {
            Self::Text(bytes) => bytes.clone(),
            Self::Number(form, number) => format!("{number:+0width$}", width = form.width()).into_bytes(),
        }
    }

    /// Gives it another length: a text is cut short or goes on with blanks, and what becomes another form begins as zero.
    pub fn resize(&mut self, typed: &str) -> Result<(), String> {
        let empty = Self::of_length(typed).ok_or_else(|| format!("{typed} IS NO LENGTH"))?;
        match (&mut *self, &empty) {
            (Self::Text(bytes), Self::Text(blanks)) => bytes.resize(blanks.len(), b' '),
            (Self::Number(form, _), Self::Number(other, _)) if form == other => {}
            _ => *self = empty,
        }
        Ok(())
    }

    /// Puts bytes at a place of its characters; those beyond its end are left out.
    pub fn put(&mut self, at: usize, typed: &[u8]) -> Result<(), String> {
        let mut characters = self.characters();
        for (character, typed) in characters.iter_mut().skip(at).zip(typed) {
            *character = *typed;
        }
        match self {
            Self::Text(bytes) => *bytes = characters,
            Self::Number(form, number) => {
                let text = Characters::default().text(&characters);
                let typed = text.trim().parse().ok().filter(|number| form.takes(*number));
                *number = typed
                    .ok_or_else(|| format!("{} IS NO NUMBER OF THE FORM {}", text.trim(), form.letter()))?;
            }
        }
        Ok(())
    }

    /// Takes what a command has given: the front of a text is replaced, a number that fits is taken.
    pub fn fill(&mut self, content: &Content) {
        match (&mut *self, content) {
            (Self::Text(old), Content::Bytes(new)) => {
                let length = old.len().min(new.len());
                old[..length].copy_from_slice(&new[..length]);
            }
            (Self::Text(_), Content::Number(number)) => self.fill(&Content::text(&number.to_string())),
            (Self::Number(form, old), Content::Number(new)) if form.takes(*new) => *old = *new,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_as_they_are_typed() {
        let shown = |typed| Value::of_length(typed).map(|value| value.length());
        assert_eq!(shown("21"), Some("+00021".to_owned()));
        assert_eq!(shown("+00021"), Some("+00021".to_owned()));
        assert_eq!(shown("fd"), Some("FD".to_owned()));
        assert_eq!(shown("0"), Some("+00000".to_owned()));
        assert_eq!((shown("32768"), shown("-1"), shown("X"), shown("")), (None, None, None, None));
    }

    #[test]
    fn a_number_has_its_sign_and_all_digits_of_its_form() {
        let mut value = Value::Number(Form::Halfword, -7);
        assert_eq!(value.characters(), b"-00007");
        value.put(0, b"+32767").expect("fits");
        assert_eq!(value, Value::Number(Form::Halfword, 32767));
        assert!(value.put(0, b"+32768").is_err() && value.put(0, b"SEVEN ").is_err());
        assert_eq!(value, Value::Number(Form::Halfword, 32767), "it stays what it was");
        let mut packed = Value::Number(Form::Packed, 0);
        packed.put(0, b"+9999999").expect("fits");
        packed.fill(&Content::Number(10_000_000));
        assert_eq!(packed, Value::Number(Form::Packed, 9_999_999), "one digit too many");
        let long = Value::Number(Form::Doubleword, i64::MIN);
        assert_eq!(long.characters().len(), 20);
    }

    #[test]
    fn a_text_keeps_its_length() {
        let mut value = Value::Text(b"ABCDEF".to_vec());
        value.fill(&Content::text("XY"));
        assert_eq!(value, Value::Text(b"XYCDEF".to_vec()));
        value.fill(&Content::text("LONGER THAN IT"));
        assert_eq!(value, Value::Text(b"LONGER".to_vec()));
        value.fill(&Content::Number(12));
        assert_eq!(value, Value::Text(b"12NGER".to_vec()));
        value.put(4, b"WXYZ").expect("a text takes anything");
        assert_eq!(value, Value::Text(b"12NGWX".to_vec()));
        value.resize("3").expect("a length");
        value.resize("4").expect("a length");
        assert_eq!(value, Value::Text(b"12N ".to_vec()));
        value.resize("F").expect("a form");
        assert_eq!(value, Value::Number(Form::Fullword, 0));
        assert!(value.resize("Q").is_err());
    }
}
