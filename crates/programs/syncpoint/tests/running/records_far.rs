//! A record server whose regions are on other machines: certificates at both ends, strangers, cut links, a standby that takes over.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use link::carrier::Identity;
use records::{Engine, Error, Recovery, StoreId, Wait};
use share::{Elsewhere, Remote};

use crate::certificates::{Authority, authority, certificate};
use crate::house::{FREE_PORT, Region, application, product, signal};
use crate::kills::move_of;
use crate::records::{Process, start_with};
use crate::records_backup::look;
use crate::sharing::{sharing, with_records};
use crate::terminal::Terminal;
use crate::topologies::{Up, row, up};

/// A port that was free just now.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port()
}

/// A machine with a record server, and the certificates of those who come.
pub(crate) struct Site {
    pub folder: tempfile::TempDir,
    pub port: u16,
}

impl Site {
    /// REGA and REGB may come with the certificate `regions`, and no region with `nobody`; `stranger` is signed by another authority.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (ours, others): (Authority, Authority) = (authority(), authority());
        fs::write(folder.path().join("authorities.pem"), ours.pem()).expect("written");
        certificate(folder.path(), "server", &ours);
        let regions = certificate(folder.path(), "regions", &ours);
        certificate(folder.path(), "nobody", &ours);
        certificate(folder.path(), "stranger", &others);
        fs::write(folder.path().join("allowed"), format!("# those who may come\n{regions} REGA REGB\n"))
            .expect("written");
        Self { folder, port: free_port() }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn options(&self, port: u16) -> Vec<String> {
        let file = |name: &str| self.file(name).display().to_string();
        let [certificate, key] = [file("server.pem"), file("server.key")];
        let [authorities, allowed] = [file("authorities.pem"), file("allowed")];
        let listen = format!("127.0.0.1:{port}");
        ["--listen", &listen, "--certificate", &certificate, "--certificate-key", &key]
            .into_iter()
            .chain(["--authorities", &authorities, "--allowed", &allowed])
            .map(str::to_owned)
            .collect()
    }

