//! Adapters of events beside what goes wrong: a server that hangs, refuses, goes and comes back, a purge, a transaction that is not
//! there, a binding that is disabled while tasks run.

mod common;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use common::{Run, Site, attach};
use domains::statistics::Statistics;
use kernel::dispatcher::Dispatcher;
use spec::cond;
use spec::measures::{StatisticId, stat};
use testkit::commands::{answered, command};

/// GIVE signals ten events, and lets others run between them.
const APPLICATION: &str = r#"
```toml
[events]
queue-limit = 6
```

```csd
DEFINE BUNDLE(EV) GROUP(T) BUNDLEDIR(ev)
DEFINE URIMAP(EVSRV) GROUP(T) HOST(127.0.0.1) PATH(/events) USAGE(CLIENT) PORT(WEBPORT)
```

```cobol GIVE
PERFORM VARYING N FROM 1 BY 1 UNTIL N > 10
  EXEC CICS SIGNAL EVENT('GIVEN') FROM(N) END-EXEC
  EXEC CICS DELAY FOR MILLISECS(20) END-EXEC
END-PERFORM
```

```cobol HOLD
PERFORM 3 TIMES
  EXEC CICS SIGNAL EVENT('HELD') END-EXEC
END-PERFORM
EXEC CICS DELAY FOR HOURS(1) END-EXEC
```

```cobol KEEP
EXEC CICS SIGNAL EVENT('HELD') END-EXEC
```

```file ev/META-INF/cics.xml
<manifest xmlns="http://www.ibm.com/xmlns/prod/cics/bundle" id="ev">
  <define name="Given" type="http://www.ibm.com/xmlns/prod/cics/bundle/EVENTBINDING" path="Given.evbind"/>
  <define name="Held" type="http://www.ibm.com/xmlns/prod/cics/bundle/EVENTBINDING" path="Held.evbind"/>
  <define name="All" type="http://www.ibm.com/xmlns/prod/cics/bundle/EPADAPTERSET" path="All.epadapterset"/>
  <define name="Server" type="http://www.ibm.com/xmlns/prod/cics/bundle/EPADAPTER" path="Server.epadapter"/>
  <define name="Nobody" type="http://www.ibm.com/xmlns/prod/cics/bundle/EPADAPTER" path="Nobody.epadapter"/>
  <define name="Queue" type="http://www.ibm.com/xmlns/prod/cics/bundle/EPADAPTER" path="Queue.epadapter"/>
</manifest>
```

```file ev/Given.evbind
<e:eventBinding CICSEPSchemaVersion="2" CICSEPSchemaRelease="0" xmlns:e="http://www.ibm.com/xmlns/prod/cics/eventprocessing/eventbinding">
  <eventSpecification><name>Given</name></eventSpecification>
  <eventCaptureSpecification><name>Given</name><eventIdentifier>Given</eventIdentifier>
    <filter><locationFilter filterType="CICS_API"><signalEVENTCommand verb="SIGNAL" adVerb="EVENT">
      <EVENT keyword="EVENT" filterOperator="EQ" filterValue="GIVEN"/></signalEVENTCommand></locationFilter></filter>
  </eventCaptureSpecification>
  <eventAdapterSetName>All</eventAdapterSetName>
</e:eventBinding>
```

```file ev/Held.evbind
<e:eventBinding CICSEPSchemaVersion="2" CICSEPSchemaRelease="0" xmlns:e="http://www.ibm.com/xmlns/prod/cics/eventprocessing/eventbinding">
  <eventSpecification><name>Held</name></eventSpecification>
  <eventCaptureSpecification><name>Held</name><eventIdentifier>Held</eventIdentifier>
    <filter><locationFilter filterType="CICS_API"><signalEVENTCommand verb="SIGNAL" adVerb="EVENT">
      <EVENT keyword="EVENT" filterOperator="EQ" filterValue="HELD"/></signalEVENTCommand></locationFilter></filter>
  </eventCaptureSpecification>
  <eventDispatcherSpecification><eventDispatcher>
    <eventDispatcherPolicy><eventsTransactional>true</eventsTransactional></eventDispatcherPolicy>
    <eventDispatcherAdapter><cicsTSQueueAdapter><queueName>HELD</queueName><format>CFE</format></cicsTSQueueAdapter></eventDispatcherAdapter>
  </eventDispatcher></eventDispatcherSpecification>
</e:eventBinding>
```

```file ev/All.epadapterset
<e:EPAdapterSet CICSEPSchemaVersion="3" CICSEPSchemaRelease="0" xmlns:e="http://www.ibm.com/xmlns/prod/cics/eventprocessing/eventbinding">
  <eventAdapterName>Server</eventAdapterName>
  <eventAdapterName>Nobody</eventAdapterName>
  <eventAdapterName>Queue</eventAdapterName>
</e:EPAdapterSet>
```

