//! A region whose users are in a directory: Debian's slapd answers, locks a user, is slow, and is gone.

#[path = "../../../../doors/directory/tests/slapd/mod.rs"]
mod slapd;

use slapd::{SUFFIX, Slapd};
use tempfile::TempDir;
use tn3270::datastream::Aid;

use crate::house::{FREE_PORT, Region, application};
use crate::terminal::Terminal;

const SIGNED_ON: &str = "DFHCE3549";
const REFUSED: &str = "DFHCE3530";
const REVOKED: &str = "DFHCE3546";
const NO_ANSWER: &str = "DFHCE3535";

/// Everybody may begin TELL who is a teller in the directory; its program tells so.
const PROFILES: &str = "[[profile]]\nclass = \"XTRAN\"\nname = \"TELL\"\ngroups = { TELLERS = \"READ\" }\n";
const DEFINITIONS: &str = "DEFINE PROGRAM(TELL) GROUP(G)\nDEFINE TRANSACTION(TELL) GROUP(G) PROGRAM(TELL)\n";
const TELL: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. TELL.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TEXT                 PIC X(13) VALUE 'A TELLER CAME'.
       PROCEDURE DIVISION.
           EXEC CICS SEND TEXT FROM(WS-TEXT) LENGTH(13) ERASE END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// A region that asks a directory, whose words count for so many minutes.
fn house(slapd: &Slapd, cached_for: u32) -> TempDir {
    let region = format!(
        "{FREE_PORT}[sit]\nSEC = \"YES\"\n[ldap]\nurl = \"ldap://127.0.0.1:{}\"\nuser-dn = \"uid={{user}},ou=people,{SUFFIX}\"\n\
         groups-base = \"ou=groups,{SUFFIX}\"\ntimeout = 1\ncached-for = {cached_for}\n",
        slapd.port
    );
    application(&[
        ("region.toml", &region),
        ("security.toml", PROFILES),
        ("tell.csd", DEFINITIONS),
        ("programs/TELL.cbl", TELL),
    ])
}

/// Types a user id and a password, sees the answer, and leaves the panel where it is still there.
fn signs_on(terminal: &mut Terminal, user: &str, password: &str, answer: &str) {
    terminal.start(&format!("CESN USERID={user},PS={password}"));
    terminal.sees(answer);
    if answer != SIGNED_ON {
        terminal.press(Aid::Pf(3));
        terminal.sees("DFHCE3543");
    }
}

#[test]
fn people_of_a_directory_sign_on_with_its_passwords_and_groups() {
    let slapd = Slapd::start();
    let folder = house(&slapd, 60);
    let region = Region::start(folder.path());
    let mut terminal = region.terminal();
    terminal.start("TELL");
    terminal.sees("DFHAC2033");
    signs_on(&mut terminal, "ANNA", "harbour-8", REFUSED);
    signs_on(&mut terminal, "NOBODY", "harbour-1", REFUSED);
    terminal.start("TELL");
    terminal.sees("DFHAC2033");
    signs_on(&mut terminal, "ANNA", "harbour-1", SIGNED_ON);
    terminal.start("TELL");
    terminal.sees("A TELLER CAME");
    // The directory locks CARL after two wrong passwords; then the right one does not help, and ANNA is not locked.
    for answer in [REFUSED, REFUSED] {
        signs_on(&mut terminal, "CARL", "harbour-9", answer);
    }
    signs_on(&mut terminal, "CARL", "harbour-2", REVOKED);
    signs_on(&mut terminal, "ANNA", "harbour-1", SIGNED_ON);
    region.end(terminal);
}

#[test]
fn a_slow_or_lost_directory_counts_for_the_time_that_is_named() {
    let mut slapd = Slapd::start();
    let (long, none) = (house(&slapd, 60), house(&slapd, 0));
    let regions = [Region::start(long.path()), Region::start(none.path())];
    let mut terminals = regions.each_ref().map(Region::terminal);
    for terminal in &mut terminals {
        signs_on(terminal, "ANNA", "harbour-1", SIGNED_ON);
    }
    let [long, none] = &mut terminals;
    let mut without = |long: &mut Terminal| {
        signs_on(long, "ANNA", "harbour-1", SIGNED_ON);
        long.start("TELL");
        long.sees("A TELLER CAME");
        signs_on(long, "ANNA", "harbour-7", REFUSED);
        // Of CARL it has never heard.
        signs_on(long, "CARL", "harbour-2", NO_ANSWER);
        signs_on(none, "ANNA", "harbour-1", NO_ANSWER);
    };
    slapd.rest();
    without(long);
    regions[0].logs("ANNA is signed on by what the directory said before");
    slapd.go_on();
    signs_on(long, "CARL", "harbour-2", SIGNED_ON);
    slapd.end();
    signs_on(long, "CARL", "harbour-2", SIGNED_ON);
    signs_on(long, "ANNA", "harbour-1", SIGNED_ON);
    signs_on(none, "ANNA", "harbour-1", NO_ANSWER);
}
