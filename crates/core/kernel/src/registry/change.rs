//! SET of a resource: what a program gives, checked and done.

use super::inquire::Resource;
use super::set::{Changes, Set};
use super::{Manager, signature};
use crate::exec::Call;
use crate::raise::Outcome;
use crate::task::Task;

impl<T> Resource<T> {
    /// SET: every value is checked first; then all is done in the order of the table, where an option that is done in
    /// steps has several rows.
    pub async fn set(&self, task: &Task, call: &Call<'_>) -> Outcome {
        let by = Manager::of(task);
        let found = self.named(&by, call)?;
        let mut changes = Vec::new();
        for setting in self.settings {
            if changes.iter().any(|(option, _)| *option == setting.option) {
                continue;
            }
            if let Some(given) = setting.takes.given(call, setting.option, setting.resp2)? {
                changes.push((setting.option, given));
            }
        }
        let name = self.key.given(call, self.name)?;
        signature::may_set(&by, self.name, &name, changes.iter().map(|(option, _)| *option))?;
        self.apply(&by, &found, &changes).await?;
        self.note(&by, &name, &changes);
        Ok(())
    }

    /// Tells of changes that were done.
    pub(super) fn note(&self, by: &Manager, name: &[u8], changes: Changes<'_>) {
        if changes.is_empty() {
            return;
        }
        let given: Vec<String> =
            changes.iter().map(|(option, given)| format!("{}({given})", option.name())).collect();
        by.has_changed(&format!("SET {}", self.name.name()), name, given.join(" "));
    }

    /// Does what was given.
    pub async fn apply(&self, by: &Manager, found: &T, changes: Changes<'_>) -> Outcome {
        for setting in self.settings {
            for (_, given) in changes.iter().filter(|(option, _)| *option == setting.option) {
                match setting.set {
                    Set::Now(set) => set(by, found, given)?,
                    Set::Waits(set) => set(by, found, given).await?,
                    Set::Among(set) => set(by, found, given, changes).await?,
                    Set::No => {}
                }
            }
        }
        Ok(())
    }
}
