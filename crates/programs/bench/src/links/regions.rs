//! Two regions of this process that are linked: one asks, the other has the records and programs.

use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use ebcdic::CodePage;
use terminal::Pilot;
use tn3270::datastream::{Aid, Capabilities, Size};
use tn3270::screen::Keyboard;
use tn3270::telnet::{DeviceType, Wish};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::log::quietly;
use crate::site::{Site, Workshop, record};

/// Terminals that press ENTER at a time.
pub(super) const TERMINALS: usize = 8;
/// Records of the data set.
pub(super) const RECORDS: usize = 1_000;
/// TCBs of each region beside QR.
const OPEN_TCBS: u32 = 1;
/// The longest wait for a link or a screen.
const PATIENCE: Duration = Duration::from_secs(60);

/// The files of both.
const FILES: &[(&str, &str)] = &[
    ("links.idcams", include_str!("../../programs/region-links.idcams")),
    ("links.csd", include_str!("../../programs/region-links.csd")),
    ("READF.cbl", include_str!("../../programs/readf.cbl")),
    ("DPLS.cbl", include_str!("../../programs/dpls.cbl")),
    ("LINKED.cbl", include_str!("../../programs/linked.cbl")),
    ("LINKUP.cbl", include_str!("../../programs/linkup.cbl")),
    ("SCREEN.cbl", include_str!("../../programs/screen.cbl")),
    ("STORAGE.cpy", include_str!("../../programs/storage.cpy")),
];

/// The two regions.
pub(super) struct Regions {
    /// The one that asks.
    pub asker: Site,
    owner: Owner,
    /// They are deleted with this.
    _folders: [Workshop; 3],
}

/// The one that is asked, on a thread of its own.
struct Owner {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Regions {
    /// Starts both, and waits for their link.
    pub fn start() -> Result<Self, String> {
        quietly(Self::linked)
    }

    fn linked() -> Result<Self, String> {
        let (links, [folder, asker]) =
            (Workshop::empty()?, [application("ASKER", "ASKR", "")?, application("OWNER", "OWNR", REMOTE)?]);
        let owner = Owner::start(&folder, &links)?;
        let site = asker.region_of(&region("ASKER", "ASKR", &links), OPEN_TCBS)?;
        site.run("LKUP", None);
        // What a thread asks for the first time has it make a connection of its own.
        for transaction in ["RFAR", "LFAR"] {
            site.run(transaction, Some(format!("{:08}{RECORDS:08}{:08}", 10, 1).as_bytes()));
        }
        site.run("LKUP", None);
        Ok(Self { asker: site, owner, _folders: [folder, asker, links] })
    }

    /// Terminals of the one that asks, each with the answer of a transaction on its screen.
    pub fn terminals(&self, transaction: &str) -> Vec<Pilot<TcpStream>> {
        let address = self.asker.addresses("tn3270")[0];
        self.asker.wait_for(async {
            let mut terminals = Vec::new();
            for _ in 0..TERMINALS {
                terminals.push(terminal(address, transaction).await);
            }
            terminals
        })
    }

    /// Has each of them press ENTER so often, all at a time.
    pub fn press(&self, terminals: Vec<Pilot<TcpStream>>, times: usize) {
        self.asker.wait_for(async {
            let all = terminals.into_iter().map(|mut terminal| {
                tokio::task::spawn_local(async move {
                    for _ in 0..times {
                        terminal.press(Aid::Enter).await.expect("an answer");
                    }
                })
            });
            for one in all.collect::<Vec<_>>() {
                one.await.expect("a terminal");
            }
        });
    }

    /// Ends both.
    pub fn end(self) -> Result<(), String> {
        self.asker.end();
        // It may have ended.
        let _ = self.owner.stop.send(());
        self.owner.thread.join().map_err(|_| String::from("the region that is asked has failed"))
    }
}

impl Owner {
    fn start(folder: &Workshop, links: &Workshop) -> Result<Self, String> {
        let text = region("OWNER", "OWNR", links);
        let folder = folder.path().to_owned();
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = mpsc::sync_channel(1);
        let thread = std::thread::spawn(move || match Site::of_folder(&folder, &text, OPEN_TCBS) {
            Ok(site) => {
                let _ = tell.send(Ok(()));
                site.wait(async {
                    let _ = stopped.await;
                });
                site.end();
            }
            Err(what) => drop(tell.send(Err(what))),
        });
        told.recv().map_err(|_| String::from("the region that is asked does not start"))??;
        Ok(Self { stop, thread })
    }
}

/// The definitions that lead from the one that asks to the other.
const REMOTE: &str = "\
    DEFINE FILE(FARREC) GROUP(LINKS) REMOTESYSTEM(OWNR) REMOTENAME(RECORDS)
    DEFINE PROGRAM(FARLINK) GROUP(LINKS) REMOTESYSTEM(OWNR) REMOTENAME(LINKED)
    DEFINE TRANSACTION(TFAR) GROUP(LINKS) REMOTESYSTEM(OWNR)
";

/// The application of a region whose partner has these names, with more definitions.
fn application(partner: &str, system: &str, more: &str) -> Result<Workshop, String> {
    let workshop = Workshop::empty()?;
    let connection = format!(
        "    DEFINE CONNECTION({system}) GROUP(LINKS) NETNAME({partner}) ACCESSMETHOD(IRC)\n\
         \x20   DEFINE SESSIONS({system}) GROUP(LINKS) CONNECTION({system}) PROTOCOL(LU61)\n\
         \x20          SENDCOUNT(400) RECEIVECOUNT(400)\n{more}"
    );
    let own = "    DEFINE TRANSACTION(TFAR) GROUP(LINKS) PROGRAM(SCREEN)\n";
    workshop.write("partner.csd", &if more.is_empty() { connection + own } else { connection })?;
    for (name, text) in FILES {
        workshop.write(name, text)?;
    }
    let lines: String = (0..RECORDS).map(|number| format!("{}\n", record(number))).collect();
    workshop.write("records.txt", &lines)?;
    Ok(workshop)
}

/// The configuration of one of the two.
fn region(applid: &str, sysid: &str, links: &Workshop) -> String {
    let text = include_str!("../../programs/region-links.toml");
    let names = [("{applid}", applid), ("{sysid}", sysid), ("{links}", &links.path().display().to_string())];
    names.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
}

async fn terminal(address: SocketAddr, transaction: &str) -> Pilot<TcpStream> {
    let stream = TcpStream::connect(address).await.expect("a port");
    let wish = Wish { device: DeviceType::new("IBM-3278-2-E"), lu: None, functions: None };
    let capabilities = Capabilities::unqueried(Size::MODEL_2);
    let mut pilot = Pilot::new(stream, wish, capabilities, CodePage::Ibm037, PATIENCE);
    let free = |emulator: &tn3270::emulator::Emulator| emulator.screen().keyboard() == Keyboard::Unlocked;
    pilot.wait("first screen", free).await.expect("a screen");
    pilot.press(Aid::Clear).await.expect("an empty screen");
    pilot.type_text(transaction).expect("an empty screen takes it");
    pilot.press_and_go(Aid::Enter).await.expect("sent");
    pilot.wait_text("ANSWER").await.expect("an answer");
    pilot
}
