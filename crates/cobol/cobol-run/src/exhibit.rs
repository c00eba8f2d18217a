//! EXHIBIT CHANGED.

use super::abend::ProgramFault;
use super::machine::{Host, Machine};
use cobol_ir::program::{Exhibit, Exhibited};

impl Machine<'_> {
    /// Shows what has changed since the last time; nothing at all where nothing has, and no literal stands there.
    pub(super) fn exhibit(&mut self, exhibit: &Exhibit, host: &mut dyn Host) -> Result<(), ProgramFault> {
        let again = self.stored_span(&exhibit.again)?;
        let is_first = self.task.look(again.clone()).iter().all(|byte| *byte == 0);
        self.task.change(again, |bytes| bytes.fill(1));
        let (mut line, mut any) = (Vec::new(), false);
        for item in &exhibit.items {
            let is_shown = self.has_changed(item)? || is_first || item.watched.is_none();
            any |= is_shown;
            if !is_shown && !exhibit.columns {
                continue;
            }
            if !line.is_empty() {
                line.push(b' ');
            }
            let start = line.len();
            if let Some(name) = &item.name {
                let span = self.span(name)?;
                line.extend_from_slice(&self.read(&span));
            }
            self.show(&item.shown, &mut line)?;
            if !is_shown {
                line[start..].fill(b' ');
            }
        }
        if any {
            host.display(&line, true);
        }
        Ok(())
    }

    /// Returns true if an item is other than the last time; its present value is kept.
    fn has_changed(&mut self, item: &Exhibited) -> Result<bool, ProgramFault> {
        let Some((now, before)) = &item.watched else { return Ok(false) };
        let span = self.span(now)?;
        let now = self.read(&span).to_vec();
        let before = self.stored_span(before)?;
        Ok(self.task.change(before, |kept| {
            let length = kept.len().min(now.len());
            let changed = kept[..length] != now[..length];
            kept[..length].copy_from_slice(&now[..length]);
            changed
        }))
    }
}