    pub(crate) fn start(&self) -> Process {
        let options = self.options(self.port);
        start_with(&self.file("records"), &options.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The way to ports of this machine, with the certificate of this name.
    fn way(&self, name: &str, ports: &[u16]) -> Elsewhere {
        let [chain, key] = ["pem", "key"].map(|ending| self.file(&format!("{name}.{ending}")));
        let identity = Identity { chain, key, authorities: self.file("authorities.pem") };
        Elsewhere { servers: ports.iter().map(|port| ("127.0.0.1".to_owned(), *port)).collect(), identity }
    }

    async fn region(&self, applid: &str, ports: &[u16]) -> Arc<Remote> {
        let opened = Remote::open_elsewhere(self.way("regions", ports), 0, applid, 1_000).await;
        opened.expect("the server takes it")
    }
}

async fn store(engine: &Remote) -> StoreId {
    let mut unit = engine.begin(engine.locks().new_owner());
    let store = unit.create_store("accounts", Recovery::Recoverable).expect("a store");
    unit.commit().await.expect("committed");
    store
}

async fn set(engine: &Remote, store: StoreId, record: &[u8]) -> records::Result<()> {
    let mut unit = engine.begin(engine.locks().new_owner());
    unit.lock(store, b"key", Wait::AtMost(Duration::from_secs(20))).await?;
    unit.put(store, b"key", record).await?;
    unit.commit().await
}

async fn read(engine: &Remote, store: StoreId) -> Vec<u8> {
    let mut record = Vec::new();
    engine.begin(engine.locks().new_owner()).get(store, b"key", &mut record).await.expect("a record");
    record
}

#[tokio::test]
async fn a_region_of_another_machine_and_one_of_this_share_records_and_a_server_that_is_killed_loses_nothing()
{
    let site = Site::new();
    let server = site.start();
    let far = site.region("REGA", &[site.port]).await;
    let near = Remote::open(&share::socket(&site.file("records")), "NEAR", 1_000).await.expect("a region");
    assert_eq!(far.records(), near.records(), "the records have one number");
    let accounts = store(&far).await;
    set(&far, accounts, b"1").await.expect("committed");
    // Neither keeps a copy that the other one could make out of date.
    far.copies_take(1 << 20);
    far.keep(accounts, None);
    for number in 2..6_u8 {
        assert_eq!(read(&far, accounts).await, [b'0' + number - 1]);
        set(&near, accounts, &[b'0' + number]).await.expect("committed");
    }
    let mut unit = far.begin(far.locks().new_owner());
    unit.lock(accounts, b"key", Wait::Forever).await.expect("a lock");
    let mut theirs = near.begin(near.locks().new_owner());
    let late = theirs.lock(accounts, b"key", Wait::AtMost(Duration::from_millis(20))).await;
    assert_eq!(late, Err(Error::TimedOut), "locks are of one table");
    server.kill();
    let server = site.start();
    assert_eq!(read(&far, accounts).await, b"5");
    unit.put(accounts, b"key", b"lost").await.expect("private");
    assert!(matches!(unit.commit().await, Err(Error::Lost(_))), "others may have had its locks");
    set(&far, accounts, b"6").await.expect("committed");
    assert_eq!(read(&near, accounts).await, b"6");
    drop((far, near, theirs));
    server.end();
}

/// The refusal of a region.
async fn refusal(site: &Site, certificate: &str, applid: &str, records: u64) -> String {
    // A region asks again for some seconds, since its former run may be about to end.
    let opened = Remote::open_elsewhere(site.way(certificate, &[site.port]), records, applid, 1_000).await;
    opened.err().expect("it is refused").0
}

#[tokio::test]
async fn who_may_not_come_is_refused_and_the_server_goes_on() {
    let site = Site::new();
    let server = site.start();
    let records = site.region("REGB", &[site.port]).await.records();
    let refusals = tokio::join!(
        refusal(&site, "nobody", "REGA", 0),
        refusal(&site, "regions", "REGC", 0),
        refusal(&site, "stranger", "REGA", 0),
        refusal(&site, "regions", "REGA", records ^ 2),
    );
    assert!(refusals.0.contains("is not allowed here"), "{}", refusals.0);
    assert!(refusals.1.contains("is not for the APPLID REGC"), "{}", refusals.1);
    assert!(refusals.2.contains("cannot be reached"), "{}", refusals.2);
    assert!(refusals.3.contains("it has other records"), "{}", refusals.3);
    // One client sends bytes that are not TLS, one sends half a TLS record, and one sends nothing.
    let connect = || TcpStream::connect(("127.0.0.1", site.port)).expect("a connection");
    let (mut garbage, mut half, silent) = (connect(), connect(), connect());
    garbage.write_all(&[0xff; 4_096]).expect("written");
    half.write_all(&[0x16, 0x03, 0x01, 0x40, 0x00, 0x01]).expect("written");
    let _ = half.shutdown(Shutdown::Write);
    garbage.set_read_timeout(Some(Duration::from_secs(20))).expect("a time");
    let ended = garbage.read_to_end(&mut Vec::new());
    assert!(ended.is_ok() || ended.is_err_and(|why| why.kind() == std::io::ErrorKind::ConnectionReset));
    let engine = site.region("REGA", &[site.port]).await;
    let accounts = store(&engine).await;
    set(&engine, accounts, b"1").await.expect("committed");
    drop((engine, silent, half));
    server.end();
}

#[tokio::test]
async fn one_who_may_come_and_sends_what_is_no_frame_is_refused_and_the_server_goes_on() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let site = Site::new();
    let server = site.start();
    let way = site.way("regions", &[site.port]);
    // A length of four gigabytes; a frame of which half comes; bytes without sense; nothing at all.
    let [long, half, garbage, nothing]: [Vec<u8>; 4] =
        [vec![0xff; 12], [vec![0, 0, 1, 0], vec![0; 40]].concat(), vec![0x5a; 8_192], Vec::new()];
    for bytes in [long, half, garbage, nothing] {
        let connected = way.identity.connect("127.0.0.1", site.port).await.expect("a connection");
        let (mut source, mut sink) = connected.halves;
        sink.write_all(&bytes).await.expect("written");
        sink.flush().await.expect("written");
        let begun = Instant::now();
        let mut said = Vec::new();
        let ended = tokio::time::timeout(Duration::from_secs(20), source.read_to_end(&mut said)).await;
        assert!(ended.is_ok(), "the server ends it: {} bytes sent", bytes.len());
        assert!(
            begun.elapsed() < link::limits::HELLO_TIME + Duration::from_secs(5),
            "in the time for a Hello"
        );
    }
    let engine = site.region("REGA", &[site.port]).await;
    let accounts = store(&engine).await;
    set(&engine, accounts, b"1").await.expect("committed");
    drop(engine);
    server.end();
}

/// A cable between a region and its server, which can be cut.
struct Cable {
    port: u16,
    is_cut: Arc<AtomicBool>,
}

impl Cable {
    fn to(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let is_cut = Arc::new(AtomicBool::new(false));
        let cut = Arc::clone(&is_cut);
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let clones = (from.try_clone(), to.try_clone());
                    let (Ok(from), Ok(to)) = clones else { return };
                    let cut = Arc::clone(&cut);
                    std::thread::spawn(move || carry(from, to, &cut));
                }
            }
        });
        Self { port, is_cut }
    }
}

