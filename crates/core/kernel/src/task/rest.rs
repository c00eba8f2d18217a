//! A task that lets time pass.

use std::pin::pin;
use std::time::Duration;

use super::{Task, WaitKind};
use crate::raise::Outcome;

impl Task {
    /// Suspends the task for so long.
    ///
    /// # Errors
    /// The abend of a task that was purged.
    pub async fn rest(&self, time: Duration) -> Outcome {
        self.show().await?;
        // By its place: a task that waits for an event keeps it, and would keep it twice.
        let sleep = pin!(tokio::time::sleep(time));
        self.wait(WaitKind::INTERVAL, sleep).await
    }

    /// Sends what the program has shown already: its user is not to wait for that.
    pub async fn show(&self) -> Outcome {
        match self.terminal() {
            Some(terminal) => self.wait(WaitKind::TERMINAL, terminal.flush()).await.map(drop),
            None => Ok(()),
        }
    }
}
