//! The whole device over its cable, as a host uses it.

use std::io;
use std::time::Duration;

use card::digits::Digits;
use card::ftsc::{Card, CardKey, Expected, Layout, Moment};
use card::key::Key;
use card::pan::Pan;
use hsm::{
    Behaviour, ErrorCode, Faults, KeyType, Latency, Lmk, Module, Setup, Statistics, VerifyCommand, serve,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::LocalSet;

const HEADER: &str = "HEAD";

fn module() -> Module {
    Module::new(Lmk::test(), HEADER.len() as u8, 1)
}

fn master_key() -> Key {
    Key::parse("0123456789ABCDEFFEDCBA9876543210").expect("32 digits").with_odd_parity()
}

/// A host's end of a connection.
struct Host(TcpStream);

impl Host {
    async fn connect(address: std::net::SocketAddr) -> Self {
        Self(TcpStream::connect(address).await.expect("the server listens"))
    }

    async fn send(&mut self, text: &str) {
        let mut frame = (text.len() as u16).to_be_bytes().to_vec();
        frame.extend(text.bytes());
        self.0.write_all(&frame).await.expect("sent");
    }

    async fn receive(&mut self) -> io::Result<String> {
        let length = self.0.read_u16().await?;
        let mut bytes = vec![0; length.into()];
        self.0.read_exact(&mut bytes).await?;
        Ok(String::from_utf8(bytes).expect("responses are text"))
    }

    async fn ask(&mut self, command: &str) -> io::Result<String> {
        self.send(&format!("{HEADER}{command}")).await;
        self.receive().await
    }
}

/// Runs a host against a server and returns what the server counted.
fn with_server<F: Future<Output = ()>>(
    connections_max: usize,
    faults: Faults,
    host: impl FnOnce(std::net::SocketAddr) -> F,
) -> Statistics {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    LocalSet::new().block_on(&runtime, async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let behaviour = Behaviour::new(Latency::Fixed(Duration::ZERO), faults, 1);
        let (stop, stopped) = oneshot::channel::<()>();
        let setup = Setup { module: module(), behaviour, connections_max };
        let server = tokio::task::spawn_local(serve(listener, setup, async {
            let _ = stopped.await;
        }));
        host(address).await;
        drop(stop);
        server.await.expect("no panic")
    })
}

/// Field after field of a response, its header and codes looked at.
fn fields<'a>(response: &'a str, code: &str) -> &'a str {
    response.strip_prefix(&format!("{HEADER}{code}00")).unwrap_or_else(|| panic!("{response}"))
}

#[test]
fn a_host_and_the_device_talk() {
    let statistics = with_server(64, Faults::default(), |address| async move {
        let mut host = Host::connect(address).await;
        let answer = host.ask("NC").await.expect("an answer");
        assert_eq!(answer, format!("HEADND00{:0<16}0001-SYNC", Lmk::test().check_value()));
        assert_eq!(host.ask("B20005hello\x19trailer").await.expect("an answer"), "HEADB300hello\x19trailer");
        assert_eq!(host.ask("QQ").await.expect("an answer"), "HEADQR68");
        assert_eq!(host.ask("B2FFFFx").await.expect("an answer"), "HEADB380");
    });
    let count = |code: &str, error| statistics.commands.get(&(code.to_owned(), error)).copied();
    assert_eq!(count("B2", ErrorCode::None), Some(1));
    assert_eq!(count("other", ErrorCode::Disabled), Some(1));
    assert_eq!((statistics.accepted, statistics.connections, statistics.connections_peak), (1, 0, 1));
}

#[test]
fn two_commands_in_one_write_get_two_answers() {
    with_server(64, Faults::default(), |address| async move {
        let mut host = Host::connect(address).await;
        host.0.write_all(b"\x00\x0BHEADB20001a\x00\x0BHEADB20001b").await.expect("sent");
        assert_eq!(host.receive().await.expect("an answer"), "HEADB300a");
        assert_eq!(host.receive().await.expect("an answer"), "HEADB300b");
    });
}