/// Carries bytes one way, until the cable is cut: from then on they are swallowed, and neither side hears of an end.
fn carry(mut from: TcpStream, mut to: TcpStream, is_cut: &AtomicBool) {
    let mut bytes = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        if !is_cut.load(Ordering::Acquire) && to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    if !is_cut.load(Ordering::Acquire) {
        let _ = to.shutdown(Shutdown::Both);
    }
}

#[tokio::test]
async fn a_cut_in_the_middle_of_commits_loses_and_doubles_none() {
    let site = Site::new();
    let server = site.start();
    let mut last = 0_u64;
    let watcher = site.region("REGB", &[site.port]).await;
    let accounts = store(&watcher).await;
    for round in 0..3 {
        let cable = Cable::to(site.port);
        // The second way is there when the first one is cut.
        let engine = site.region("REGA", &[cable.port, site.port]).await;
        let cuts = Arc::clone(&cable.is_cut);
        let cutter = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(150 + 37 * round));
            cuts.store(true, Ordering::Release);
        });
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(1) {
            let next = (last + 1).to_be_bytes();
            match set(&engine, accounts, &next).await {
                Ok(()) => last += 1,
                Err(Error::Lost(_)) => {}
                Err(other) => panic!("{other}"),
            }
            // What was said to be done is, and what was said not to be is not.
            let now = read(&watcher, accounts).await;
            let now = now.first_chunk().map_or(0, |number| u64::from_be_bytes(*number));
            assert_eq!(now, last, "round {round}");
        }
        cutter.join().expect("it ends");
        set(&engine, accounts, &(last + 1).to_be_bytes()).await.expect("the other way is there");
        last += 1;
    }
    assert!(last > 3, "{last} commits");
    drop(watcher);
    server.end();
}