"#;

/// The block of an adapter.
fn adapter(name: &str, inside: &str) -> String {
    format!(
        "```file ev/{name}.epadapter\n\
         <e:EPAdapter CICSEPSchemaVersion=\"4\" CICSEPSchemaRelease=\"0\" \
         xmlns:e=\"http://www.ibm.com/xmlns/prod/cics/eventprocessing/eventbinding\">\n\
         <eventDispatcherSpecification><eventDispatcher>\n\
         <eventDispatcherPolicy><eventsTransactional>false</eventsTransactional></eventDispatcherPolicy>\n\
         <eventDispatcherAdapter>{inside}</eventDispatcherAdapter>\n\
         </eventDispatcher></eventDispatcherSpecification>\n</e:EPAdapter>\n```\n\n"
    )
}

/// The region, whose server listens on a port.
fn site(name: &str, port: u16) -> Site {
    let adapters =
        adapter("Server", "<httpAdapter><urimap>EVSRV</urimap><format>JSON</format></httpAdapter>")
            + &adapter(
                "Nobody",
                "<cicsTransactionAdapter><transactionId>NONE</transactionId></cicsTransactionAdapter>",
            )
            + &adapter(
                "Queue",
                "<cicsTSQueueAdapter><queueName>EVENTS</queueName><format>CFE</format></cicsTSQueueAdapter>",
            );
    Site::new(name, &(APPLICATION.replace("WEBPORT", &port.to_string()) + &adapters))
}

/// A server that answers with a status; 0: it takes what comes, and says nothing.
struct Server {
    port: u16,
    status: Arc<AtomicU16>,
    /// The connections that it has left without an answer.
    silent: Arc<Mutex<Vec<TcpStream>>>,
}

impl Server {
    /// One that listens on a port, or on any.
    fn listen(port: u16, status: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port is free");
        let port = listener.local_addr().expect("an address").port();
        let own = Self { port, status: Arc::new(AtomicU16::new(status)), silent: Arc::default() };
        let (status, silent) = (Arc::clone(&own.status), Arc::clone(&own.silent));
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                match status.load(Ordering::SeqCst) {
                    GONE => return,
                    0 => silent.lock().expect("no panic").push(client),
                    status => drop(thread::spawn(move || answer(client, status))),
                }
            }
        });
        own
    }

    fn says(&self, status: u16) {
        self.status.store(status, Ordering::SeqCst);
    }

    /// It does not listen any more.
    fn goes(self) -> u16 {
        self.says(GONE);
        // Its thread sees that with the next client.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
        while TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
            thread::yield_now();
        }
        self.port
    }
}

/// The status of a server that does not listen any more.
const GONE: u16 = 1;

