//! Data sets that ever had records. A data set with records shows it; for an empty one its store has a note.

use crate::{Name, Result, Vsam};

impl Vsam {
    /// Returns true if a cluster, also seen through a path, has records or had some, or was made by a program.
    pub async fn was_loaded(&self, name: &Name) -> Result<bool> {
        let (_, store) = self.cluster(&self.resolve(name)?.0)?;
        Ok(!self.is_empty(store).await? || self.note(store).is_taken(&mut *self.begin()).await?)
    }

    /// A program has made this cluster: from now on it counts as one that had records.
    pub async fn note_loaded(&self, name: &Name) -> Result<()> {
        let (_, store) = self.cluster(&self.resolve(name)?.0)?;
        let mut unit = self.begin();
        self.note(store).take(&mut *unit).await?;
        Ok(unit.commit().await?)
    }
}
