//! Two regions, each a process, and the links between them: made, released, lost, refused.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;

use crate::certificates::{Authority, authority, certificate, certificate_until};
use crate::house::{FREE_PORT, PATIENCE, Region, application, product};

/// A CONNECTION and its SESSIONS.
pub fn connection(name: &str, netname: &str) -> String {
    format!(
        "DEFINE CONNECTION({name}) GROUP(LINKS) NETNAME({netname}) ACCESSMETHOD(IRC)\n\
         DEFINE SESSIONS({name}) GROUP(LINKS) CONNECTION({name}) PROTOCOL(LU61) SENDCOUNT(400) RECEIVECOUNT(400)\n"
    )
}

/// A region of this machine with partners.
fn here(applid: &str, links: &Path, partners: &[(&str, &str)], sit: &str) -> TempDir {
    let region = format!(
        "applid = \"{applid}\"\nsysid = \"{}\"\n{FREE_PORT}[links]\nfolder = \"{}\"\n[sit]\nISC = \"YES\"\nIRCSTRT = \"YES\"\n{sit}",
        &applid[..4],
        links.display()
    );
    let definitions: String = partners.iter().map(|(name, netname)| connection(name, netname)).collect();
    application(&[("region.toml", &region), ("links.csd", &definitions)])
}

/// The thing: what an operator's request says.
fn cemt(folder: &Path, request: &str) -> String {
    let output =
        product().args(["cemt", ".", request]).current_dir(folder).output().expect("syncpoint starts");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Waits until a request is answered like this.
pub fn until(folder: &Path, request: &str, wanted: &str) {
    let begun = Instant::now();
    loop {
        let text = cemt(folder, request).to_uppercase();
        if text.contains(wanted) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{request} never says {wanted}:\n{text}");
    }
}

const INQUIRE: &str = "INQUIRE CONNECTION(PART)";

#[test]
fn two_regions_of_a_machine_are_linked_released_lost_and_linked_again() {
    let links = tempfile::tempdir().expect("a folder");
    let (one, other) = (
        here("REGA", links.path(), &[("PART", "REGB")], ""),
        here("REGB", links.path(), &[("PART", "REGA")], ""),
    );
    let (one, other) = (one.path(), other.path());
    let first = Region::start(one);
    // The partner is not there: the log says so, and it is tried again.
    first.logs("CONNECTION PART to REGB: it is not there");
    let second = Region::start(other);
    for folder in [one, other] {
        until(folder, INQUIRE, "ACQUIRED");
    }
    let socket = fs::metadata(links.path().join("REGA")).expect("its socket");
    assert_eq!(socket.permissions().mode() & 0o777, 0o600, "it is the owner's alone");

    // A release at one side releases both, until an operator acquires it again.
    cemt(one, "SET CONNECTION(PART) RELEASED");
    for folder in [one, other] {
        until(folder, INQUIRE, "RELEASED");
    }
    second.logs("is released by the partner");
    cemt(other, "SET CONNECTION(PART) ACQUIRED");
    for folder in [one, other] {
        until(folder, INQUIRE, "ACQUIRED");
    }

    // What is out of service takes no link.
    cemt(one, "SET CONNECTION(PART) OUTSERVICE");
    until(one, INQUIRE, "OUTSERVICE");
    for folder in [one, other] {
        until(folder, INQUIRE, "RELEASED");
    }
    cemt(other, "SET CONNECTION(PART) ACQUIRED");
    second.logs("the partner refuses the link: CONNECTION PART to REGB is out of service");
    cemt(one, "SET CONNECTION(PART) INSERVICE");
    for folder in [one, other] {
        until(folder, INQUIRE, "ACQUIRED");
    }

    // A region that is killed is missed at once, and linked again when it is back.
    second.signal("KILL");
    drop(second);
    first.logs("the link is lost");
    let second = Region::start(other);
    for folder in [one, other] {
        until(folder, INQUIRE, "ACQUIRED");
    }
    assert!(!first.log().contains("it has a new log"), "{}", first.log());

    // IRC is closed and opened for all of them.
    cemt(other, "SET IRC CLOSED");
    until(other, "INQUIRE IRC", "CLOSED");
    until(one, INQUIRE, "RELEASED");
    cemt(other, "SET IRC OPEN");
    for folder in [one, other] {
        until(folder, INQUIRE, "ACQUIRED");
    }
    assert!(!second.ends_in_order().contains("panicked"));
    until(one, INQUIRE, "RELEASED");
    assert!(!first.ends_in_order().contains("panicked"));
    assert!(!links.path().join("REGA").exists(), "the socket goes with the region");
}

#[test]
fn a_partner_that_was_started_initial_has_another_log() {
    let links = tempfile::tempdir().expect("a folder");
    let one = here("REGA", links.path(), &[("PART", "REGB")], "");
    let other = here("REGB", links.path(), &[("PART", "REGA")], "");
    let first = Region::start(one.path());
    let second = Region::start(other.path());
    until(one.path(), INQUIRE, "ACQUIRED");
    until(other.path(), INQUIRE, "ACQUIRED");
    second.ends_in_order();
    let text = fs::read_to_string(other.path().join("region.toml")).expect("a text");
    fs::write(other.path().join("region.toml"), format!("{text}START = \"INITIAL\"\n")).expect("written");
    let second = Region::start(other.path());
    first.logs("CONNECTION PART to REGB: it has a new log");
    second.ends_in_order();
    first.ends_in_order();
}

#[test]
fn a_region_that_no_definition_names_is_refused() {
    let links = tempfile::tempdir().expect("a folder");
    let one = here("REGA", links.path(), &[("NONE", "REGX")], "");
    let other = here("REGB", links.path(), &[("PART", "REGA")], "");
    let first = Region::start(one.path());
    let second = Region::start(other.path());
    first.logs("a link is refused: no CONNECTION has NETNAME(REGB)");
    second.logs("the partner refuses the link: no CONNECTION has NETNAME(REGB)");
    until(other.path(), INQUIRE, "OBTAINING");
    second.ends_in_order();
    first.ends_in_order();
}

/// A region of another machine: who shows which certificate, and whose users have which.
fn elsewhere(applid: &str, shows: &str, csd: &str, users: &str) -> TempDir {
    let region = format!(
        "applid = \"{applid}\"\nsysid = \"{}\"\n{FREE_PORT}[links]\nlisten = \"127.0.0.1:0\"\nnetwork = \"NETA\"\n\
         certificate = \"{shows}.pem\"\nkey = \"{shows}.key\"\nauthorities = \"partners.pem\"\n[sit]\nISC = \"YES\"\n",
        &applid[..4]
    );
    application(&[("region.toml", &region), ("links.csd", csd), ("users.toml", users)])
}

const PASSIVE: &str =
    "DEFINE IPCONN(REGB) GROUP(LINKS) PORT(NO) AUTOCONNECT(YES) RECEIVECOUNT(10) SENDCOUNT(10)\n";

/// The keys of several regions, and the authority that has signed them.
struct Keys {
    folder: TempDir,
    authority: Authority,
}

impl Keys {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder"), authority: authority() }
    }

    /// Makes a certificate, and returns its fingerprint.
    fn sign(&self, name: &str) -> String {
        certificate(self.folder.path(), name, &self.authority)
    }

    /// Copies a certificate and its key into a region's folder, under another name there.
    fn give(&self, folder: &Path, name: &str, as_name: &str) {
        for ending in ["pem", "key"] {
            let from = self.folder.path().join(format!("{name}.{ending}"));
            fs::copy(from, folder.join(format!("{as_name}.{ending}"))).expect("copied");
        }
        fs::write(folder.join("partners.pem"), self.authority.pem()).expect("written");
    }
}

