//! Mistakes of clients, and input of people: the region goes on, and gives the messages that are due.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Instant;

use expect_test::{Expect, expect};
use tempfile::TempDir;
use tn3270::datastream::{Aid, Capabilities, Size};

use crate::house::{FREE_PORT, PATIENCE, Region, application};
use crate::terminal::Terminal;

/// Terminals that vanish at the same time, and over which connections.
const VANISHING: usize = 500;
const AT_A_TIME: usize = 50;

/// A region with nothing in it.
fn empty() -> (TempDir, Region) {
    let folder = application(&[("region.toml", FREE_PORT)]);
    let region = Region::start(folder.path());
    (folder, region)
}

/// A region serves if a new terminal gets the answer that an unknown transaction gets.
fn still_serves(region: &Region) {
    let mut terminal = region.terminal();
    terminal.start("ZZZZ");
    terminal.sees("DFHAC2001");
}

fn screen(terminal: &Terminal, expected: Expect) {
    expected.assert_eq(&terminal.shows());
}

#[test]
fn garbage_ends_only_its_own_connection() {
    let (_folder, region) = empty();
    let garbage: [&[u8]; 6] = [
        b"GET / HTTP/1.1\r\nHost: here\r\n\r\n",
        // A TLS client greets a port that has none.
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        // Telnet: a subnegotiation that never ends, one that is nonsense, unknown options.
        b"\xff\xfa\x28",
        b"\xff\xfa\x28\x07\x07\x07\xff\xf0\xff\xfd\x99\xff\xfb\x98",
        b"\xff\xff\xff\xff\xff\xff",
        &[0; 100_000],
    ];
    for bytes in garbage {
        let mut stream = TcpStream::connect(region.address).expect("connected");
        // The region may close the connection before it has taken everything.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        stream.set_read_timeout(Some(PATIENCE)).expect("a patience");
        // Whatever it says, it lets go.
        let _ = stream.read_to_end(&mut Vec::new());
    }
    still_serves(&region);
}

#[test]
fn a_half_closed_connection_is_over() {
    let (_folder, region) = empty();
    let mut stream = TcpStream::connect(region.address).expect("connected");
    stream.shutdown(Shutdown::Write).expect("half closed");
    stream.set_read_timeout(Some(PATIENCE)).expect("a patience");
    stream.read_to_end(&mut Vec::new()).expect("the region closes the other half");
    still_serves(&region);
}

#[test]
fn terminals_that_vanish_leave_nothing() {
    let (_folder, region) = empty();
    for _ in 0..VANISHING / AT_A_TIME {
        let address = region.address;
        let terminals = (0..AT_A_TIME).map(|_| thread::spawn(move || drop(Terminal::connect(address))));
        for terminal in terminals.collect::<Vec<_>>() {
            terminal.join().expect("a terminal is served");
        }
    }
    still_serves(&region);
}

/// Shows the size of its screen, and a line of 100 characters.
const SIZES: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. SIZES.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-ROWS                 PIC S9(04) COMP.
       01  WS-COLUMNS              PIC S9(04) COMP.
       01  WS-TEXT.
           05  WS-SHOWN-ROWS       PIC 99.
           05  FILLER              PIC X VALUE 'x'.
           05  WS-SHOWN-COLUMNS    PIC 999.
           05  FILLER              PIC X(94) VALUE ALL '-'.
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN SCRNHT(WS-ROWS) SCRNWD(WS-COLUMNS) END-EXEC
           MOVE WS-ROWS            TO WS-SHOWN-ROWS
           MOVE WS-COLUMNS         TO WS-SHOWN-COLUMNS
           EXEC CICS SEND TEXT FROM(WS-TEXT) LENGTH(LENGTH OF WS-TEXT)
                     ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

#[test]
fn a_profile_gives_its_transactions_the_alternate_screen() {
    let definitions = "DEFINE PROGRAM(SIZES) GROUP(SIZES)
DEFINE PROFILE(WIDE) GROUP(SIZES) SCRNSIZE(ALTERNATE)
DEFINE TRANSACTION(WIDE) GROUP(SIZES) PROGRAM(SIZES) PROFILE(WIDE)
DEFINE TRANSACTION(SLIM) GROUP(SIZES) PROGRAM(SIZES)
";
    let files = [("region.toml", FREE_PORT), ("sizes.csd", definitions), ("programs/SIZES.cbl", SIZES)];
    let folder = application(&files);
    let region = Region::start(folder.path());
    let model_5 = Size { rows: 27, columns: 132 };
    let mut terminal = Terminal::of_model(region.address, "IBM-3278-5-E", model_5).expect("a terminal");
    terminal.start("WIDE");
    assert_eq!(terminal.shows(), format!(" 27x132{}", "-".repeat(94)));
    // A transaction without such a profile has the default size again.
    terminal.start("SLIM");
    assert_eq!(terminal.shows(), format!(" 24x080{}\n {}", "-".repeat(73), "-".repeat(21)));
}

