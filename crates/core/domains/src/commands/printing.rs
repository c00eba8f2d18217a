//! Output of commands at printers: 3270 data streams as they are, or a page as text with control characters.

use ebcdic::CodePage;
use tn3270::datastream::{Capabilities, Command, Outbound, Size, Wcc};
use tn3270::screen::Screen;
use tn3270::telnet::PrinterLanguage;

use kernel::raise::{Outcome, Raise};
use kernel::task::{Task, WaitKind};
use kernel::terminals::{Page, Printed, Printer, Terminal};

/// EBCDIC control characters of print formats.
mod control {
    pub const FORM_FEED: u8 = 0x0C;
    pub const NEW_LINE: u8 = 0x15;
    pub const END_OF_MEDIUM: u8 = 0x19;
}

/// The layout of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// NLEOM: lines that end in new-line characters, in place of buffer addresses.
    pub lines: bool,
    /// FORMFEED: on a new form, where the printer knows such a thing.
    pub form_feed: bool,
}

/// Has the printer of a task print something. Returns true if it has taken it, and false if it cannot print it.
///
/// # Errors
/// The abend of a task whose printer is gone, or that was purged.
pub(crate) async fn print(task: &Task, terminal: &Terminal, page: Page) -> Outcome<bool> {
    terminal.forget_first_input();
    match task.wait(WaitKind::TERMINAL, terminal.print(page)).await? {
        Printed::Done => Ok(true),
        Printed::Refused | Printed::NeedsSomebody => Ok(false),
        Printed::Gone => Err(Raise::abend("ATNI")),
    }
}

/// The form in which a printer gets a 3270 data stream that was made for a page.
pub(crate) fn page(
    printer: Printer,
    size: Size,
    code_page: CodePage,
    stream: Vec<u8>,
    layout: Layout,
) -> Page {
    let form_feed = layout.form_feed && printer.form_feed;
    match printer.language {
        PrinterLanguage::Scs => Page::Scs(lines(&stream, size, code_page, form_feed)),
        PrinterLanguage::DataStream if layout.lines || form_feed => {
            let text = lines(&stream, size, code_page, form_feed);
            let wcc = stream.get(1).copied().map(Wcc::of).unwrap_or_default();
            let command = stream.first().copied().and_then(Command::of).unwrap_or(Command::EraseWrite);
            lines_of(command, wcc, text)
        }
        PrinterLanguage::DataStream => Page::Stream(stream),
    }
}

/// The lines that a data stream shows on an empty page, each ended by a new-line character.
fn lines(stream: &[u8], size: Size, code_page: CodePage, form_feed: bool) -> Vec<u8> {
    let capabilities = Capabilities { default_size: size, ..Capabilities::unqueried(size) };
    let mut screen = Screen::new(capabilities, code_page);
    // If a printer refuses data, it keeps the part before the error.
    drop(screen.apply(stream));
    let mut text: Vec<u8> = form_feed.then_some(control::FORM_FEED).into_iter().collect();
    text.extend(text_of(&screen, code_page));
    text
}

/// The lines that a screen shows, each ended by a new-line character.
pub(crate) fn text_of(screen: &Screen, code_page: CodePage) -> Vec<u8> {
    let mut text = Vec::new();
    for line in screen.text().trim_end().lines() {
        text.extend(code_page.encode(line.trim_end()));
        text.push(control::NEW_LINE);
    }
    text
}

/// Lines for a printer that takes the 3270 data stream.
pub(crate) fn lines_of(command: Command, wcc: Wcc, mut lines: Vec<u8>) -> Page {
    lines.push(control::END_OF_MEDIUM);
    let mut written = Outbound::write(command, wcc);
    written.raw(&lines);
    Page::Stream(written.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Size = Size { rows: 4, columns: 10 };
    /// Erase and write, start the printer, `AB` at the first position and `C` in the third line.
    const STREAM: &[u8] = b"\xf5\xc8\x11\x40\x40\xc1\xc2\x11\x40\xd4\xc3";

    #[track_caller]
    fn check(language: PrinterLanguage, layout: Layout, expected: Page) {
        let printer = Printer { language, form_feed: true };
        assert_eq!(page(printer, SIZE, CodePage::Ibm037, STREAM.to_vec(), layout), expected);
    }

    #[test]
    fn a_page_is_a_data_stream_or_lines() {
        let lines = Layout { lines: true, form_feed: false };
        let form = Layout { lines: false, form_feed: true };
        check(PrinterLanguage::DataStream, Layout::default(), Page::Stream(STREAM.to_vec()));
        check(
            PrinterLanguage::DataStream,
            lines,
            Page::Stream(b"\xf5\xc8\xc1\xc2\x15\x15\xc3\x15\x19".to_vec()),
        );
        check(PrinterLanguage::Scs, Layout::default(), Page::Scs(b"\xc1\xc2\x15\x15\xc3\x15".to_vec()));
        check(PrinterLanguage::Scs, form, Page::Scs(b"\x0c\xc1\xc2\x15\x15\xc3\x15".to_vec()));
    }
}