/// A user with certificates.
fn user(name: &str, certificates: &[&str]) -> String {
    format!("[[user]]\nuserid = \"{name}\"\nrights = [\"run\"]\ncertificates = {certificates:?}\n")
}

/// Connects without a region, with a certificate, or without one.
fn comes(folder: &Path, port: &str, shows: Option<&Path>) {
    let mut openssl = Command::new("openssl");
    openssl.args(["s_client", "-quiet", "-verify_quiet", "-connect", &format!("127.0.0.1:{port}")]);
    if let Some(path) = shows {
        openssl.arg("-cert").arg(path.with_extension("pem")).arg("-key").arg(path.with_extension("key"));
    }
    openssl.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).current_dir(folder);
    // It is refused, so that it says that it has failed.
    openssl.status().expect("openssl runs");
}

#[test]
fn who_shows_no_certificate_or_one_that_has_expired_is_refused() {
    let keys = Keys::new();
    let (rega, regb) = (keys.sign("rega"), keys.sign("regb"));
    let expired = certificate_until(keys.folder.path(), "expired", &keys.authority, 2020);
    let one = elsewhere("REGA", "rega", PASSIVE, &user("REGB", &[&regb, &expired]));
    keys.give(one.path(), "rega", "rega");
    let first = Region::start(one.path());
    let port = first.logged("links from other machines come to 127.0.0.1:");
    comes(one.path(), &port, None);
    first.logs("peer sent no certificates");
    comes(one.path(), &port, Some(&keys.folder.path().join("expired")));
    first.logs("certificate expired");
    // The region takes its partner all the same.
    let csd = format!("DEFINE IPCONN(REGA) GROUP(LINKS) HOST(127.0.0.1) PORT({port}) AUTOCONNECT(YES)\n");
    let other = elsewhere("REGB", "regb", &csd, &user("REGA", &[&rega]));
    keys.give(other.path(), "regb", "regb");
    let second = Region::start(other.path());
    until(other.path(), "INQUIRE IPCONN(REGA)", "ACQUIRED");
    second.ends_in_order();
    first.ends_in_order();
}

