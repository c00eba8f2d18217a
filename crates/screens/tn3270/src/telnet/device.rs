//! Device types: `IBM-3278-2-E`, `IBM-DYNAMIC`, `IBM-3287-1`, ….

use std::fmt;

use crate::datastream::Size;

/// The kind of device that a type names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// A 3270 display.
    Display,
    /// A 3270 printer.
    Printer,
    /// No 3270: an ordinary telnet client.
    Other,
}

/// The language of a printer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PrinterLanguage {
    /// The 3270 data stream: orders, and a write control character that starts the printer (LU type 3).
    #[default]
    DataStream,
    /// SCS: text with control characters (LU type 1).
    Scs,
}

/// A device type as the client named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceType(String);

impl DeviceType {
    /// The longest name of a device type in bytes (RFC 1091 allows 40).
    pub const LEN_MAX: usize = 40;

    /// A device type; names are compared in upper case, and nothing but printing ASCII is kept.
    pub fn new(name: &str) -> Self {
        Self(
            name.chars()
                .filter(char::is_ascii_graphic)
                .take(Self::LEN_MAX)
                .collect::<String>()
                .to_uppercase(),
        )
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.0
    }

    /// Display, printer or neither.
    pub fn kind(&self) -> DeviceKind {
        let Some(model) = self.0.strip_prefix("IBM-") else { return DeviceKind::Other };
        if model.starts_with("3287") {
            return DeviceKind::Printer;
        }
        match model.starts_with("327") || model == "DYNAMIC" {
            true => DeviceKind::Display,
            false => DeviceKind::Other,
        }
    }

    /// Returns true if only the terminal's answer to a query has the size.
    pub fn is_dynamic(&self) -> bool {
        self.0 == "IBM-DYNAMIC"
    }

    /// Returns true if the terminal answers queries: it has the extended data stream.
    pub fn is_extended(&self) -> bool {
        self.is_dynamic() || self.0.ends_with("-E")
    }

    /// The alternate size that the model number stands for; the default size is 24 × 80 for all of them.
    pub fn alternate_size(&self) -> Size {
        match self.0.trim_end_matches("-E").rsplit('-').next() {
            Some("3") => Size { rows: 32, columns: 80 },
            Some("4") => Size { rows: 43, columns: 80 },
            Some("5") => Size { rows: 27, columns: 132 },
            _ => Size::MODEL_2,
        }
    }
}

impl fmt::Display for DeviceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
