//! PRINT: records as people read them.

use std::fmt::Write;

use idcams::{Print, PrintFormat};
use vsam::{Dataset, Organization};

use super::source::{Counter, RECORD_MAX, Source, Turn};
use super::{Carried, DONE, Run};
use crate::codes;
use crate::file::Shape;

/// Bytes in a line of a dump, and in one of its groups.
const DUMP_LINE: usize = 32;
const DUMP_GROUP: usize = 4;
/// The words before the number of a record of a sequential data set.
const NUMBERED: &str = "RECORD SEQUENCE NUMBER - ";

impl Run<'_> {
    pub(super) async fn print(&mut self, command: &Print) -> Carried {
        let target = self.target(&command.from, None).await?;
        let mut counter = Counter::new(&command.selection);
        let format = command.format;
        match self.open(target, &command.selection).await? {
            Source::DataSet(mut selected) => {
                let mut record = Vec::new();
                while !counter.is_full() {
                    let Some(key) = selected.next(&mut record).await? else { break };
                    if counter.turn() == Turn::Take {
                        let heading = heading(&selected.dataset, &key, format);
                        self.print_record(&heading, &record, format);
                    }
                }
            }
            Source::File(file) => {
                let longest = if file.shape == Shape::Lines { 0 } else { RECORD_MAX };
                for (record, number) in file.read(longest)?.zip(1_u64..) {
                    match counter.turn() {
                        Turn::Take => {
                            let heading = format!("{NUMBERED}{number}");
                            self.print_record(&heading, &record?, format);
                        }
                        Turn::Skip => {}
                        Turn::End => break,
                    }
                }
            }
        }
        self.say(codes::PROCESSED, format_args!("records processed: {}", counter.taken));
        Ok(DONE)
    }

    fn print_record(&mut self, heading: &str, record: &[u8], format: PrintFormat) {
        let text = match format {
            PrintFormat::Character => shown(record) + "\n",
            PrintFormat::Hex => hex(record) + "\n",
            PrintFormat::Dump => dump(record),
        };
        let _ = writeln!(self.outcome.listing, "{heading}\n{text}");
    }
}

fn heading(dataset: &Dataset, key: &[u8], format: PrintFormat) -> String {
    let number = || key.iter().fold(0, |number: u64, byte| number << 8 | u64::from(*byte));
    match dataset.cluster().organization {
        Organization::EntrySequenced if !dataset.is_path() => format!("RBA OF RECORD - {}", number()),
        Organization::Relative => format!("RELATIVE RECORD NUMBER - {}", number()),
        _ if format == PrintFormat::Character => format!("KEY OF RECORD - {}", shown(key)),
        _ => format!("KEY OF RECORD - {}", hex(key)),
    }
}

/// Bytes as characters, with a full stop for each that cannot be shown.
fn shown(bytes: &[u8]) -> String {
    let shown = |byte: &u8| if byte.is_ascii_graphic() || *byte == b' ' { char::from(*byte) } else { '.' };
    bytes.iter().map(shown).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02X}");
        text
    })
}

fn dump(record: &[u8]) -> String {
    let width = DUMP_LINE / DUMP_GROUP * (2 * DUMP_GROUP + 1);
    record.chunks(DUMP_LINE).enumerate().fold(String::new(), |mut text, (number, bytes)| {
        let groups: String = bytes.chunks(DUMP_GROUP).map(|group| hex(group) + " ").collect();
        let offset = number * DUMP_LINE;
        let _ = writeln!(text, "{offset:06X}  {groups:<width$}  *{:<DUMP_LINE$}*", shown(bytes));
        text
    })
}