#[test]
fn keys_travel_only_as_cryptograms() {
    with_server(64, Faults::default(), |address| async move {
        let mut host = Host::connect(address).await;
        let generated = host.ask("A00000U").await.expect("an answer");
        let (encrypting, check_value) = fields(&generated, "A1").split_at(33);
        assert_eq!(check_value.len(), 6);
        let generated = host.ask(&format!("A01109U{encrypting}X")).await.expect("an answer");
        let (inside, rest) = fields(&generated, "A1").split_at(33);
        let (outside, check_value) = rest.split_at(33);
        let imported = host.ask(&format!("A6109{encrypting}{outside}U")).await.expect("an answer");
        assert_eq!(fields(&imported, "A7"), format!("{inside}{check_value}"));
        let exported = host.ask(&format!("A8109{encrypting}{inside}X")).await.expect("an answer");
        assert_eq!(fields(&exported, "A9"), format!("{outside}{check_value}"));
        let misused = host.ask(&format!("A8402{encrypting}{inside}X")).await.expect("an answer");
        assert_eq!(misused, "HEADA910");
    });
}

#[test]
fn card_verification_values_are_the_published_ones() {
    with_server(64, Faults::default(), |address| async move {
        let mut host = Host::connect(address).await;
        let key = module().load_clear_key(&master_key(), KeyType::CardVerification);
        let card = "4123456789012345;8701101";
        assert_eq!(host.ask(&format!("CW{key}{card}")).await.expect("an answer"), "HEADCX00561");
        assert_eq!(host.ask(&format!("CY{key}561{card}")).await.expect("an answer"), "HEADCZ00");
        assert_eq!(host.ask(&format!("CY{key}562{card}")).await.expect("an answer"), "HEADCZ01");
        assert_eq!(host.ask(&format!("CY{key}561123;8701101")).await.expect("an answer"), "HEADCZ22");
    });
}

#[test]
fn transaction_specific_codes_are_verified() {
    let card = Card {
        pan: Pan::new("4999990000000015").expect("digits"),
        sequence: Digits::parse("01").expect("2 digits"),
        expiry: Digits::parse("2712").expect("4 digits"),
        service_code: Digits::parse("201").expect("3 digits"),
    };
    let key = CardKey::derive(&master_key(), &card);
    let received = key.issue(&card, &Moment { counter: 17, time: 0, status: 1 }, &Layout::SAMPLE);
    let command = |last_counter| VerifyCommand {
        master_key: module().load_clear_key(&master_key(), KeyType::Portfolio),
        card: card.clone(),
        expected: Expected { last_counter, window: 10, time: 0, tolerance: 0 },
        received: received.clone(),
    };
    let nothing = "0".repeat(10);
    with_server(64, Faults::default(), |address| async move {
        let mut host = Host::connect(address).await;
        for (last_counter, expected) in [
            (16, format!("HEADF3000000000017{nothing}")),
            (17, format!("HEADF3020000000017{nothing}")),
            (3, format!("HEADF303{nothing}{nothing}")),
        ] {
            let answer = host.ask(&command(last_counter).text()).await.expect("an answer");
            assert_eq!(answer, expected, "after {last_counter}");
        }
        let mut wrong = command(16);
        wrong.received.cv = "000000".to_owned();
        assert_eq!(host.ask(&wrong.text()).await.expect("an answer"), format!("HEADF301{nothing}{nothing}"));
        assert_eq!(host.ask("F2U").await.expect("an answer"), "HEADF380");
    });
}

#[test]
fn a_connection_too_many_is_told_so() {
    let statistics = with_server(2, Faults::default(), |address| async move {
        let (mut one, mut two) = (Host::connect(address).await, Host::connect(address).await);
        assert_eq!(one.ask("B20001a").await.expect("an answer"), "HEADB300a");
        assert_eq!(two.ask("B20001a").await.expect("an answer"), "HEADB300a");
        let mut three = Host::connect(address).await;
        assert_eq!(three.receive().await.expect("a refusal"), "0000ZZ91");
        assert!(three.receive().await.is_err());
        assert_eq!(one.ask("B20001a").await.expect("an answer"), "HEADB300a");
    });
    assert_eq!((statistics.accepted, statistics.refused), (2, 1));
}

#[test]
fn faults_are_made_on_purpose() {
    let always = 1.0;
    let statistics = with_server(64, Faults { close: always, ..Faults::default() }, |address| async move {
        assert!(Host::connect(address).await.ask("NC").await.is_err());
    });
    assert_eq!(statistics.faults.len(), 1);
    with_server(64, Faults { wrong: always, ..Faults::default() }, |address| async move {
        let answer = Host::connect(address).await.ask("B20001a").await.expect("an answer");
        assert_eq!(answer, "HEAD??00a");
    });
}

#[test]
fn a_frame_without_a_command_ends_its_connection() {
    let statistics = with_server(64, Faults::default(), |address| async move {
        let mut host = Host::connect(address).await;
        host.send("HE").await;
        assert!(host.receive().await.is_err());
    });
    assert_eq!(statistics.malformed, 1);
}
