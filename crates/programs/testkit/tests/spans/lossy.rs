//! Collectors that hang, go away and come back, or refuse: no task waits for them, and what they do not get is counted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kernel::dispatcher::Dispatcher;
use kernel::spans::{SpanFigures, Spans};

use crate::collector::{Collector, Mood};
use crate::common::{Run, Site, attach};
use crate::{said, until};

/// A region whose tasks do nothing.
const REGION: &str = r#"
```toml
[security]
default-rights = ["run", "inquire", "operate"]
{own}
```

```cobol NULL threadsafe
CONTINUE
```
"#;

fn site(collector: &Collector, more: &str) -> Site {
    Site::new("spans-lossy", &REGION.replace("{own}", &collector.section(more)))
}

fn figures(run: &Run) -> SpanFigures {
    Spans::of(&run.running.region).figures(false).expect("spans")
}

/// Runs so many tasks, a few at a time; the longest that a few of them took.
async fn tasks(run: &Run, many: usize) -> Duration {
    let region = Arc::clone(&run.running.region);
    let mut longest = Duration::ZERO;
    for _ in 0..many / 50 {
        let begin = Instant::now();
        for _ in 0..50 {
            attach(&region, "NULL");
        }
        until("they have ended", || Dispatcher::of(&region).running() == 0).await;
        longest = longest.max(begin.elapsed());
    }
    longest
}

/// The messages of trouble with the collector: of its begin, and of its end.
fn trouble() -> (usize, usize) {
    (said("spans wait, and at most") + said("spans are dropped: "), said("the collector takes spans again"))
}

#[test]
fn a_collector_that_hangs_delays_no_task_and_not_the_end_of_the_region() {
    let collector = Collector::new(Mood::Hangs);
    let mut ends = Instant::now();
    let region = site(&collector, "");
    region.run(async |run| {
        collector.comes().await;
        tasks(run, 50).await;
        until("a request is in flight", || figures(run).waiting == 50).await;
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        let longest = tasks(run, 1_000).await;
        assert!(longest < Duration::from_secs(2), "{longest:?}");
        assert_eq!((figures(run).waiting, figures(run).exported), (1_050, 0));
        ends = Instant::now();
        true
    });
    // It says farewell for a few seconds.
    let took = ends.elapsed();
    assert!(took < telemetry::limits::FAREWELL + Duration::from_secs(4), "{took:?}");
    assert_eq!(said("1050 spans are dropped: the region ends"), 1);
}

#[test]
fn a_thousand_spans_over_the_limit_are_counted_with_one_message_and_the_others_come_when_the_collector_does()
{
    let collector = Collector::new(Mood::Takes);
    let region = site(&collector, "limit = 512\n");
    region.run(async |run| {
        tasks(run, 500).await;
        until("a request has failed", || figures(run).failed > 0).await;
        assert_eq!(trouble(), (1, 0));
        tasks(run, 1_000).await;
        tasks(run, 50).await;
        let now = figures(run);
        assert_eq!((now.waiting, now.waiting_peak, now.dropped, now.exported), (512, 512, 1_038, 0));
        assert_eq!(trouble(), (1, 0));
        collector.comes().await;
        until("what waits has come", || figures(run).exported == 512).await;
        assert_eq!(collector.spans().len(), 512);
        tasks(run, 50).await;
        until("these have come", || collector.spans().len() == 562).await;
        until("it is over", || trouble() == (1, 1)).await;
        assert_eq!(said("the collector takes spans again: 1038 were dropped"), 1);
        assert_eq!((figures(run).dropped, figures(run).waiting), (1_038, 0));
        true
    });
}

#[test]
fn a_collector_that_goes_and_comes_back_gets_all_that_had_room() {
    let collector = Collector::new(Mood::Takes);
    let region = site(&collector, "");
    region.run(async |run| {
        collector.comes().await;
        tasks(run, 50).await;
        until("they have come", || collector.spans().len() == 50).await;
        collector.goes().await;
        tasks(run, 100).await;
        until("it is missed", || trouble() == (1, 0)).await;
        collector.shared.mood.set(Mood::Says(503));
        collector.comes().await;
        let failed = figures(run).failed;
        until("it says that it is busy", || figures(run).failed > failed).await;
        collector.shared.mood.set(Mood::Takes);
        until("all have come", || collector.spans().len() == 150).await;
        until("it is over", || trouble() == (1, 1)).await;
        let now = figures(run);
        assert_eq!((now.exported, now.dropped, now.waiting), (150, 0, 0));
        true
    });
}

#[test]
fn what_a_collector_refuses_is_dropped_and_what_waits_at_the_end_is_sent() {
    let collector = Collector::new(Mood::Says(401));
    let region = site(&collector, "");
    region.run(async |run| {
        collector.comes().await;
        tasks(run, 100).await;
        until("it refuses them", || figures(run).dropped == 100).await;
        assert_eq!(said("status 401"), 1);
        collector.shared.mood.set(Mood::Takes);
        tasks(run, 50).await;
        true
    });
    assert_eq!(collector.spans().len(), 50, "the region sends them before it ends");
}
