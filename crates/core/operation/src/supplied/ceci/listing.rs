//! The variables of a session on a screen: each with its length and its first characters, all of which may be typed over.

use ebcdic::Characters;

use super::value::Value;
use super::variables::Variables;
use crate::supplied::desk::Reply;
use crate::supplied::frame::{FIRST_ROW, Frame};
use crate::supplied::panel::{Panel, PanelPlace};

/// The columns of a row, and the length of a name and of a length.
const NAME: u16 = 2;
const LENGTH: u16 = 14;
const DATA: u16 = 23;
const NAME_LENGTH: usize = kernel::exec::parcel::VARIABLE_LETTERS;
const LENGTH_LENGTH: usize = 6;
const DATA_LENGTH: usize = 50;

/// Draws the page from a variable on; empty rows take new ones.
pub(super) fn draw(panel: &mut Panel, variables: &Variables, above: usize, frame: Frame) {
    panel.bright((2, 2), "VARIABLES   LENGTH   DATA");
    for (row, at) in (FIRST_ROW..=frame.last_row()).zip(above..) {
        let shown = variables.all().get(at);
        let (name, length, data) = shown.map_or_else(Default::default, |(name, value)| {
            let bytes = value.characters();
            let data = Characters::default().text(&bytes[..bytes.len().min(DATA_LENGTH)]);
            (name.clone(), value.length(), data)
        });
        let data: String = data.chars().map(|c| if c.is_control() { '.' } else { c }).collect();
        let room = shown.map_or(DATA_LENGTH, |(_, value)| value.characters().len().clamp(1, DATA_LENGTH));
        panel.entry((row, NAME), NAME_LENGTH, &name);
        panel.entry((row, LENGTH), LENGTH_LENGTH, &length).entry((row, DATA), room, &data);
    }
}

/// The name of the variable on the row of a place.
pub(super) fn at(variables: &Variables, above: usize, frame: Frame, place: PanelPlace) -> Option<&str> {
    let row = place.0.checked_sub(FIRST_ROW).filter(|_| place.0 <= frame.last_row())?;
    variables.all().get(above + usize::from(row)).map(|(name, _)| name.as_str())
}

/// Obeys what was typed over: new variables, others without their names, lengths, data. True if there was anything.
///
/// # Errors
/// A sentence about the first row that is wrong; the others are as they were typed.
pub(super) fn take(
    reply: &Reply,
    variables: &mut Variables,
    above: usize,
    frame: Frame,
) -> Result<bool, String> {
    let names: Vec<String> = variables.all().iter().skip(above).map(|(name, _)| name.clone()).collect();
    let (mut any, mut wrong) = (false, None);
    for (row, at) in (FIRST_ROW..=frame.last_row()).zip(0..) {
        let typed = Typed {
            name: reply.at((row, NAME)).map(str::to_ascii_uppercase),
            length: reply.at((row, LENGTH)),
            data: reply.typed((row, DATA)),
        };
        any |= typed.name.is_some() || typed.length.is_some() || typed.data.is_some();
        let done = match names.get(at) {
            Some(own) => typed.changes(own, variables),
            None => typed.makes(variables),
        };
        wrong = wrong.or(done.err());
    }
    wrong.map_or(Ok(any), Err)
}

/// The fields of a row.
struct Typed<'r> {
    name: Option<String>,
    length: Option<&'r str>,
    data: Option<&'r str>,
}

impl Typed<'_> {
    /// In the row of a variable. Without a name it goes.
    fn changes(&self, own: &str, variables: &mut Variables) -> Result<(), String> {
        if self.name.as_deref() == Some("") {
            variables.remove(own);
            return Ok(());
        }
        let name = self.name.as_deref().unwrap_or(own);
        if name != own {
            variables.rename(own, name)?;
        }
        let Some(value) = variables.get_mut(name) else { return Ok(()) };
        if let Some(length) = self.length {
            value.resize(length)?;
        }
        self.put(value)
    }

    /// In an empty row.
    fn makes(&self, variables: &mut Variables) -> Result<(), String> {
        let Some(name) = self.name.as_deref().filter(|name| !name.is_empty()) else { return Ok(()) };
        let long = self.data.map_or(0, |data| data.trim_end().chars().count()).to_string();
        let length = self.length.filter(|length| !length.is_empty()).unwrap_or(&long);
        let mut value = Value::of_length(length).ok_or_else(|| format!("{length} IS NO LENGTH"))?;
        self.put(&mut value)?;
        variables.make(name, value)
    }

    fn put(&self, value: &mut Value) -> Result<(), String> {
        match self.data {
            // The whole of it, or what of it is shown.
            Some(data) => {
                let mut bytes = Characters::default().bytes(data);
                bytes.resize(value.characters().len().min(DATA_LENGTH), b' ');
                value.put(0, &bytes)
            }
            None => Ok(()),
        }
    }
}