#[test]
fn a_renewed_certificate_counts_when_the_next_link_is_made() {
    let keys = Keys::new();
    let [rega, regb, rega2, regb2, _] =
        ["rega", "regb", "rega2", "regb2", "regc"].map(|name| keys.sign(name));
    let one = elsewhere("REGA", "rega", PASSIVE, &user("REGB", &[&regb, &regb2]));
    keys.give(one.path(), "rega", "rega");
    let first = Region::start(one.path());
    let port = first.logged("links from other machines come to 127.0.0.1:");
    let csd = format!("DEFINE IPCONN(REGA) GROUP(LINKS) HOST(127.0.0.1) PORT({port}) AUTOCONNECT(YES)\n");
    let other = elsewhere("REGB", "regb", &csd, &user("REGA", &[&rega, &rega2]));
    keys.give(other.path(), "regb", "regb");
    let second = Region::start(other.path());
    let again = |wanted: &str| {
        cemt(other.path(), "SET IPCONN(REGA) RELEASED");
        until(other.path(), "INQUIRE IPCONN(REGA)", "RELEASED");
        cemt(other.path(), "SET IPCONN(REGA) ACQUIRED");
        until(other.path(), "INQUIRE IPCONN(REGA)", wanted);
    };
    until(other.path(), "INQUIRE IPCONN(REGA)", "ACQUIRED");

    // The one that connects reads its files each time: first those of a name that is no user, then the renewed ones.
    keys.give(other.path(), "regc", "regb");
    again("OBTAINING");
    first.logs("the certificate that REGB has shown is no user's");
    keys.give(other.path(), "regb2", "regb");
    again("ACQUIRED");

    // The one to which others connect reads them when an operator says so.
    keys.give(one.path(), "regc", "rega");
    again("ACQUIRED");
    cemt(one.path(), "PERFORM SSL REBUILD");
    again("OBTAINING");
    second.logs("the certificate that REGA has shown is no user's");
    keys.give(one.path(), "rega2", "rega");
    cemt(one.path(), "PERFORM SSL REBUILD");
    again("ACQUIRED");
    second.ends_in_order();
    first.ends_in_order();
}

#[test]
fn regions_of_two_machines_show_each_other_who_they_are() {
    let (ours, others) = (authority(), authority());
    let keys = tempfile::tempdir().expect("a folder");
    let rega = certificate(keys.path(), "rega", &ours);
    let regb = certificate(keys.path(), "regb", &ours);
    certificate(keys.path(), "regc", &ours);
    certificate(keys.path(), "stranger", &others);
    let take = |folder: &Path, name: &str| {
        for ending in ["pem", "key"] {
            let file = format!("{name}.{ending}");
            fs::copy(keys.path().join(&file), folder.join(&file)).expect("copied");
        }
        fs::write(folder.join("partners.pem"), ours.pem()).expect("written");
    };
    let one = elsewhere("REGA", "rega", PASSIVE, &user("REGB", &[&regb]));
    take(one.path(), "rega");
    let first = Region::start(one.path());
    let port = first.logged("links from other machines come to 127.0.0.1:");
    let csd = format!(
        "DEFINE IPCONN(REGA) GROUP(LINKS) HOST(127.0.0.1) PORT({port}) AUTOCONNECT(YES) NETWORKID(NETA) SENDCOUNT(10)\n"
    );
    let partner = |shows: &str| {
        let folder = elsewhere("REGB", shows, &csd, &user("REGA", &[&rega]));
        take(folder.path(), shows);
        folder
    };
    // One that another authority has signed; one of ours that is no user's.
    for (shows, told) in
        [("stranger", "a link from 127.0.0.1 is refused"), ("regc", "has shown is no user's")]
    {
        let folder = partner(shows);
        let second = Region::start(folder.path());
        first.logs(told);
        until(folder.path(), "INQUIRE IPCONN(REGA)", "OBTAINING");
        second.ends_in_order();
    }
    let folder = partner("regb");
    let second = Region::start(folder.path());
    until(folder.path(), "INQUIRE IPCONN(REGA)", "ACQUIRED");
    // The one that cannot connect itself is linked by its partner.
    until(one.path(), "INQUIRE IPCONN(REGB)", "ACQUIRED");
    cemt(folder.path(), "SET IPCONN(REGA) RELEASED");
    until(one.path(), "INQUIRE IPCONN(REGB)", "RELEASED");
    second.ends_in_order();
    first.ends_in_order();
}
