//! Many terminals that come and vanish over TCP leave nothing.

use std::rc::Rc;
use std::time::Duration;

use ebcdic::CodePage;
use ports::{Ending, serve};
use terminal::{Disconnect, Door, Limits, Pilot, PilotError, Welcome};
use tn3270::datastream::{Capabilities, Size};
use tn3270::telnet::{DeviceType, Functions, Wish};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinSet, LocalSet};

#[path = "../examples/echo/region.rs"]
mod region;
use region::{Echo, EchoRegion};

const TERMINALS: usize = 500;
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::test]
async fn five_hundred_terminals_vanish_and_leave_nothing() {
    let echo = Rc::new(Echo::default());
    let limits = Limits { connections_max: TERMINALS, ..Limits::default() };
    let door = Door::new(Rc::new(EchoRegion(Rc::clone(&echo))), "ECHO", limits);
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("its address");
    let test = async {
        let mut comers = JoinSet::new();
        for number in 0..TERMINALS {
            comers.spawn_local(async move {
                let stream = TcpStream::connect(address).await?;
                // A third vanish in the middle of their negotiation.
                match number % 3 {
                    0 => Ok::<_, PilotError>(None),
                    _ => come(stream).await.map(Some),
                }
            });
        }
        let pilots: Vec<_> = comers.join_all().await;
        assert_eq!(pilots.iter().filter(|pilot| matches!(pilot, Ok(Some(_)))).count(), TERMINALS * 2 / 3);
        assert_eq!(echo.terminals.get(), TERMINALS * 2 / 3);
        drop(pilots);
        while door.connections() > 0 || echo.terminals.get() > 0 {
            tokio::task::yield_now().await;
        }
    };
    let ending = Ending::default();
    let client = |stream, peer| Rc::clone(&door).welcome(Welcome::Plain, stream, peer);
    LocalSet::new()
        .run_until(async {
            tokio::select! {
                () = serve(listener, &ending, client) => panic!("nobody closes the door"),
                done = tokio::time::timeout(PATIENCE, test) => done.expect("all connections end"),
            }
        })
        .await;
    assert_eq!(echo.names(), 0);
    assert!(
        echo.left.borrow().iter().all(|why| matches!(why, Disconnect::ClientClosed | Disconnect::Lost(_)))
    );
}

async fn come(stream: TcpStream) -> Result<Pilot<TcpStream>, PilotError> {
    let device = DeviceType::new("IBM-DYNAMIC");
    let wish = Wish { device, lu: None, functions: Some(Functions::DISPLAY) };
    let capabilities = Capabilities::unqueried(Size { rows: 43, columns: 80 });
    let mut pilot = Pilot::new(stream, wish, capabilities, CodePage::Ibm037, PATIENCE);
    pilot.wait_text("READY").await?;
    Ok(pilot)
}
