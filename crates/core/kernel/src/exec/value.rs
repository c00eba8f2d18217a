//! Values that a command gives by a table of options: ASSIGN, INQUIRE.

use spec::OptionId;

use super::Call;
use super::call::Bytes;
use crate::raise::Outcome;

/// Value of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Characters, as many as the published field has.
    Text(Bytes),
    /// A number in the field's own USAGE.
    Number(i64),
    /// A CVDA by its name; it must be one.
    Cvda(&'static str),
    /// X'FF' for yes, X'00' for no.
    Flag(bool),
}

impl Value {
    /// Characters.
    pub fn text(bytes: impl AsRef<[u8]>) -> Self {
        Self::Text(Bytes::from_slice(bytes.as_ref()))
    }

    /// Characters, padded with blanks to the length of the published field.
    pub fn padded(text: &str, length: usize) -> Self {
        Self::text(format!("{text:<length$.length$}"))
    }

    /// One of two CVDAs.
    pub fn either(yes: bool, yes_name: &'static str, no_name: &'static str) -> Self {
        Self::Cvda(if yes { yes_name } else { no_name })
    }
}

impl Call<'_> {
    /// Gives a value to the program.
    ///
    /// # Errors
    /// ASRA on a bad address.
    ///
    /// # Panics
    /// If a CVDA has no number: a test goes through the tables.
    pub fn put_value(&self, option: OptionId, value: &Value) -> Outcome {
        match value {
            Value::Text(bytes) => self.put(option, bytes),
            Value::Number(number) => self.put_number(option, *number),
            Value::Cvda(name) => {
                let number = spec::cvda(name).unwrap_or_else(|| panic!("CVDA {name} has no number"));
                self.put_number(option, number.into())
            }
            Value::Flag(yes) => self.put(option, &[if *yes { 0xff } else { 0x00 }]),
        }
    }
}
