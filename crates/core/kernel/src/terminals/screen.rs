//! Messages of the region itself to a terminal.

use ebcdic::Characters;
use tn3270::datastream::{Address, Command, FieldAttribute, Outbound, Size, Visibility, Wcc};

use super::Terminal;
use crate::region::Region;

/// Lines of a message: all of them are written.
const MESSAGE_LINES: u16 = 2;
/// Lines of the longest message: one with the reason of an abend behind it.
const MESSAGE_LINES_MAX: usize = 5;

/// Writes a message to a terminal, behind what its task has written.
pub async fn tell(region: &Region, terminal: &Terminal, text: &str) {
    if terminal.is_printer() {
        return note(terminal, text);
    }
    let (stream, lines) = message_stream(region, terminal, text);
    terminal.send(stream).await;
    terminal.shows_message(lines);
}

/// Writes a message to a terminal at once, if it takes it.
pub fn try_tell(region: &Region, terminal: &Terminal, text: &str) {
    if terminal.is_printer() {
        return note(terminal, text);
    }
    let (stream, lines) = message_stream(region, terminal, text);
    terminal.try_send(stream);
    terminal.shows_message(lines);
}

/// A message for a user: a printer has none.
fn note(terminal: &Terminal, text: &str) {
    if text.contains(" failed with abend ") {
        return; // The log has it already.
    }
    tracing::warn!(target: "TC", "printer {}: {text}", terminal.name);
}

/// A message on the screen's last lines, and how many these are; the rest of the screen stays, and is open for typing.
fn message_stream(region: &Region, terminal: &Terminal, text: &str) -> (Vec<u8>, u16) {
    let Size { rows, columns } = terminal.size();
    let protected = FieldAttribute::default().protected(true).visibility(Visibility::Bright);
    let mut stream = Outbound::write(Command::Write, Wcc::RESTORE);
    // Each paragraph begins a line.
    let mut lines: Vec<&str> = text.lines().flat_map(|text| broken(text, usize::from(columns) - 2)).collect();
    lines.truncate(MESSAGE_LINES_MAX);
    // What stays of a longer message before it would be read with this one.
    let count = MESSAGE_LINES.max(lines.len() as u16).max(terminal.message_lines());
    stream.set_buffer_address(Address((rows - count) * columns)).start_field(protected);
    // The first column of each line is left free: an attribute stands in that of the first, and one behind the text.
    let mut lines = lines.into_iter();
    for line in (0..count).rev() {
        let text = Characters::default().bytes(lines.next().unwrap_or_default());
        let text = region.options.terminal_code_page.from_program(&text);
        let end = Address((rows - line) * columns - 1);
        let start = end.0 + 2 - columns;
        stream.set_buffer_address(Address(start)).text(&text);
        if start + text.len() as u16 != end.0 {
            stream.repeat_to_address(end, BLANK);
        }
    }
    stream
        .set_buffer_address(Address(rows * columns - 1))
        .start_field(FieldAttribute::default())
        .set_buffer_address(Address(0))
        .insert_cursor();
    (stream.finish(), count)
}

/// The blank of terminals.
const BLANK: u8 = 0x40;

/// A text in lines of at most so many bytes, broken between words where there are any.
fn broken(mut text: &str, longest: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    while text.len() > longest {
        let room = text.floor_char_boundary(longest + 1);
        let at = text[..room].rfind(' ').filter(|at| *at > 0).unwrap_or(text.floor_char_boundary(longest));
        lines.push(&text[..at]);
        text = text[at..].trim_start();
    }
    lines.push(text);
    lines
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn a_message_is_broken_between_words() {
        assert_eq!(broken("one two three", 7), ["one two", "three"]);
        assert_eq!(broken("one two three", 6), ["one", "two", "three"]);
        assert_eq!(broken("onetwothree", 4), ["onet", "woth", "ree"]);
        assert_eq!(broken("one", 3), ["one"]);
    }
}
