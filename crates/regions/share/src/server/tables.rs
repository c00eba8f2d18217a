//! Shared tables, as far as the server knows them: the store that describes them, and a store for each.

use link::Asked;
use records::{Error, Result, SHARED_TABLES, UnitOfWork, Wait, shared_table};

use super::session::{Session, failed};
use crate::limits::STORE_MADE;
use crate::protocol::{Reply, to_bytes};

impl Session {
    /// Deletes a table with all its records. The reply is no if there is none.
    pub(super) fn drop_table(&self, asked: Asked, name: &str) {
        let (session, name) = (self.shared(), name.to_owned());
        tokio::task::spawn_local(async move {
            asked.reply(&match session.drops(&name).await {
                Ok(was_there) => to_bytes(&Reply::Is(was_there)),
                Err(error) => failed(&error),
            });
        });
    }

    async fn drops(&self, name: &str) -> Result<bool> {
        let claim = shared_table(name);
        if !self.inner.claims.borrow_mut().claim(self.id, claim.as_bytes(), true)? {
            return Err(Error::Locked);
        }
        let dropped = self.drops_claimed(name).await;
        self.inner.claims.borrow_mut().end(self.id);
        dropped
    }

    async fn drops_claimed(&self, name: &str) -> Result<bool> {
        let (inner, engine) = (&self.inner, &self.inner.engine);
        let (Some(tables), Some(store)) = (engine.find(SHARED_TABLES), engine.find(&shared_table(name)))
        else {
            return Ok(false);
        };
        if !engine.doubtful(store)?.is_empty() {
            return Err(Error::Retained);
        }
        let changing = inner.begin_change_anywhere()?;
        let mut unit: Box<dyn UnitOfWork> = self.unit();
        unit.lock(tables, name.as_bytes(), Wait::AtMost(STORE_MADE)).await?;
        unit.delete(tables, name.as_bytes()).await?;
        unit.delete_store(store)?;
        unit.commit().await?;
        drop(changing);
        inner.bounds.forget(store);
        inner.versions.forget(store);
        inner.forget_numbers(store.0);
        inner.tell_directory();
        inner.tell_changes(self, tables, &[(name.as_bytes(), None)]);
        tracing::info!(target: "RS", "table {name} is deleted");
        Ok(true)
    }
}
