//! The client against a small Authenticator of its own: same messages, counters in a map, no HSM.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use card::answer::Answer;
use card::digits::Digits;
use card::ftsc::{Card, CardKey, Expected, Layout, Verdict, verify};
use card::iso8583::{FRAME_LENGTH_MAX, Message, Request};
use card::key::Key;
use diagnostics::Source;
use load::kind::{Kind, Mix, Outcome};
use load::ledger::Ledger;
use load::plan::{Plan, Work};
use load::report::Report;
use load::run;
use load::simulator::Portfolio;
use load::tracks::{TERMINALS_MAX, Wanted, make, read};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::LocalSet;

const BIN: &str = "49999901";

fn master() -> Key {
    Key::parse("0123456789ABCDEFFEDCBA9876543210").expect("32 digits")
}

/// Last accepted counters by card number.
type Counters = Rc<RefCell<BTreeMap<String, u32>>>;

fn authenticate(request: &Request, counters: &Counters) -> Answer {
    let track = &request.track2;
    if track.pan.bin() != BIN {
        return Answer::UnknownBin;
    }
    let card = Card {
        pan: track.pan.clone(),
        sequence: Digits::of(1),
        expiry: track.expiry,
        service_code: track.service_code,
    };
    let Some(received) = Layout::SAMPLE.read(track.discretionary()) else {
        return Answer::Malformed;
    };
    let mut counters = counters.borrow_mut();
    let last = counters.entry(card.pan.digits().to_owned()).or_default();
    let expected = Expected { last_counter: *last, window: 100, time: 0, tolerance: 0 };
    let verdict = verify(&CardKey::derive(&master(), &card), &card, &received, &expected);
    if let Verdict::Authentic { counter, .. } = verdict {
        *last = counter;
    }
    verdict.into()
}

/// Serves requests until the client or a bad message ends the connection.
async fn serve(mut stream: TcpStream, counters: Counters) -> io::Result<()> {
    let mut bytes = Vec::new();
    loop {
        let length = usize::from(stream.read_u16().await?);
        if length > FRAME_LENGTH_MAX {
            return Ok(());
        }
        bytes.resize(length, 0);
        stream.read_exact(&mut bytes).await?;
        let Ok(request) = Message::decode(&bytes).and_then(|message| Request::read(&message)) else {
            return Ok(());
        };
        let response = request.response(authenticate(&request, &counters), 42);
        stream.write_all(&response.frame().expect("all fields fit")).await?;
    }
}

/// A ledger in memory.
#[derive(Clone, Default)]
struct Lines(Rc<RefCell<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Lines {
    fn read(&self) -> Ledger {
        let text = String::from_utf8(self.0.borrow().clone()).expect("lines are text");
        Ledger::read(&Source::new("ledger", text)).expect("no counter twice")
    }
}

fn plan(target: SocketAddr, work: Work, persistent: bool, known: Ledger) -> Plan {
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = Wanted {
        bin: Digits::parse(BIN).expect("8 digits"),
        cards: 12,
        terminals: 4,
        expiry: Digits::parse("3012").expect("4 digits"),
        service_code: Digits::parse("201").expect("3 digits"),
    };
    make(folder.path(), &wanted).expect("made");
    Plan {
        target,
        terminals: read(folder.path(), TERMINALS_MAX).expect("read"),
        portfolio: Portfolio { master: master(), layout: Layout::SAMPLE },
        rate: None,
        work,
        first_card: 0,
        back_off: false,
        persistent,
        patience: Duration::from_secs(20),
        seed: 1,
        known,
    }
}

/// Runs one plan after another against one Authenticator.
fn with_authenticator<F: Future<Output = ()>>(client: impl FnOnce(SocketAddr, Counters) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    LocalSet::new().block_on(&runtime, async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let counters = Counters::default();
        let shared = Rc::clone(&counters);
        tokio::task::spawn_local(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::task::spawn_local(serve(stream, Rc::clone(&shared)));
            }
        });
        client(address, counters).await;
    });
}

async fn finished(plan: Plan, ledger: Lines) -> Report {
    run(plan, ledger, |_| (), std::future::pending()).await.expect("a run")
}

#[test]
fn every_kind_comes_to_what_it_should() {
    let mix = "wrong=10,replayed=10,unknown-bin=10,malformed=10,short=10,oversized=10";
    for persistent in [false, true] {
        with_authenticator(|address, _| async move {
            let work = Work::Messages(100, mix.parse().expect("a mix"));
            let ledger = Lines::default();
            let report = finished(plan(address, work, persistent, Ledger::default()), ledger.clone()).await;
            assert_eq!((report.finished, report.unexpected()), (400, 0), "{report}");
            let authentic = report.of(Outcome::Answered(Answer::Authentic));
            assert!(authentic > 0);
            assert_eq!(ledger.read().accepted() as u64, authentic);
            assert_eq!(report.internal.percentile(50.0), 42);
        });
    }
}

#[test]
fn a_replayed_ledger_shows_what_a_region_has_forgotten() {
    with_authenticator(|address, counters| async move {
        let ledger = Lines::default();
        let work = Work::Messages(9, "".parse().expect("an empty mix"));
        finished(plan(address, work.clone(), false, Ledger::default()), ledger.clone()).await;
        finished(plan(address, work, false, ledger.read()), ledger.clone()).await;
        assert_eq!(ledger.read().accepted(), 72, "the second run goes on behind the first");

        let again = || plan(address, Work::ReplayLedger, true, ledger.read());
        let report = finished(again(), Lines::default()).await;
        assert_eq!((report.finished, report.unexpected()), (12, 0), "{report}");

        *counters.borrow_mut().values_mut().next().expect("a card") -= 1;
        let report = finished(again(), Lines::default()).await;
        assert_eq!(report.outcomes.get(&(Kind::Replayed, Outcome::Answered(Answer::Authentic))), Some(&1));
        assert_eq!(report.unexpected(), 1);
    });
}

#[test]
fn a_server_that_is_not_there_is_an_outcome() {
    with_authenticator(|_, _| async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let nobody = listener.local_addr().expect("an address");
        drop(listener);
        let work = Work::Messages(2, "".parse().expect("an empty mix"));
        let report = finished(plan(nobody, work, false, Ledger::default()), Lines::default()).await;
        assert_eq!(report.of(Outcome::NotConnected), 8);
    });
}

#[test]
fn a_run_that_is_stopped_keeps_what_it_has_sent() {
    with_authenticator(|_, _| async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let silent = listener.local_addr().expect("an address");
        let ledger = Lines::default();
        let heard = async {
            let (mut stream, _) = listener.accept().await.expect("a client");
            stream.read_u8().await.expect("a message");
        };
        let mut plan = plan(silent, Work::Messages(1, Mix::default()), false, Ledger::default());
        plan.terminals.truncate(1);
        let report = run(plan, ledger.clone(), |_| (), heard).await.expect("a run");
        assert_eq!(report.finished, 0, "nobody knows what came of it");
        let sent = ledger.read().card("t00000", 0).map(|entry| (entry.accepted.len(), entry.sent));
        assert_eq!(sent, Some((0, 1)));
    });
}
