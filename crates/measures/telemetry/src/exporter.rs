//! The exporter, as those see it who have spans.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;

use otlp::Span;
use otlp::request::Source;
use parking_lot::Mutex;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

use crate::line::Collector;
use crate::queue::{Figures, Queue};
use crate::sender;

/// An exporter of spans.
pub struct Exporter {
    queue: Arc<Queue>,
    /// The thread, and who hears of its end.
    thread: Mutex<Option<(JoinHandle<()>, oneshot::Receiver<()>)>>,
}

impl Exporter {
    /// Starts one: spans of this source go to the collector, and at most so many wait.
    ///
    /// # Errors
    /// The operating system's, if there can be no thread.
    pub fn start(collector: Collector, source: Source, waiting_max: usize) -> io::Result<Self> {
        let queue = Arc::new(Queue::new(waiting_max));
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (ends, ended) = oneshot::channel();
        let own = Arc::clone(&queue);
        let thread = std::thread::Builder::new().name("telemetry".into()).spawn(move || {
            runtime.block_on(sender::run(own, collector, source));
            // The end of the region does not wait for a name that is still looked up.
            runtime.shutdown_background();
            // A caller need not wait for it.
            let _ = ends.send(());
        })?;
        Ok(Self { queue, thread: Mutex::new(Some((thread, ended))) })
    }

    /// Takes a span, or drops and counts it.
    pub fn take(&self, span: Span) {
        self.queue.add(span);
    }

    /// Counts a span that was not made.
    pub fn drops(&self, why: &str) {
        self.queue.drops(why);
    }

    /// The counts so far; with `reset`, the most that have waited are counted from now on.
    pub fn figures(&self, reset: bool) -> Figures {
        self.queue.figures(reset)
    }

    /// Sends what waits, as long as there is time for it, and ends.
    pub async fn stop(&self) {
        self.queue.close();
        let Some((thread, ended)) = self.thread.lock().take() else { return };
        // Its sender is gone if it has failed, which is its end as well.
        let _ = ended.await;
        if thread.join().is_err() {
            tracing::error!(target: "OT", "the thread that sends spans has failed");
        }
    }
}
