//! Real clients of the x3270 family: pr3287 as printers of a region, s3270 with SYSREQ and with larger screens. Their script is
//! `tests/clients/printer_check.py`.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;

use ebcdic::CodePage;
use tempfile::TempDir;

use crate::house::{PATIENCE, Region, application};
use crate::terminal::Terminal;

const REGION: &str = "applid = \"PRINTS\"\nprograms = [\"cobol\"]\nmaps = [\"maps\"]\ncsd = [\"app.csd\"]\n\
    grplist = \"LIST\"\n[listen]\ntn3270 = \"127.0.0.1:0\"\n[security]\n\
    default-rights = [\"run\", \"inquire\", \"operate\"]\n[sit]\nPRINT = \"PA1\"\n";

const CSD: &str = "\
DEFINE TYPETERM(PAGES) GROUP(G) DEVICE(LUTYPE3) PAGESIZE(6,80)
DEFINE TYPETERM(LINES) GROUP(G) DEVICE(SCSPRINT) PAGESIZE(6,60) FORMFEED(YES)
DEFINE TERMINAL(PRT1) GROUP(G) TYPETERM(PAGES) NETNAME(LUPRT1)
DEFINE TERMINAL(PRT2) GROUP(G) TYPETERM(LINES) NETNAME(LUPRT2)
DEFINE TERMINAL(TRM1) GROUP(G) TYPETERM(DFHLU2) NETNAME(LUTRM1) PRINTER(PRT2) ALTPRINTER(PRT1)
DEFINE PROGRAM(PRINT) GROUP(G)
DEFINE PROGRAM(SENDER) GROUP(G)
DEFINE TRANSACTION(PRNT) GROUP(G) PROGRAM(PRINT)
DEFINE TRANSACTION(SEND) GROUP(G) PROGRAM(SENDER)
DEFINE PROGRAM(TABS) GROUP(G)
DEFINE TRANSACTION(TABS) GROUP(G) PROGRAM(TABS)
DEFINE PROGRAM(PRINTS) GROUP(G)
DEFINE TRANSACTION(COPY) GROUP(G) PROGRAM(PRINTS)
ADD GROUP(G) LIST(LIST)
";

const MAP: &str = "\
MPRT     DFHMSD TYPE=MAP,MODE=OUT,LANG=COBOL,TIOAPFX=YES
MPRTM    DFHMDI SIZE=(4,60)
         DFHMDF POS=(1,1),LENGTH=5,INITIAL='TITLE',ATTRB=PROT
         DFHMSD TYPE=FINAL
";

/// Prints what it was started with, and a map.
const PRINT: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. PRINT.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 TXT PIC X(40).
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(TXT) END-EXEC.
           EXEC CICS SEND TEXT FROM(TXT) LENGTH(40) ERASE PRINT L80
               END-EXEC.
           EXEC CICS SEND MAP('MPRTM') MAPSET('MPRT') MAPONLY ERASE
               PRINT NLEOM FORMFEED END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

/// `SEND name text` starts it at the printer of that name.
const SENDER: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. SENDER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 INP PIC X(40).
       01 L PIC S9(4) COMP VALUE 40.
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(INP) LENGTH(L) NOHANDLE END-EXEC.
           EXEC CICS START TRANSID('PRNT') TERMID(INP(6:4))
               FROM(INP) LENGTH(40) END-EXEC.
           EXEC CICS SEND TEXT FROM('STARTED') LENGTH(7) ERASE
               FREEKB END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

/// Typed at a display it starts itself at the SCS printer, where it sets tabs at columns 5 and 10, and uses them.
const TABS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. TABS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 SCS PIC X(14) VALUE X'2BC106500100050A580559055A15'.
       PROCEDURE DIVISION.
           IF EIBTRMID = 'PRT2'
              EXEC CICS SEND FROM(SCS) LENGTH(14) END-EXEC
              EXEC CICS RETURN END-EXEC
           END-IF.
           EXEC CICS START TRANSID('TABS') TERMID('PRT2') END-EXEC.
           EXEC CICS SEND TEXT FROM('STARTED') LENGTH(7) ERASE
               FREEKB END-EXEC.
           EXEC CICS RETURN END-EXEC.
";

/// Has its own screen printed, and says what came of it.
const PRINTS: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. PRINTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01 R PIC S9(8) COMP.
       PROCEDURE DIVISION.
           EXEC CICS SEND TEXT FROM('A SCREEN') LENGTH(8) ERASE
               FREEKB END-EXEC.
           EXEC CICS ISSUE PRINT RESP(R) END-EXEC.
           IF R = DFHRESP(NORMAL)
              EXEC CICS SEND TEXT FROM('PRINTED') LENGTH(7) ERASE
                  FREEKB END-EXEC
           END-IF.
           EXEC CICS RETURN END-EXEC.
