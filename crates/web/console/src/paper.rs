//! A printer: its paper for a browser. A sheet counts as printed when the browser has taken it.

use ebcdic::CodePage;
use serde_json::{Value, json};
use tn3270::printer::{Printed, Printer, Sheet};
use tn3270::telnet::Violation;

use crate::device::Device;
use crate::ending::{End, policy};
use crate::keys::FromBrowser;

/// A printer whose paper a browser shows.
pub(crate) struct Paper {
    printer: Printer,
    /// True if the browser knows the printer's network name.
    is_named: bool,
    /// The sheet that is on its way to the browser.
    sheet: Option<Sheet>,
}

impl Paper {
    /// A printer that wants a network name or takes any.
    pub fn new(lu: Option<String>, code_page: CodePage) -> Self {
        Self { printer: Printer::new(lu, code_page), is_named: false, sheet: None }
    }
}

/// A piece of paper as the browser gets it.
fn piece(printed: &Printed) -> Value {
    match printed {
        Printed::Line(line) => json!(["line", line]),
        Printed::FormFeed => json!(["feed"]),
        Printed::EndOfJob => json!(["job"]),
    }
}

impl Device for Paper {
    fn receive(&mut self, bytes: &[u8]) -> Result<(), Violation> {
        self.printer.receive(bytes)
    }

    fn output(&mut self) -> &mut Vec<u8> {
        self.printer.output()
    }

    fn take(&mut self, _: FromBrowser) -> Result<(), End> {
        Err(policy("a printer has no keys"))
    }

    fn news(&mut self) -> Result<Option<Value>, End> {
        if let Some(reason) = self.printer.rejected() {
            return Err(policy(&format!("the region refuses this printer: {reason:?}")));
        }
        if let Some(lu) = self.printer.lu().filter(|_| !self.is_named) {
            let news = json!({ "lu": lu });
            self.is_named = true;
            return Ok(Some(news));
        }
        self.sheet = self.printer.take_sheet();
        Ok(self
            .sheet
            .as_ref()
            .map(|sheet| json!({ "paper": sheet.paper.iter().map(piece).collect::<Vec<_>>() })))
    }

    fn has_told(&mut self) {
        if let Some(sheet) = self.sheet.take() {
            self.printer.printed(&sheet);
        }
    }

    fn text(&self) -> &str {
        self.printer.text()
    }
}