/// Sends a map whose field is outlined and checked, and says what its terminal can do.
const FEATURE: &str = "
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FEATURE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY FRAMES.
       01  WS-HAS.
           05  WS-EXTENDED         PIC X.
           05  WS-OUTLINE          PIC X.
           05  WS-VALIDATION       PIC X.
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN EXTDS(WS-EXTENDED) OUTLINE(WS-OUTLINE)
                     VALIDATION(WS-VALIDATION)
           END-EXEC
           MOVE LOW-VALUES         TO FRAMEO
           INSPECT WS-HAS CONVERTING X'FF00' TO 'YN'
           MOVE WS-HAS             TO HASO
           EXEC CICS SEND MAP('FRAME') MAPSET('FRAMES') ERASE FREEKB
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const FRAMES: &str = "\
FRAMES   DFHMSD TYPE=&SYSPARM,MODE=INOUT,LANG=COBOL,TIOAPFX=YES
FRAME    DFHMDI SIZE=(24,80),MAPATTS=(OUTLINE,VALIDN)
HAS      DFHMDF POS=(1,1),LENGTH=3,ATTRB=PROT
BOX      DFHMDF POS=(2,1),LENGTH=4,OUTLINE=BOX,VALIDN=MUSTFILL
         DFHMSD TYPE=FINAL
";

/// Outlining and validation are two features: a terminal that has one need not have the other.
#[test]
fn a_terminal_that_outlines_need_not_check_what_is_typed() {
    const BOX: u8 = 0x0F;
    const MUST_FILL: u8 = 0x04;
    let definitions = "DEFINE PROGRAM(FEATURE) GROUP(FEATURES)
DEFINE MAPSET(FRAMES) GROUP(FEATURES)
DEFINE TRANSACTION(FEAT) GROUP(FEATURES) PROGRAM(FEATURE)
";
    let folder = application(&[
        ("region.toml", FREE_PORT),
        ("features.csd", definitions),
        ("programs/FEATURE.cbl", FEATURE),
        ("maps/FRAMES.bms", FRAMES),
    ]);
    let region = Region::start(folder.path());
    let cases = [
        (true, true, "YYY", (BOX, MUST_FILL)),
        (true, false, "YYN", (BOX, 0)),
        (false, true, "YNY", (0, MUST_FILL)),
        (false, false, "NNN", (0, 0)),
    ];
    for (outlining, validation, told, sent) in cases {
        let capabilities = Capabilities { outlining, validation, ..Capabilities::unqueried(Size::MODEL_2) };
        let mut terminal =
            Terminal::that_can(region.address, "IBM-3278-2-E", capabilities).expect("a terminal");
        terminal.start("FEAT");
        assert_eq!(terminal.shows().trim(), told);
        assert_eq!(terminal.outlining_and_validation(2, 2), Some(sent), "{told}");
    }
}

#[test]
fn input_that_cannot_be_read_gives_the_keyboard_back() {
    let (_folder, region) = empty();
    let mut terminal = region.terminal();
    // ENTER, a cursor, an address that is cut short.
    terminal.send(&[0x7D, 0x40, 0x40, 0x11, 0x40]);
    region.logs("input not understood");
    terminal.start("ZZZZ");
    terminal.sees("DFHAC2001");
}

#[test]
fn an_unknown_transaction_is_told_on_the_last_lines() {
    let (_folder, region) = empty();
    let mut terminal = region.terminal();
    terminal.start("ZZZZ");
    screen(
        &terminal,
        expect![[r#"
            ZZZZ
             DFHAC2001 SYNCPNT Transaction 'ZZZZ' is not recognized. Check that the
             transaction name is correct."#]],
    );
    // Typing goes on at the top, as often as one likes.
    terminal.type_text("Y");
    terminal.press(Aid::Enter);
    terminal.sees("'YZZZ'");
}

#[test]
fn enter_and_function_keys_on_an_empty_screen_are_told_so_and_clear_is_not() {
    let (_folder, region) = empty();
    let mut terminal = region.terminal();
    for key in [Aid::Enter, Aid::Pf(3)] {
        terminal.press(Aid::Clear);
        screen(&terminal, expect![""]);
        terminal.press(key);
        terminal.sees("DFHAC2001");
    }
}

#[test]
fn more_connections_than_are_allowed_are_told_so() {
    let folder = application(&[("region.toml", &format!("{FREE_PORT}connections = 1\n"))]);
    let region = Region::start(folder.path());
    let first = region.terminal();
    let refused = Terminal::try_connect(region.address).err().expect("there is no room").to_string();
    assert!(
        refused.contains("takes no more clients: all 1 connections are in use (connections)"),
        "{refused}"
    );
    drop(first);
    // The region learns a moment later that the first one has left.
    let begun = Instant::now();
    while Terminal::try_connect(region.address).is_err() {
        assert!(begun.elapsed() < PATIENCE, "the place of a terminal that has left is free");
    }
}
