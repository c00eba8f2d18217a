//! The description of records by a copybook.

use copybook::{Choices, Converter, Layout, decode, encode};
use diagnostics::{Source, any_error};
use ebcdic::CodePage;

use super::{Of, wrong};
use crate::application::{Messages, read};
use crate::terminal;

/// Names with values.
pub(crate) type Fields = Vec<(String, String)>;

/// The rules by which records are read and written.
pub(crate) struct Description {
    layout: Option<Layout>,
    choices: Choices,
    code_page: Option<CodePage>,
}

/// The name of a record that no copybook describes.
const WHOLE: &str = "RECORD";

impl Description {
    pub fn new(of: &Of) -> Result<Self, Messages> {
        let code_page = match &of.code_page {
            Some(name) => {
                Some(CodePage::parse(name).ok_or_else(|| wrong(format!("there is no code page {name}")))?)
            }
            None => None,
        };
        let choices = of.redefined.iter().fold(Choices::new(), |choices, field| choices.always(field));
        let Some(path) = &of.copybook else { return Ok(Self { layout: None, choices, code_page }) };
        let parsed = copybook::parse(&Source::new(path.display().to_string(), read(path)?));
        if any_error(&parsed.messages) {
            return Err(parsed.messages);
        }
        terminal::tell(&parsed.messages);
        let wanted = |layout: &Layout| {
            of.record
                .as_deref()
                .is_none_or(|name| layout.name().is_some_and(|own| own.eq_ignore_ascii_case(name)))
        };
        let names: Vec<&str> = parsed.layouts.iter().filter_map(Layout::name).collect();
        let names = if names.is_empty() { "no record".to_owned() } else { names.join(", ") };
        let layout = parsed.layouts.into_iter().find(wanted);
        let layout = layout.ok_or_else(|| wrong(format!("{} describes {names}", path.display())))?;
        if let Some(unknown) = of.redefined.iter().find(|field| layout.field(field).is_none()) {
            return Err(wrong(format!("{} has no field {unknown}", path.display())));
        }
        Ok(Self { layout: Some(layout), choices, code_page })
    }

    /// A record as fields; without a copybook, as one field.
    pub fn decode(&self, record: &[u8]) -> Result<Fields, String> {
        let record = self.converted(record)?;
        match &self.layout {
            Some(layout) => decode(layout, &self.choices, &record).map_err(|error| error.to_string()),
            None => Ok(vec![(WHOLE.to_owned(), text(&record))]),
        }
    }

    /// The names of fields, where no record shows them.
    pub fn names(&self) -> Vec<String> {
        let Some(layout) = &self.layout else { return vec![WHOLE.to_owned()] };
        let blank = encode(layout, &self.choices, []).and_then(|blank| decode(layout, &self.choices, &blank));
        blank.map(|fields| fields.into_iter().map(|(name, _)| name).collect()).unwrap_or_default()
    }

    fn converted(&self, record: &[u8]) -> Result<Vec<u8>, String> {
        match (self.code_page, &self.layout) {
            (None, _) => Ok(record.to_vec()),
            (Some(page), None) => Ok(page.to_program(record)),
            (Some(page), Some(layout)) => {
                let converter = Converter::new(layout, page).with(self.choices.clone());
                converter.to_program(record).map_err(|error| error.to_string())
            }
        }
    }

    /// A record from fields.
    pub fn encode(&self, fields: &[(String, String)]) -> Result<Vec<u8>, String> {
        let record = match &self.layout {
            Some(layout) => {
                let values = fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
                encode(layout, &self.choices, values).map_err(|error| error.to_string())?
            }
            None => {
                let whole = fields.iter().find(|(name, _)| name == WHOLE);
                let (_, value) =
                    whole.ok_or_else(|| format!("there is no field {WHOLE}: name a copybook"))?;
                bytes(value).ok_or_else(|| "a character is none that a record can hold".to_owned())?
            }
        };
        match (self.code_page, &self.layout) {
            (None, _) => Ok(record),
            (Some(page), None) => Ok(page.from_program(&record)),
            (Some(page), Some(layout)) => {
                let converter = Converter::new(layout, page).with(self.choices.clone());
                converter.from_program(&record).map_err(|error| error.to_string())
            }
        }
    }
}

/// Bytes as text, or as `X'…'` where they are none.
pub(crate) fn text(bytes: &[u8]) -> String {
    let is_text = bytes.iter().all(|byte| (b' '..=b'~').contains(byte));
    if is_text && !bytes.starts_with(b"X'") {
        return bytes.iter().map(|&byte| char::from(byte)).collect();
    }
    let digits: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
    format!("X'{digits}'")
}

/// The bytes of a text, or of `X'…'`.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let Some(digits) = text.strip_prefix("X'").and_then(|rest| rest.strip_suffix('\'')) else {
        return text.chars().map(|c| u8::try_from(c).ok()).collect();
    };
    if !digits.is_ascii() || !digits.len().is_multiple_of(2) {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_text_and_back() {
        for (own, shown) in [(&b"AB 1"[..], "AB 1"), (b"A\0", "X'4100'"), (b"X'41'", "X'5827343127'")] {
            assert_eq!(text(own), shown);
            assert_eq!(bytes(shown).as_deref(), Some(own));
        }
        assert_eq!(bytes("X'4'"), None);
    }
}