#[tokio::test]
async fn regions_follow_the_server_that_has_the_lease_to_another_machine() {
    let database = crate::records_database::Site::new().await;
    let site = Site::new();
    let ports = [free_port(), free_port()];
    let start = |name: &str, port: u16| {
        let mut command = product();
        command.arg("records").arg(site.file(name)).args(["--database", &database.url, "--lease", "3"]);
        command.args(site.options(port)).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().expect("a process")
    };
    let is_ready = |server: &mut Child| {
        let mut line = String::new();
        BufReader::new(server.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        assert!(line.contains("is ready"), "{line}");
    };
    let mut first = start("here", ports[0]);
    is_ready(&mut first);
    let mut second = start("there", ports[1]);
    // The one that waits is no place for a region: its port is not open.
    let (one, other) = (site.region("REGA", &[ports[1], ports[0]]).await, site.region("REGB", &ports).await);
    let accounts = store(&one).await;
    set(&one, accounts, b"1").await.expect("committed");
    assert!(TcpStream::connect(("127.0.0.1", ports[1])).is_err());
    // Its machine hangs, and those who wait for it hear nothing.
    signal(&first, "STOP");
    // The unit of work was sent there, or waits: it is done once, at the other one, or backed out.
    let mut record = set(&one, accounts, b"2").await.map(|()| b"2".to_vec());
    if let Err(Error::Lost(_)) = record {
        record = set(&one, accounts, b"3").await.map(|()| b"3".to_vec());
    }
    let record = record.expect("the other one has taken over");
    is_ready(&mut second);
    assert_eq!(read(&other, accounts).await, record);
    // The first one goes on, and sees that it has lost the lease: it ends, and has changed nothing.
    signal(&first, "CONT");
    assert!(!first.wait().expect("it ends").success());
    set(&other, accounts, b"4").await.expect("committed");
    assert_eq!(read(&one, accounts).await, b"4");
    drop((one, other));
    signal(&second, "TERM");
    assert!(second.wait().expect("it ends").success());
}

/// Keys of `[records]` for a server of another machine.
fn keys(site: &Site, port: u16) -> String {
    let file = |name: &str| site.file(name).display().to_string();
    format!(
        "server = \"127.0.0.1:{port}\"\ncertificate = \"{}\"\ncertificate-key = \"{}\"\nauthorities = \"{}\"\n",
        file("regions.pem"),
        file("regions.key"),
        file("authorities.pem")
    )
}

#[test]
fn a_region_whose_records_are_on_another_machine_works_beside_one_of_that_machine() {
    let site = Site::new();
    let server = site.start();
    let records = site.file("records");
    let folders = [with_records("REGA", &keys(&site, site.port)), sharing("REGB", &records)];
    let regions = folders.each_ref().map(|folder| Region::start(folder.path()));
    for number in 1..5 {
        for (region, prefix) in regions.iter().zip(["A0", "B0"]) {
            let mut terminal = Terminal::try_connect(region.address).expect("a terminal");
            let durable = format!("DURABLE {number:06}");
            let screen =
                terminal.try_either(&move_of(prefix, number, 7), &[&durable, "DFHAC"]).expect("a screen");
            assert!(screen.contains(&durable), "{screen}");
        }
    }
    for region in regions {
        region.signal("INT");
        let (status, log) = region.ended();
        assert!(status.success(), "{log}");
    }
    let found = look(&records);
    assert_eq!(found.values().copied().collect::<Vec<_>>(), [4, 4]);
    // Its state is for no other records.
    let named = folders[0].path().join("region.toml");
    let text = fs::read_to_string(&named).expect("a text");
    let (alone, _) = text.split_once("[records]").expect("it names a server");
    fs::write(&named, alone).expect("written");
    let said = Region::refused(folders[0].path());
    assert!(said.contains("SPRG031") && said.contains("of another machine"), "{said}");
    fs::write(&named, format!("{alone}[records]\nfolder = \"{}\"\n", records.display())).expect("written");
    let said = Region::refused(folders[0].path());
    assert!(said.contains("SPRG031") && said.contains("names others"), "{said}");
    server.end();
}

#[test]
fn a_topology_has_the_record_server_of_another_one() {
    let site = Site::new();
    let region = "[[region]]\nname = \"REGB\"\n";
    let file = |name: &str| site.file(name).display().to_string();
    let one = application(&[
        (
            "topology.toml",
            &format!(
                "[records]\nfolder = \"records\"\nlisten = \"127.0.0.1:{}\"\ncertificate = \"{}\"\n\
                 certificate-key = \"{}\"\nauthorities = \"{}\"\nallowed = \"{}\"\n{region}",
                site.port,
                file("server.pem"),
                file("server.key"),
                file("authorities.pem"),
                file("allowed")
            ),
        ),
        ("region.toml", FREE_PORT),
    ]);
    let region = "[[region]]\nname = \"REGA\"\n";
    let topology = format!("[records]\n{}{region}", keys(&site, site.port));
    let other = application(&[("topology.toml", &topology), ("region.toml", FREE_PORT)]);
    let mut owner = Up::start(one.path());
    owner.log.wait("all are ready");
    let mut guest = Up::start(other.path());
    guest.log.wait("all are ready");
    assert!(row(other.path(), "REGA").contains(&"ready".to_owned()));
    assert!(!String::from_utf8_lossy(&up(other.path(), &["--status"]).stdout).contains("records"));
    let status =
        product().arg("records").arg(one.path().join("records")).arg("--status").output().expect("it runs");
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    assert!(status.contains("REGA") && status.contains("REGB"), "{status}");
    guest.ends_in_order();
    owner.ends_in_order();
}

fn said(folder: &Path, options: &[String]) -> String {
    let mut command = product();
    let output = command.arg("records").arg(folder).args(options).output().expect("it runs");
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_port_that_cannot_be_had_as_asked_for_ends_the_start() {
    let site = Site::new();
    let records = site.file("records");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address");
    let refused = said(&records, &site.options(address.port()));
    assert!(refused.contains("SPCL042") && refused.contains("cannot listen on"), "{refused}");
    fs::write(site.file("allowed"), "REGA\n").expect("written");
    let refused = said(&records, &site.options(site.port));
    assert!(refused.contains("allowed:1: ") && refused.contains("SHA-256"), "{refused}");
    fs::remove_file(site.file("allowed")).expect("removed");
    assert!(said(&records, &site.options(site.port)).contains("allowed"));
    let alone = said(&records, &["--listen".to_owned(), "127.0.0.1:0".to_owned()]);
    assert!(alone.contains("--certificate"), "{alone}");
}
