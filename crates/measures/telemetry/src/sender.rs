//! The thread that sends spans.

use std::sync::Arc;

use otlp::Span;
use otlp::request::{Source, encode, rejected};
use tokio::time::sleep;

use crate::limits::{FAREWELL, REASON_MAX, REST_FIRST, REST_LAST};
use crate::line::{Collector, Failure, Line};
use crate::queue::Queue;

/// Sends spans until there will be no more, or the time for the last ones is over.
pub(crate) async fn run(queue: Arc<Queue>, collector: Collector, source: Source) {
    let sending = async {
        let mut line = Line::new(collector);
        while let Some(batch) = queue.next().await {
            send(&queue, &mut line, &source, &batch).await;
        }
    };
    let overdue = async {
        queue.closed().await;
        sleep(FAREWELL).await;
    };
    tokio::select! {
        () = sending => {}
        () = overdue => {}
    }
    queue.ends();
}

/// Sends spans, again and again if the collector may take them later. At the end of the region there is one more attempt.
async fn send(queue: &Queue, line: &mut Line, source: &Source, batch: &[Span]) {
    if batch.is_empty() {
        return;
    }
    let body = encode(source, batch);
    let mut rest = REST_FIRST;
    loop {
        let is_last = queue.is_closed();
        match line.post(&body).await {
            Ok(answer) => {
                let (count, why) = rejected(&answer);
                return queue.is_taken(count, &format!("{why:.REASON_MAX$}"));
            }
            Err(Failure::Final(why)) => return queue.is_refused(&why),
            Err(Failure::Again(why)) if is_last => return queue.is_refused(&why),
            Err(Failure::Again(why)) => queue.fails(&why),
        }
        tokio::select! {
            () = sleep(rest) => {}
            () = queue.closed() => {}
        }
        rest = (rest * 2).min(REST_LAST);
    }
}