";

/// The application's folder.
fn shop() -> TempDir {
    application(&[
        ("region.toml", REGION),
        ("app.csd", CSD),
        ("maps/MPRT.bms", MAP),
        ("cobol/PRINT.cbl", PRINT),
        ("cobol/SENDER.cbl", SENDER),
        ("cobol/TABS.cbl", TABS),
        ("cobol/PRINTS.cbl", PRINTS),
    ])
}

/// Runs a part of the script against a region of its own.
#[track_caller]
fn check(what: &str) {
    for client in ["s3270", "pr3287"] {
        let there = Command::new(client).arg("-v").output().is_ok();
        assert!(there, "{client} is not installed: `scripts/install test` installs it");
    }
    let folder = shop();
    let region = Region::start(folder.path());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/clients/printer_check.py");
    let address = region.address;
    let output = Command::new("python3")
        .arg("-B")
        .arg(script)
        .args([&address.ip().to_string(), &address.port().to_string()])
        .arg(folder.path())
        .arg(what)
        .output()
        .expect("python3 runs");
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert!(output.status.success(), "{}", said.concat());
}

#[test]
fn pr3287_prints_by_its_name_and_as_the_printer_of_a_display() {
    check("printers");
}

#[test]
fn pr3287_prints_what_s3270_shows_when_its_print_key_is_pressed() {
    check("copies");
}

#[test]
fn s3270_logs_off_behind_its_sysreq_key_and_comes_back() {
    check("sysreq");
}

#[test]
fn supplied_screens_use_the_whole_terminal() {
    check("screens");
}

/// A client that is nothing but the bytes it sends and gets.
struct Bytes(TcpStream);

impl Bytes {
    const END_OF_RECORD: [u8; 2] = [0xFF, 0xEF];
    const PRINTED: [u8; 3] = [0x02, 0x00, 0x00];
    const REFUSED: [u8; 3] = [0x02, 0x00, 0x01];

    /// Connects as a device with a network name, and asks for functions.
    fn negotiates(address: SocketAddr, device: &[u8], lu: &[u8], functions: &[u8]) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time");
        let mut client = Self(stream);
        let says = |words: &[&[u8]]| [b"\xff\xfa\x28", words.concat().as_slice(), b"\xff\xf0"].concat();
        client.gets(b"\xff\xfd\x28");
        client.sends(b"\xff\xfb\x28");
        client.gets(&says(&[b"\x08\x02"]));
        client.sends(&says(&[b"\x02\x07", device, b"\x01", lu]));
        client.gets(&says(&[b"\x02\x04", device, b"\x01", lu]));
        client.sends(&says(&[b"\x03\x07", functions]));
        client.gets(&says(&[b"\x03\x04", functions]));
        client
    }

    /// Connects as IBM-3287-1 with a network name: BIND-IMAGE, DATA-STREAM-CTL, RESPONSES and SCS-CTL-CODES are agreed.
    fn connect(address: SocketAddr, lu: &[u8]) -> Self {
        let mut printer = Self::negotiates(address, b"IBM-3287-1", lu, &[0, 1, 2, 3]);
        assert_eq!(printer.record()[..5], [0x03, 0, 0, 0, 0], "a BIND");
        printer
    }

    fn sends(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).expect("the region reads");
    }

    #[track_caller]
    fn gets(&mut self, expected: &[u8]) {
        let mut bytes = vec![0; expected.len()];
        self.0.read_exact(&mut bytes).expect("the region sends");
        assert_eq!(bytes, expected, "{bytes:02X?}");
    }

    /// The next record.
    fn record(&mut self) -> Vec<u8> {
        let mut record = Vec::new();
        while !record.ends_with(&Self::END_OF_RECORD) {
            let mut byte = [0];
            self.0.read_exact(&mut byte).expect("the region sends");
            record.extend(byte);
        }
        record.truncate(record.len() - 2);
        record
    }

    /// The next record is a page with this number, for which an answer is wanted, begins so, and has the text.
    #[track_caller]
    fn gets_page(&mut self, number: u8, data_type: u8, begins: &[u8], text: &str) {
        let record = self.record();
        let expected = [&[data_type, 0, 0x02, 0, number], begins].concat();
        assert!(record.starts_with(&expected), "{expected:02X?}: {record:02X?}");
        let text = CodePage::Ibm037.encode(text);
        assert!(record.windows(text.len()).any(|part| part == text), "{text:02X?}: {record:02X?}");
    }

    /// Answers a page.
    fn answers(&mut self, kind: [u8; 3], number: u8, reason: u8) {
        self.sends(&[&kind[..], &[0, number, reason], &Self::END_OF_RECORD].concat());
    }
}

