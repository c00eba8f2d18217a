//! Sessions over in-memory pipes, with the crate's own terminal at the other end.
//!
//! Time is tokio's paused clock: it runs only when all tasks wait, so no test waits for real time.

use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use ebcdic::CodePage;
use terminal::{Disconnect, Door, Limits, Pilot, PilotError};
use tn3270::datastream::{Aid, Capabilities, CharacterSet, Size};
use tn3270::screen::Keyboard;
use tn3270::telnet::{DeviceType, Ending, Function, Functions, Wish, show};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::task::{JoinHandle, LocalSet, spawn_local};

#[path = "../examples/echo/region.rs"]
mod region;
use region::{Echo, EchoRegion};

/// Bytes that a pipe holds: less than a screen, so that both ends must read while they write.
const PIPE_LEN: usize = 512;

/// A door to an echo region, and the region itself.
struct House {
    door: Rc<Door>,
    echo: Rc<Echo>,
}

impl House {
    fn new(limits: Limits) -> Self {
        let echo = Rc::new(Echo::default());
        Self { door: Door::new(Rc::new(EchoRegion(Rc::clone(&echo))), "ECHO", limits), echo }
    }

    /// A new connection: the client's end, and the reason for which the door ends it.
    fn connect(&self) -> (DuplexStream, JoinHandle<Disconnect>) {
        let (near, far) = duplex(PIPE_LEN);
        let door = Rc::clone(&self.door);
        let served = spawn_local(async move { door.serve_connection(near, peer()).await });
        (far, served)
    }

    fn pilot(&self, wish: Wish) -> (Pilot<DuplexStream>, JoinHandle<Disconnect>) {
        let (stream, served) = self.connect();
        let pilot = Pilot::new(stream, wish, capabilities(), CodePage::Ibm037, Duration::from_secs(600));
        (pilot, served)
    }

    /// Nothing is left of any terminal.
    fn assert_empty(&self) {
        assert_eq!((self.echo.terminals.get(), self.echo.names(), self.door.connections()), (0, 0, 0));
    }
}

fn peer() -> SocketAddr {
    SocketAddr::from(([192, 0, 2, 1], 3270))
}

/// A colour terminal with 43 rows.
fn capabilities() -> Capabilities {
    Capabilities {
        colour: true,
        highlight: true,
        character_set: Some(CharacterSet { set: 697, page: 37 }),
        ..Capabilities::unqueried(Size { rows: 43, columns: 80 })
    }
}

fn wish(device: &str, lu: Option<&str>, functions: Option<Functions>) -> Wish {
    Wish { device: DeviceType::new(device), lu: lu.map(str::to_string), functions }
}

/// The wishes of s3270.
fn enhanced() -> Wish {
    let functions = [Function::BindImage, Function::Responses, Function::SystemRequest];
    wish("IBM-3278-4-E", None, Some(Functions::of(&functions)))
}

/// Runs a test's future where connections can be spawned.
async fn run<T>(limits: Limits, test: impl AsyncFnOnce(House) -> T) -> T {
    LocalSet::new().run_until(test(House::new(limits))).await
}

type Tested = Result<(), PilotError>;

