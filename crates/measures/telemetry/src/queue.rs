//! Spans that wait, and what has become of all.

use std::collections::VecDeque;

use otlp::Span;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::limits::{BATCH_EVERY, BATCH_SPANS_MAX};

/// The counts since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Spans that the collector has taken.
    pub exported: u64,
    /// Spans that were dropped.
    pub dropped: u64,
    /// Spans that wait, those of the request in flight among them.
    pub waiting: u64,
    /// The most that have waited.
    pub waiting_peak: u64,
    /// Requests that have failed.
    pub failed: u64,
}

/// The trouble with the collector, from its beginning to its end: the log has a line at each.
#[derive(Default)]
struct Trouble {
    /// There is some.
    is_on: bool,
    /// Spans that were dropped when it began.
    dropped_before: u64,
    /// A span was dropped since the last request that was successful.
    drops: bool,
}

struct State {
    waiting: VecDeque<Span>,
    /// Spans of the request in flight.
    in_flight: u64,
    figures: Figures,
    trouble: Trouble,
    closed: bool,
}

/// The spans that wait for the sender.
pub(crate) struct Queue {
    most: usize,
    state: Mutex<State>,
    /// A batch is there, or the end.
    wakes: Notify,
    /// The end.
    closes: Notify,
}

impl Queue {
    /// An empty one for so many spans.
    pub fn new(most: usize) -> Self {
        let state = State {
            waiting: VecDeque::new(),
            in_flight: 0,
            figures: Figures::default(),
            trouble: Trouble::default(),
            closed: false,
        };
        Self { most, state: Mutex::new(state), wakes: Notify::new(), closes: Notify::new() }
    }

    /// Takes a span, or drops and counts it.
    pub fn add(&self, span: Span) {
        let mut state = self.state.lock();
        let waiting = state.waiting.len() as u64 + state.in_flight;
        if state.closed || waiting >= self.most as u64 {
            state.drops(1, || format!("{} wait already", self.most));
            return;
        }
        state.waiting.push_back(span);
        state.figures.waiting_peak = state.figures.waiting_peak.max(waiting + 1);
        let is_batch = state.waiting.len() == BATCH_SPANS_MAX;
        drop(state);
        if is_batch {
            self.wakes.notify_one();
        }
    }

    /// Counts spans that are lost before they came here.
    pub fn drops(&self, why: &str) {
        self.state.lock().drops(1, || why.to_owned());
    }

    /// The counts so far; with `reset`, the most that have waited are counted from now on.
    pub fn figures(&self, reset: bool) -> Figures {
        let mut state = self.state.lock();
        let waiting = state.waiting.len() as u64 + state.in_flight;
        let figures = Figures { waiting, ..state.figures };
        if reset {
            state.figures.waiting_peak = waiting;
        }
        figures
    }

    /// Takes no more spans. Those that wait are still sent.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.wakes.notify_one();
        self.closes.notify_one();
    }

    /// Returns true if it takes no more.
    pub fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Waits until it takes no more.
    pub async fn closed(&self) {
        while !self.is_closed() {
            self.closes.notified().await;
        }
        // Others may wait for it, too.
        self.closes.notify_one();
    }

    /// Waits for spans to send; `None`: there will be no more.
    pub async fn next(&self) -> Option<Vec<Span>> {
        loop {
            let is_closed = self.is_closed();
            if is_closed || self.state.lock().waiting.len() >= BATCH_SPANS_MAX {
                let batch = self.batch();
                return (!batch.is_empty() || !is_closed).then_some(batch);
            }
            tokio::select! {
                () = self.wakes.notified() => {}
                () = sleep(BATCH_EVERY) => {
                    let batch = self.batch();
                    if !batch.is_empty() {
                        return Some(batch);
                    }
                }
            }
        }
    }

    fn batch(&self) -> Vec<Span> {
        let mut state = self.state.lock();
        let count = state.waiting.len().min(BATCH_SPANS_MAX);
        state.in_flight = count as u64;
        state.waiting.drain(..count).collect()
    }

    /// The collector has taken the request in flight, but for so many of its spans.
    pub fn is_taken(&self, rejected: u64, why: &str) {
        let mut state = self.state.lock();
        let in_flight = std::mem::take(&mut state.in_flight);
        let rejected = rejected.min(in_flight);
        state.figures.exported += in_flight - rejected;
        if rejected > 0 {
            state.drops(rejected, || format!("the collector rejects them: {why}"));
        } else {
            state.succeeds();
        }
    }

    /// The request in flight has failed, and is tried again.
    pub fn fails(&self, why: &str) {
        let mut state = self.state.lock();
        state.figures.failed += 1;
        state.begins(|| format!("spans wait, and at most {} do: {why}", self.most));
    }

    /// The request in flight has failed for good.
    pub fn is_refused(&self, why: &str) {
        let mut state = self.state.lock();
        state.figures.failed += 1;
        let in_flight = std::mem::take(&mut state.in_flight);
        state.drops(in_flight, || why.to_owned());
    }

    /// Drops the rest: the region ends.
    pub fn ends(&self) {
        let mut state = self.state.lock();
        let left = std::mem::take(&mut state.in_flight) + state.waiting.len() as u64;
        state.waiting.clear();
        if left > 0 {
            state.figures.dropped += left;
            tracing::warn!(target: "OT", "{left} spans are dropped: the region ends, and the collector has not taken them");
        }
    }
}

