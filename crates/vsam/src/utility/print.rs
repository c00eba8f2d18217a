//! PRINT: records as people read them.

use std::fmt::Write;

use super::Extent;
use crate::{Dataset, Name, Organization, Result, Vsam};

/// Bytes in a line of a dump, and in one of its groups.
const DUMP_LINE: usize = 32;
const DUMP_GROUP: usize = 4;

/// How records are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrintFormat {
    /// As characters.
    Character,
    /// As hexadecimal digits.
    Hex,
    /// Both, side by side, with offsets.
    Dump,
}

impl Vsam {
    /// Prints records of a data set, line by line. `character` gives the character for a byte that can be shown.
    pub async fn print(
        &self,
        name: &Name,
        extent: &Extent,
        format: PrintFormat,
        character: &dyn Fn(u8) -> Option<char>,
        line: &mut dyn FnMut(&str),
    ) -> Result<u64> {
        let dataset = self.dataset(name).await?;
        let show =
            |bytes: &[u8]| bytes.iter().map(|byte| character(*byte).unwrap_or('.')).collect::<String>();
        let mut print = |found: &crate::Found, record: &[u8]| {
            line(&heading(&dataset, &found.key, format, &show));
            match format {
                PrintFormat::Character => line(&show(record)),
                PrintFormat::Hex => line(&hex(record)),
                PrintFormat::Dump => dump(record, &show, line),
            }
            line("");
            Ok(())
        };
        extent.visit(&dataset, &mut *self.begin(), &mut print).await
    }
}

fn heading(dataset: &Dataset, key: &[u8], format: PrintFormat, show: &dyn Fn(&[u8]) -> String) -> String {
    let number = || key.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
    match dataset.cluster().organization {
        Organization::EntrySequenced if !dataset.is_path() => format!("RBA OF RECORD - {}", number()),
        Organization::Relative => format!("RELATIVE RECORD NUMBER - {}", number()),
        _ if format == PrintFormat::Character => format!("KEY OF RECORD - {}", show(key)),
        _ => format!("KEY OF RECORD - {}", hex(key)),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    })
}

fn dump(record: &[u8], show: &dyn Fn(&[u8]) -> String, line: &mut dyn FnMut(&str)) {
    let width = DUMP_LINE / DUMP_GROUP * (2 * DUMP_GROUP + 1);
    for (number, bytes) in record.chunks(DUMP_LINE).enumerate() {
        let groups: String = bytes.chunks(DUMP_GROUP).map(|group| hex(group) + " ").collect();
        line(&format!("{:06X}  {groups:<width$}  *{:<DUMP_LINE$}*", number * DUMP_LINE, show(bytes)));
    }
}