#[tokio::test(start_paused = true)]
async fn what_is_typed_reaches_the_region_and_its_answer_the_screen() -> Tested {
    run(Limits::default(), async |house| {
        let (mut pilot, served) = house.pilot(enhanced());
        pilot.wait_text("READY").await?;
        assert_eq!(pilot.emulator().lu(), Some("T001"));
        assert!(pilot.emulator().is_bound());
        assert!(pilot.screen().contains("ALTERNATE 43X80 COLOUR TRUE HIGHLIGHT TRUE CODE PAGE 37"));
        pilot.type_text("HELLO")?;
        pilot.press(Aid::Enter).await?;
        assert!(pilot.screen().contains("Enter AT 5/7 FIELD 5/2 'HELLO'"));
        pilot.press(Aid::Pa(1)).await?;
        assert_eq!(pilot.screen().size(), Size { rows: 43, columns: 80 });
        pilot.press(Aid::Clear).await?;
        assert_eq!(pilot.screen().size(), Size::MODEL_2);
        pilot.press_and_go(Aid::Pf(3)).await?;
        pilot.wait_closed().await?;
        assert!(!pilot.emulator().is_bound(), "an UNBIND ends the session");
        assert_eq!(served.await.ok(), Some(Disconnect::RegionEnded));
        house.assert_empty();
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn plain_tn3270_does_the_same() -> Tested {
    run(Limits::default(), async |house| {
        let (mut pilot, _served) = house.pilot(wish("IBM-3279-4-E", Some("LU7"), None));
        pilot.wait_text("READY").await?;
        assert!(pilot.screen().contains("ECHO LU7 IBM-3279-4-E"));
        pilot.press(Aid::Pa(1)).await?;
        assert_eq!(pilot.screen().size(), Size { rows: 43, columns: 80 });
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_terminal_without_extensions_is_not_queried() -> Tested {
    run(Limits::default(), async |house| {
        let (mut pilot, _served) = house.pilot(wish("IBM-3278-4", None, None));
        pilot.wait_text("READY").await?;
        assert!(pilot.screen().contains("ALTERNATE 43X80 COLOUR FALSE HIGHLIGHT FALSE CODE PAGE NONE"));
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_definite_response_is_the_terminals_where_it_gives_any() -> Tested {
    run(Limits::default(), async |house| {
        for wish in [enhanced(), wish("IBM-3278-2-E", None, None)] {
            let (mut pilot, _served) = house.pilot(wish);
            pilot.wait_text("READY").await?;
            pilot.press(Aid::Pf(5)).await?;
            pilot.wait_text("RESPONSE POSITIVE").await?;
        }
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn attention_reaches_the_region() -> Tested {
    run(Limits::default(), async |house| {
        let (mut pilot, _served) = house.pilot(enhanced());
        pilot.wait_text("READY").await?;
        pilot.attention().await?;
        pilot.wait_text("ATTN").await
    })
    .await
}

/// Sends a line to the network's service; returns the service's text so far, line by line.
async fn at_the_service(pilot: &mut Pilot<DuplexStream>, line: &str) -> Result<String, PilotError> {
    let heard = pilot.emulator().service_text().len();
    pilot.service_line(&CodePage::Ibm037.encode(line)).await?;
    pilot.wait("answer", move |emulator| emulator.service_text().len() > heard).await?;
    let text = CodePage::Ibm037.to_program(pilot.emulator().service_text());
    Ok(text.iter().map(|byte| char::from(*byte)).filter(|c| !c.is_control()).collect())
}

#[tokio::test(start_paused = true)]
async fn behind_system_request_logoff_ends_the_session_and_anything_else_is_answered() -> Tested {
    run(Limits::default(), async |house| {
        let (mut pilot, served) = house.pilot(enhanced());
        pilot.wait_text("READY").await?;
        pilot.system_request().await?;
        assert!(at_the_service(&mut pilot, "HELP").await?.starts_with("HELP is not a command here."));
        assert!(pilot.screen().contains("READY"), "the session's screen is not the service's");
        pilot.service_line(&CodePage::Ibm037.encode("LOGOFF")).await?;
        pilot.wait_closed().await?;
        assert!(!pilot.emulator().is_bound(), "an UNBIND ends the session");
        assert_eq!(served.await.ok(), Some(Disconnect::LoggedOff));
        house.assert_empty();
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn what_the_region_sends_waits_until_its_user_is_back_from_the_service() -> Tested {
    run(Limits::default(), async |house| {
        let (mut pilot, _served) = house.pilot(enhanced());
        pilot.wait_text("READY").await?;
        pilot.system_request().await?;
        // A key of the session that was under way when SYSREQ was pressed: its answer waits.
        pilot.press_and_go(Aid::Pf(7)).await?;
        at_the_service(&mut pilot, "").await?;
        assert!(!pilot.screen().contains("Pf(7)"));
        pilot.system_request().await?;
        // The region hears of it: the lines at the service may have overwritten its screen.
        pilot.wait_text("BACK").await
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_client_that_has_not_agreed_to_system_request_has_none() -> Tested {
    run(Limits::default(), async |house| {
        for functions in [None, Some(Functions::of(&[Function::Responses]))] {
            let (mut pilot, _served) = house.pilot(wish("IBM-3278-2-E", None, functions));
            pilot.wait_text("READY").await?;
            pilot.system_request().await?;
            pilot.press(Aid::Pf(7)).await?;
            assert!(pilot.screen().contains("Pf(7)"), "the session goes on");
        }
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn with_contention_resolution_the_turn_is_given_with_each_record() {
    run(Limits::default(), async |house| {
        let (mut stream, _served) = house.connect();
        let said = tn3270::telnet::read(
            "WILL TN3270E
             SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2'
             SB TN3270E FUNCTIONS REQUEST CONTENTION-RESOLUTION",
        );
        stream.write_all(&said.expect("a trace")).await.expect("a pipe");
        // Send-data and keyboard-restore in the header of the first screen.
        let heard = read_until(&mut stream, "RECORD 00 03 00 00 00 F5 C3").await;
        assert!(heard.contains("FUNCTIONS IS CONTENTION-RESOLUTION"), "{heard}");
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_name_is_one_terminals_until_it_leaves() -> Tested {
    run(Limits::default(), async |house| {
        let named = || wish("IBM-3278-2-E", Some("LU7"), Some(Functions::DISPLAY));
        let (mut first, first_served) = house.pilot(named());
        first.wait_text("READY").await?;
        let (mut second, _) = house.pilot(named());
        second.wait("rejection", |emulator| emulator.rejected().is_some()).await?;
        drop(first);
        assert_eq!(first_served.await.ok(), Some(Disconnect::ClientClosed));
        let (mut third, _) = house.pilot(named());
        third.wait_text("ECHO LU7").await
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn the_region_learns_at_once_that_a_terminal_is_gone() -> Tested {
    run(Limits::default(), async |house| {
        let (mut pilot, served) = house.pilot(enhanced());
        pilot.wait_text("READY").await?;
        assert_eq!(house.echo.terminals.get(), 1);
        drop(pilot);
        assert_eq!(served.await.ok(), Some(Disconnect::ClientClosed));
        assert_eq!(*house.echo.left.borrow(), [Disconnect::ClientClosed]);
        house.assert_empty();
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn when_the_door_goes_the_region_learns_it_too() -> Tested {
    run(Limits::default(), async |house| {
        let (mut pilot, served) = house.pilot(enhanced());
        pilot.wait_text("READY").await?;
        served.abort();
        assert!(served.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(*house.echo.left.borrow(), [Disconnect::DoorClosed]);
        house.assert_empty();
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_region_that_refuses_a_terminal_tells_it_on_its_screen() -> Tested {
    run(Limits::default(), async |house| {
        *house.echo.closed.borrow_mut() = Some("The region is quiescing.".into());
        let (mut pilot, served) = house.pilot(enhanced());
        pilot.wait_text("The region is quiescing.").await?;
        pilot.wait_closed().await?;
        assert!(matches!(served.await, Ok(Disconnect::Refused(_))));
        house.assert_empty();
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn beyond_connections_max_a_client_reads_why() -> Tested {
    run(Limits { connections_max: 2, ..Limits::default() }, async |house| {
        let mut pilots = Vec::new();
        for _ in 0..2 {
            let (mut pilot, _) = house.pilot(enhanced());
            pilot.wait_text("READY").await?;
            pilots.push(pilot);
        }
        let (mut third, _) = house.connect();
        let heard = read_until(&mut third, "Try again later.").await;
        assert!(heard.contains("all 2 connections are in use (connections)."));
        pilots.clear();
        let (mut fourth, _) = house.pilot(enhanced());
        fourth.wait_text("READY").await
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_nothing_is_sent_away() {
    run(Limits::default(), async |house| {
        let (mut stream, served) = house.connect();
        let heard = read_until(&mut stream, "did not negotiate in time").await;
        assert!(heard.starts_with("DO TN3270E"), "{heard}");
        assert_eq!(served.await.ok(), Some(Disconnect::NegotiationTimeout));
        house.assert_empty();
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_no_3270_is_told_so() {
    run(Limits::default(), async |house| {
        let (mut stream, served) = house.connect();
        stream.write_all(b"GET / HTTP/1.1\r\n").await.expect("a pipe");
        read_until(&mut stream, "This is a TN3270 server").await;
        assert!(matches!(served.await, Ok(Disconnect::Protocol(Ending::NotA3270(_)))));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_terminal_that_does_not_answer_the_query_is_served_by_its_type() {
    run(Limits::default(), async |house| {
        let (mut stream, _served) = house.connect();
        let said = tn3270::telnet::read(
            "WILL TN3270E
             SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-4-E'
             SB TN3270E FUNCTIONS REQUEST",
        );
        stream.write_all(&said.expect("a trace")).await.expect("a pipe");
        read_until(&mut stream, "RECORD 00 00 00 00 00 F5").await;
        assert_eq!(house.echo.terminals.get(), 1);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_living_client_may_be_silent_for_hours_and_a_dead_one_may_not() -> Tested {
    run(Limits::default(), async |house| {
        let (mut pilot, _served) = house.pilot(enhanced());
        pilot.wait_text("READY").await?;
        // The pilot answers timing marks while it waits in vain, ten minutes at a time.
        for _ in 0..30 {
            let waited = pilot.wait("nothing", |_| false).await;
            assert!(matches!(waited, Err(PilotError::TimedOut { .. })), "{waited:?}");
        }
        assert_eq!(pilot.screen().keyboard(), Keyboard::Unlocked);

        let (mut dead, served) = house.pilot(enhanced());
        dead.wait_text("READY").await?;
        let stream = dead.into_stream();
        assert_eq!(served.await.ok(), Some(Disconnect::Silent));
        drop(stream);
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_is_cut_off() -> Tested {
    run(Limits { silence_max: Duration::from_secs(3_600), ..Limits::default() }, async |house| {
        let (mut pilot, served) = house.pilot(enhanced());
        pilot.wait_text("READY").await?;
        let mut stream = pilot.into_stream();
        let enter = tn3270::telnet::read("RECORD 00 00 00 00 00 7D 40 40").expect("a trace");
        stream.write_all(&enter.repeat(10)).await?;
        assert_eq!(served.await.ok(), Some(Disconnect::Stalled));
        house.assert_empty();
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn a_client_that_sends_more_than_is_read_is_cut_off() -> Tested {
    run(Limits::default(), async |house| {
        let (mut pilot, served) = house.pilot(enhanced());
        pilot.wait_text("READY").await?;
        let mut stream = pilot.into_stream();
        let enter = tn3270::telnet::read("RECORD 00 00 00 00 00 7D 40 40").expect("a trace");
        // The door may have hung up before all of it is written.
        let _ = stream.write_all(&enter.repeat(1_000)).await;
        assert!(matches!(served.await, Ok(Disconnect::Overrun | Disconnect::Stalled)));
        house.assert_empty();
        Ok(())
    })
    .await
}

#[tokio::test(start_paused = true)]
async fn whatever_a_client_says_its_connection_ends_and_leaves_nothing() {
    run(Limits::default(), async |house| {
        let opening = tn3270::telnet::read(
            "WILL TN3270E
             SB TN3270E DEVICE-TYPE REQUEST 'IBM-3278-2'
             SB TN3270E FUNCTIONS REQUEST BIND-IMAGE RESPONSES",
        );
        let opening = opening.expect("a trace");
        let mut seed: u32 = 1;
        for round in 0..300 {
            let (mut stream, served) = house.connect();
            if round % 2 == 0 {
                stream.write_all(&opening).await.expect("a pipe");
            }
            let babble: Vec<u8> = (0..200)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    // Half of it in telnet's own range.
                    let byte = (seed >> 24) as u8;
                    if seed & 0x1_0000 == 0 { byte | 0xEF } else { byte }
                })
                .collect();
            // The door may have hung up already.
            let _ = stream.write_all(&babble).await;
            drop(stream);
            assert!(served.await.is_ok(), "round {round}");
        }
        house.assert_empty();
    })
    .await;
}

/// Reads until a trace of all that was heard contains a text; the trace.
async fn read_until(stream: &mut DuplexStream, text: &str) -> String {
    let (mut heard, mut buffer) = (Vec::new(), [0; PIPE_LEN]);
    loop {
        let trace = show(&heard);
        if trace.contains(text) {
            return trace;
        }
        let len = stream.read(&mut buffer).await.expect("a pipe");
        assert!(len > 0, "the connection ended without '{text}':\n{trace}");
        heard.extend_from_slice(&buffer[..len]);
    }
}
