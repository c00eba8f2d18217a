//! The card is not there: its holder tells the three or four digits that its display shows.

use std::fs;

use load::tracks;

use super::house::{Hsm, Issuer, Wanted};
use crate::terminal::Terminal;

/// CALLs the API, and does not LINK to it: `CALL card expiry code`. It goes on behind the CALL.
const CALLER: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. CALLER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-INPUT                PIC X(60) VALUE SPACES.
       01  WS-LENGTH               PIC S9(04) COMP VALUE 60.
       01  WS-WORD                 PIC X(04).
       01  WS-ANSWER               PIC X(03).
           COPY AUTPARM.
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-INPUT) LENGTH(WS-LENGTH) END-EXEC
           MOVE SPACES             TO AUTPARM
           UNSTRING WS-INPUT DELIMITED BY ALL SPACES
                    INTO WS-WORD AP-PAN AP-EXPIRY AP-SECURITY-CODE
           END-UNSTRING
           MOVE '01'               TO AP-SEQUENCE
           CALL 'AUTCNA' USING DFHEIBLK AUTPARM
           MOVE AP-RETURN-CODE     TO WS-ANSWER
           EXEC CICS SEND TEXT FROM(WS-ANSWER) LENGTH(3) ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const CALLER_DEFINED: &str = "
  DEFINE PROGRAM(CALLER) GROUP(AUTPROG) CONCURRENCY(REQUIRED)
  DEFINE TRANSACTION(CALL) GROUP(AUTTRAN) PROGRAM(CALLER)
";

/// Types a transaction, and sees the answer.
fn told(terminal: &mut Terminal, typed: &str) -> String {
    terminal.start(typed);
    terminal.shows().trim_start().to_owned()
}

#[test]
fn what_a_display_shows_is_authentic_once() {
    let hsm = Hsm::start(&[]);
    let issuer = Issuer::new(&Wanted { log: true, cards: 2, terminals: 1, ..Wanted::with(&[&hsm]) });
    let csd = issuer.application().join("csd/authenticator.csd");
    let defined = fs::read_to_string(&csd).expect("text");
    fs::write(csd, format!("{CALLER_DEFINED}{defined}")).expect("written");
    fs::write(issuer.application().join("cobol/CALLER.cbl"), CALLER).expect("written");

    let file = issuer.tracks().join("t00000.trk");
    let cards = tracks::read_file(&file).expect("cards").tracks;
    let pan = cards[0].pan.digits();
    let code = |counter: &str, more: &[&str]| {
        issuer.told(&[&["code", "tracks/t00000.trk", "--counter", counter], more].concat())
    };
    let (first, wrong) = (code("1", &["--display", "3"]), code("2", &["--display", "3", "--wrong"]));
    let (second, wrong_digit) = (code("2", &["--display", "4"]), code("3", &["--display", "4", "--wrong"]));
    let (third, fourth) = (code("3", &["--display", "3"]), code("4", &["--display", "4"]));
    let far = code("20", &["--display", "4"]);
    let no_bin = "4000000000000002";
    let no_account = "4999990109999992";

    let service = issuer.open();
    let mut terminal = service.region.terminal();
    for (card, expiry, code, answer) in [
        (pan, "3012", &first, "000 AUTHENTIC"),
        (pan, "3012", &first, "008 REPLAYED COUNTER"),
        (pan, "3012", &wrong, "004 WRONG CODE"),
        (pan, "3012", &second, "000 AUTHENTIC"),
        (pan, "3012", &second, "008 REPLAYED COUNTER"),
        (pan, "3012", &wrong_digit, "004 WRONG CODE"),
        // A display has too few digits to tell which counter is too far ahead.
        (pan, "3012", &far, "004 WRONG CODE"),
        (pan, "3011", &third, "028 EXPIRED CARD"),
        (pan, "3012", &third[..2].to_owned(), "032 MALFORMED"),
        (pan, "3012", &"12A".to_owned(), "032 MALFORMED"),
        (no_bin, "3012", &third, "020 UNKNOWN BIN"),
        (no_account, "3012", &third, "024 UNKNOWN ACCOUNT"),
        (pan, "3012", &third, "000 AUTHENTIC"),
    ] {
        assert_eq!(told(&mut terminal, &format!("ACNP {card} {expiry} {code}")), answer, "{card} {code}");
    }
    assert_eq!(told(&mut terminal, &format!("CALL {pan} 3012 {fourth}")), "000");
    assert_eq!(told(&mut terminal, &format!("CALL {pan} 3012 {fourth}")), "008");
}
