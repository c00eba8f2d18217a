//! The BIND of a session, as a TN3270E terminal is shown it: of a display (LU type 2) or a printer (LU types 1 and 3).

use crate::datastream::Size;

/// Offsets within a BIND.
mod at {
    pub const RU_SIZES: usize = 10;
    pub const LU_TYPE: usize = 14;
    pub const DEFAULT_ROWS: usize = 20;
    pub const ALTERNATE_ROWS: usize = 22;
    pub const SIZE_CODE: usize = 24;
    pub const PLU_NAME_LEN: usize = 27;
}

/// First bytes of a non-negotiable BIND: FM and TS profile 3 and their consequences for a display.
const OPENING: [u8; 8] = [0x31, 0x01, 0x03, 0x03, 0xB1, 0x90, 0x30, 0x80];
/// Request units of 1,024 bytes inbound and 3,840 outbound, each as mantissa × 2^exponent.
const RU_SIZES: [u8; 2] = [0x87, 0xF8];
/// The longest name of an application in a BIND.
const PLU_NAME_LEN_MAX: usize = 8;

/// The form in which a BIND gives the screen's sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PresentationSize {
    /// 24 × 80, and the terminal's own alternate size, which its answer to a query tells.
    Queried,
    /// These two: default and alternate.
    Explicit(Size, Size),
}

/// The kind of device that a session is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogicalUnit {
    /// A display with the extended data stream: LU type 2.
    #[default]
    Display,
    /// A printer that takes SCS: LU type 1.
    ScsPrinter,
    /// A printer that takes the 3270 data stream: LU type 3.
    Printer3270,
}

impl LogicalUnit {
    /// Its bytes in a BIND.
    fn code(self) -> [u8; 2] {
        match self {
            Self::Display => [0x02, 0x80],
            Self::ScsPrinter => [0x01, 0x00],
            Self::Printer3270 => [0x03, 0x00],
        }
    }

    fn of(code: u8) -> Self {
        match code {
            0x01 => Self::ScsPrinter,
            0x03 => Self::Printer3270,
            _ => Self::Display,
        }
    }
}

/// The content of a BIND.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bind {
    /// The kind of device.
    pub unit: LogicalUnit,
    /// The screen's sizes.
    pub size: PresentationSize,
    /// The application's name in EBCDIC, at most eight bytes.
    pub application: Vec<u8>,
}

impl Bind {
    /// The image.
    pub fn write(&self) -> Vec<u8> {
        let mut image = vec![0; at::PLU_NAME_LEN];
        image[..OPENING.len()].copy_from_slice(&OPENING);
        image[at::RU_SIZES..at::RU_SIZES + 2].copy_from_slice(&RU_SIZES);
        image[at::LU_TYPE..at::LU_TYPE + 2].copy_from_slice(&self.unit.code());
        image[at::SIZE_CODE] = match self.size {
            PresentationSize::Queried => 0x03,
            PresentationSize::Explicit(default, alternate) => {
                image[at::DEFAULT_ROWS..at::DEFAULT_ROWS + 2].copy_from_slice(&in_bytes(default));
                image[at::ALTERNATE_ROWS..at::ALTERNATE_ROWS + 2].copy_from_slice(&in_bytes(alternate));
                0x7F
            }
        };
        let name = &self.application[..self.application.len().min(PLU_NAME_LEN_MAX)];
        image.push(name.len() as u8);
        image.extend(name);
        // No user data; x3270 takes a name only if something follows it.
        image.push(0);
        image
    }

    /// Reads an image; `None` if it is not a BIND.
    pub fn read(image: &[u8]) -> Option<Bind> {
        if image.first() != Some(&OPENING[0]) {
            return None;
        }
        let size_at = |at: usize| {
            Some(Size { rows: u16::from(*image.get(at)?), columns: u16::from(*image.get(at + 1)?) })
        };
        let size = match image.get(at::SIZE_CODE)? {
            0x7E => PresentationSize::Explicit(size_at(at::DEFAULT_ROWS)?, size_at(at::DEFAULT_ROWS)?),
            0x7F => PresentationSize::Explicit(size_at(at::DEFAULT_ROWS)?, size_at(at::ALTERNATE_ROWS)?),
            0x03 => PresentationSize::Queried,
            _ => PresentationSize::Explicit(Size::MODEL_2, Size::MODEL_2),
        };
        let len = image.get(at::PLU_NAME_LEN).copied().unwrap_or(0);
        let name = image.get(at::PLU_NAME_LEN + 1..)?.get(..usize::from(len))?;
        let unit = LogicalUnit::of(*image.get(at::LU_TYPE)?);
        Some(Bind { unit, size, application: name.to_vec() })
    }
}

/// A BIND has a byte for each measure; the query alone shows a larger screen.
fn in_bytes(size: Size) -> [u8; 2] {
    [u8::try_from(size.rows).unwrap_or(u8::MAX), u8::try_from(size.columns).unwrap_or(u8::MAX)]
}