impl State {
    fn drops(&mut self, spans: u64, why: impl FnOnce() -> String) {
        self.begins(|| format!("spans are dropped: {}", why()));
        self.figures.dropped += spans;
        self.trouble.drops = true;
    }

    /// Trouble begins, unless there is some.
    fn begins(&mut self, told: impl FnOnce() -> String) {
        if !self.trouble.is_on {
            self.trouble = Trouble { is_on: true, dropped_before: self.figures.dropped, drops: false };
            tracing::warn!(target: "OT", "{}", told());
        }
    }

    /// A request was successful: the trouble is over, unless spans were dropped meanwhile.
    fn succeeds(&mut self) {
        if self.trouble.is_on && !std::mem::take(&mut self.trouble.drops) {
            self.trouble.is_on = false;
            let dropped = self.figures.dropped - self.trouble.dropped_before;
            tracing::info!(target: "OT", "the collector takes spans again: {dropped} were dropped");
        }
    }
}

#[cfg(test)]
mod tests {
    use otlp::{Kind, SpanId, TraceContext, TraceId};

    use super::*;

    fn span() -> Span {
        let context = TraceContext {
            trace: TraceId::of([1; 16]).expect("a trace"),
            span: SpanId::of([1; 8]).expect("a span"),
            sampled: true,
            state: None,
        };
        Span {
            context,
            parent: None,
            name: String::from("PAYS"),
            kind: Kind::Server,
            begin_ns: 1,
            end_ns: 2,
            attributes: Vec::new(),
            events: Vec::new(),
            error: None,
        }
    }

    #[tokio::test]
    async fn what_is_too_much_is_counted_and_trouble_ends_with_a_success_without_a_drop() {
        let queue = Queue::new(3);
        (0..5).for_each(|_| queue.add(span()));
        let told = |queue: &Queue| (queue.figures(false), queue.state.lock().trouble.is_on);
        let full = Figures { dropped: 2, waiting: 3, waiting_peak: 3, ..Figures::default() };
        assert_eq!(told(&queue), (full, true));
        assert_eq!(queue.next().await.map(|batch| batch.len()), Some(3));
        // What is in flight waits still.
        queue.add(span());
        assert_eq!(told(&queue).0.dropped, 3);
        queue.is_taken(0, "");
        assert_eq!(told(&queue), (Figures { exported: 3, dropped: 3, waiting_peak: 3, ..full_of(0) }, true));
        queue.add(span());
        assert_eq!(queue.next().await.map(|batch| batch.len()), Some(1));
        queue.fails("no");
        queue.is_taken(0, "");
        assert_eq!(
            told(&queue),
            (Figures { exported: 4, dropped: 3, waiting_peak: 3, failed: 1, ..full_of(0) }, false)
        );
    }

    fn full_of(waiting: u64) -> Figures {
        Figures { waiting, ..Figures::default() }
    }

    #[tokio::test]
    async fn a_batch_goes_at_once_and_the_rest_when_its_time_has_come_or_at_the_end() {
        let queue = Queue::new(10 * BATCH_SPANS_MAX);
        (0..BATCH_SPANS_MAX + 2).for_each(|_| queue.add(span()));
        let begin = tokio::time::Instant::now();
        assert_eq!(queue.next().await.map(|batch| batch.len()), Some(BATCH_SPANS_MAX));
        assert!(begin.elapsed() < BATCH_EVERY);
        queue.is_taken(1, "one of them");
        assert_eq!(
            (queue.figures(false).exported, queue.figures(false).dropped),
            (BATCH_SPANS_MAX as u64 - 1, 1)
        );
        assert_eq!(queue.next().await.map(|batch| batch.len()), Some(2));
        assert!(begin.elapsed() >= BATCH_EVERY);
        queue.is_refused("no");
        queue.add(span());
        queue.close();
        queue.add(span());
        assert_eq!(queue.next().await.map(|batch| batch.len()), Some(1));
        queue.is_taken(0, "");
        assert_eq!(queue.next().await, None);
        queue.ends();
        let figures = queue.figures(false);
        assert_eq!((figures.exported, figures.dropped, figures.waiting), (BATCH_SPANS_MAX as u64, 4, 0));
    }
}