/// Answers the requests of a connection.
fn answer(client: TcpStream, status: u16) {
    let mut from = BufReader::new(client.try_clone().expect("a second hand"));
    let mut to = client;
    loop {
        let (mut length, mut line) = (0, String::new());
        while from.read_line(&mut line).is_ok_and(|read| read > 2) {
            let (name, value) = line.split_once(':').unwrap_or_default();
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().expect("a length");
            }
            line.clear();
        }
        let mut body = vec![0; length];
        if length == 0 || from.read_exact(&mut body).is_err() {
            return;
        }
        let answer = format!("HTTP/1.1 {status} So\r\nContent-Length: 0\r\n\r\n");
        if to.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

/// A figure of an adapter, or of the region where no name is given.
fn figure(run: &Run, name: &str, id: StatisticId) -> u64 {
    let region = &run.running.region;
    let records = Statistics::of(region).now(region);
    records.iter().filter(|record| record.resource == name).filter_map(|it| it.number(id)).sum()
}

/// The events of an adapter: that wait, that were emitted, that found no room, that could not be emitted.
fn events(run: &Run, name: &str) -> [u64; 4] {
    [stat::SPEQNOW, stat::SPEQEMIT, stat::SPEQFULL, stat::SPEQFAIL].map(|id| figure(run, name, id))
}

/// Has ten events signalled, and waits until the queue has them, which were so many before.
async fn ten(run: &Run, before: u64) {
    attach(&run.running.region, "GIVE");
    run.until("the queue has them all", || events(run, "Queue") == [0, before + 10, 0, 0]).await;
}

#[test]
fn a_server_that_hangs_holds_its_own_queue_alone_and_a_purge_loses_one_event() {
    let server = Server::listen(0, 0);
    site("events-hang", server.port).run(async |run| {
        let region = Arc::clone(&run.running.region);
        ten(run, 0).await;
        assert_eq!(events(run, "Server"), [6, 0, 3, 0], "one is on its way");
        let emits = |name: &str| {
            let tasks = Dispatcher::of(&region).tasks();
            tasks.into_iter().find(|task| task.transaction.name.to_string().trim_end() == name)
        };
        let first = emits("CEPD").expect("the task that waits for the server");
        first.purge();
        run.until("one is lost, the next is on its way", || events(run, "Server") == [5, 0, 3, 1]).await;
        run.until("another task", || emits("CEPD").is_some_and(|task| task.number != first.number)).await;
        server.says(200);
        server.silent.lock().expect("no panic").clear();
        run.until("the server is there again", || events(run, "Server") == [0, 5, 3, 2]).await;
        assert_eq!(figure(run, "", stat::EPG_DISPATCH_FAILURE_OTHER), 3);
        true
    });
}

#[test]
fn a_region_ends_although_a_server_hangs() {
    let server = Server::listen(0, 0);
    site("events-end", server.port).run(async |run| {
        ten(run, 0).await;
        true
    });
}

#[test]
fn a_server_that_refuses_or_is_gone_loses_events_and_gets_those_of_later() {
    let server = Server::listen(0, 500);
    site("events-gone", server.port).run(async |run| {
        ten(run, 0).await;
        run.until("it refuses", || events(run, "Server") == [0, 0, 0, 10]).await;
        let port = server.goes();
        ten(run, 10).await;
        run.until("it is gone", || events(run, "Server") == [0, 0, 0, 20]).await;
        let _back = Server::listen(port, 204);
        ten(run, 20).await;
        run.until("it is back", || events(run, "Server") == [0, 10, 0, 20]).await;
        // A transaction that is not there loses its own, too.
        assert_eq!(events(run, "Nobody"), [0, 0, 0, 30]);
        let lost = [stat::EPG_ADAPTER_FAILURE_CONFIG, stat::EPG_ADAPTER_FAILURE_OTHER];
        assert_eq!(lost.map(|id| figure(run, "", id)), [30, 20]);
        true
    });
}

#[test]
fn a_binding_that_is_disabled_while_tasks_run_loses_nothing_that_was_captured() {
    let server = Server::listen(0, 200);
    site("events-disabled", server.port).run(async |run| {
        let region = Arc::clone(&run.running.region);
        attach(&region, "GIVE");
        attach(&region, "GIVE");
        let captured = |run: &Run| figure(run, "", stat::ECG_EB_EVENTS_CAPTURED);
        run.until("some are captured", || captured(run) >= 5).await;
        let disable = vec![command("SET EVENTBINDING(Given) DISABLED")];
        assert_eq!(answered(&region, disable).await.expect("an answer")[0].response(), (cond::NORMAL, 0));
        let seen = captured(run);
        Dispatcher::of(&region).idle().await;
        // Each of the two tasks may have stood in one capture.
        let all = captured(run);
        assert!((seen..=seen + 2).contains(&all) && all < 20, "{seen} {all}");
        for name in ["Queue", "Server"] {
            run.until("all are emitted", || events(run, name) == [0, all, 0, 0]).await;
        }
        let enable = vec![command("SET EVENTBINDING(Given) ENABLED")];
        answered(&region, enable).await.expect("an answer");
        ten(run, all).await;
        assert_eq!(captured(run), all + 10);
        true
    });
}

#[test]
fn a_task_that_is_purged_takes_its_transactional_events_with_it() {
    let server = Server::listen(0, 200);
    site("events-purge", server.port).run(async |run| {
        let region = Arc::clone(&run.running.region);
        let holder = attach(&region, "HOLD");
        run.until("three wait for their unit of work", || {
            figure(run, "", stat::EPG_CURRENT_TRANS_QUEUE) == 3
        })
        .await;
        Dispatcher::of(&region).task(holder).expect("it waits").purge();
        run.until("they are discarded", || figure(run, "", stat::EPG_TRANS_EVENTS_DISCARDED) == 3).await;
        attach(&region, "KEEP");
        run.until("one of a unit of work that commits", || events(run, "Held") == [0, 1, 0, 0]).await;
        assert_eq!(figure(run, "", stat::EPG_CURRENT_TRANS_QUEUE), 0);
        let ends = [stat::EPG_COMMIT_FORWARD_EVENTS, stat::EPG_COMMIT_BACKWARD_EVENTS];
        assert_eq!(ends.map(|id| figure(run, "", id)), [1, 1]);
        true
    });
}