#[test]
fn pages_answers_and_the_end_of_a_job_are_the_published_bytes() {
    let folder = shop();
    let region = Region::start(folder.path());
    let mut printer = Bytes::connect(region.address, b"LUPRT1");
    let mut terminal = Terminal::connect(region.address);
    terminal.start("SEND PRT1 HELLO");
    terminal.sees("STARTED");
    // Erase and write, start the printer, 80 characters in a line.
    printer.gets_page(0, 0x00, &[0xF5, 0xF8], "SEND PRT1 HELLO");
    // An operator is needed; the page comes again when the printer says that it is ready.
    printer.answers(Bytes::REFUSED, 0, 0x01);
    printer.sends(b"\x06\x00\x00\x00\x00\xff\xef");
    printer.gets_page(1, 0x00, &[0xF5, 0xF8], "SEND PRT1 HELLO");
    // An answer without a request says nothing.
    printer.answers(Bytes::PRINTED, 9, 0x00);
    printer.answers(Bytes::PRINTED, 1, 0x00);
    let map = printer.record();
    assert_eq!(map[..6], [0, 0, 0x02, 0, 2, 0xF5], "{map:02X?}");
    assert_eq!(
        map[7..],
        [&[0x40][..], &CodePage::Ibm037.encode("TITLE"), &[0x15, 0x19]].concat(),
        "{map:02X?}"
    );
    printer.answers(Bytes::PRINTED, 2, 0x00);
    assert_eq!(printer.record(), [0x08, 0, 0, 0, 3], "the end of the job");
    // A page that cannot be printed ends its task; the printer's next task is another one.
    terminal.start("SEND PRT1 AGAIN");
    terminal.sees("STARTED");
    printer.gets_page(4, 0x00, &[0xF5, 0xF8], "AGAIN");
    printer.answers(Bytes::REFUSED, 4, 0x02);
    region.logs("PRNT failed with abend ATNI");
    terminal.start("SEND PRT1 ONCE MORE");
    terminal.sees("STARTED");
    let mut next = printer.record();
    if next[0] == 0x08 {
        next = printer.record();
    }
    assert_eq!(next[5..7], [0xF5, 0xF8], "{next:02X?}");
    // One that vanishes while its page waits for an answer leaves nothing behind.
    drop(printer);
    terminal.start("SEND PRT2 TO THE OTHER");
    terminal.sees("STARTED");
    let mut lines = Bytes::connect(region.address, b"LUPRT2");
    lines.gets_page(0, 0x01, &[], "SEND PRT2 TO THE OTHER");
}

#[test]
fn a_display_that_does_not_say_what_it_shows_keeps_no_task_waiting_for_ever() {
    const PRINT_KEY: &[u8] = b"\x00\x00\x00\x00\x00\x6c\xff\xef";
    const READ_BUFFER: [u8; 6] = [0, 0, 0, 0, 0, 0xF2];
    let folder = shop();
    let region = Region::start(folder.path());
    let mut printer = Bytes::connect(region.address, b"LUPRT2");
    let mut display = Bytes::negotiates(region.address, b"IBM-3278-2", b"LUTRM1", &[]);
    let answer = |text: &str| {
        let mut screen = CodePage::Ibm037.encode(text);
        screen.resize(24 * 80, 0);
        [b"\x00\x00\x00\x00\x00\x6c\x40\x40", screen.as_slice(), &Bytes::END_OF_RECORD].concat()
    };
    let asked = |display: &mut Bytes| while display.record() != READ_BUFFER {};
    let mut operator = Terminal::connect(region.address);
    display.record();
    display.sends(PRINT_KEY);
    asked(&mut display);
    operator.start("CEMT SET TERMINAL(TRM1) PURGE");
    operator.sees("RESPONSE: NORMAL");
    region.logs("CSPP failed with abend");
    // An answer that comes too late is no input, and no answer to the next question.
    display.sends(&answer("TOO LATE"));
    display.sends(PRINT_KEY);
    asked(&mut display);
    display.sends(&answer("IN TIME"));
    printer.gets_page(0, 0x01, &[], "IN TIME");
}
