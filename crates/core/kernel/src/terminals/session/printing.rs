//! Pages on their way to a printer.

use super::Terminal;
use crate::terminals::{Page, Printed};

impl Terminal {
    /// Returns true if it only prints.
    pub fn is_printer(&self) -> bool {
        self.parts.printer.is_some()
    }

    /// Prints a page; it waits until the printer has it. A page that needed an operator is sent once more.
    pub async fn print(&self, page: Page) -> Printed {
        self.has_printed();
        loop {
            let mended = self.mended();
            let printed = if self.is_gone() { Printed::Gone } else { self.line().print(page.clone()).await };
            if printed != Printed::NeedsSomebody {
                return printed;
            }
            tracing::warn!(target: "TC", "printer {} needs an operator: a page waits until it is ready", self.name);
            mended.await;
        }
    }
}
