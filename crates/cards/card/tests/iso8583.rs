//! Messages: the authorization pair byte by byte, the complaints about bad ones, and an independent reader.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use card::answer::{ANSWERS, Answer};
use card::digits::Digits;
use card::hex;
use card::iso8583::{Message, PREFIX_LENGTH, REQUEST_LENGTH, RESPONSE_LENGTH, Request, Response};
use card::track2::Track2;
use expect_test::{Expect, expect};
use proptest::prelude::*;

fn request() -> Request {
    Request {
        amount: Digits::of(12_345),
        sent: Digits::of(1_121_213_000),
        trace: Digits::of(17),
        merchant_type: Digits::of(5411),
        sequence: Digits::of(1),
        track2: Track2::parse("4999990000000015=27122013060820001710").expect("a track"),
        reference: Digits::of(600_000_000_017),
        terminal: *b"TERM0001",
        merchant: *b"SHOP 1 AT HOME ",
        currency: Digits::of(978),
    }
}

fn response() -> Response {
    request().response(Answer::Authentic, 431)
}

/// A frame, 16 bytes a line.
fn dump(frame: &[u8]) -> String {
    let readable = |byte: &u8| if (0x20..0x7F).contains(byte) { char::from(*byte) } else { '.' };
    let line = |bytes: &[u8]| {
        format!("{:32} {}\n", hex::encode(bytes), bytes.iter().map(readable).collect::<String>())
    };
    frame.chunks(16).map(line).collect()
}

#[test]
fn the_request_byte_by_byte() {
    let frame = request().frame().expect("all fields fit");
    assert_eq!(frame.len(), REQUEST_LENGTH);
    expect![[r#"
        0087303130303220468028C080003030 ..01002 F.(...00
        30303030303030303030303132333435 0000000000012345
        31313231323133303030303030303137 1121213000000017
        35343131393030303031303033373439 5411900001003749
        39393939303030303030303031353D32 99990000000015=2
        37313232303133303630383230303031 7122013060820001
        37313036303030303030303030313754 710600000000017T
        45524D3030303153484F502031204154 ERM0001SHOP 1 AT
        20484F4D4520393738                HOME 978
    "#]]
    .assert_eq(&dump(&frame));
    let message = Message::decode(&frame[PREFIX_LENGTH..]).expect("our own");
    assert_eq!(Request::read(&message), Ok(request()));
    expect!["0100 3=000000 4=000000012345 7=1121213000 11=000017 18=5411 22=900 23=001 25=00 35=Ok(Track2(499999******0015 2712 201)) 37=600000000017 41=TERM0001 42=SHOP 1 AT HOME  49=978"].assert_eq(&format!("{message:?}"));
}

#[test]
fn the_response_byte_by_byte() {
    let frame = response().frame().expect("all fields fit");
    expect![[r#"
        006830313130322000000EC180003030 .h01102 ......00
        30303030303030303030303132333435 0000000000012345
        31313231323133303030303030303137 1121213000000017
        36303030303030303030313730303030 6000000000170000
        313730305445524D3030303153484F50 1700TERM0001SHOP
        203120415420484F4D45203030393030  1 AT HOME 00900
        30303030343331393738             0000431978
    "#]]
    .assert_eq(&dump(&frame));
    for (answer, ..) in ANSWERS {
        let response = request().response(answer, 999_999);
        let frame = response.frame().expect("all fields fit");
        assert_eq!(frame.len(), RESPONSE_LENGTH);
        let message = Message::decode(&frame[PREFIX_LENGTH..]).expect("our own");
        assert_eq!(Response::read(&message), Ok(response));
    }
}

#[test]
fn a_secondary_bitmap_announces_itself() {
    let mut sign_on = Message::new(b"0800");
    sign_on.set(11, "000001").expect("6 digits");
    sign_on.set(70, "001").expect("3 digits");
    let bytes = sign_on.encode();
    assert_eq!(hex::encode(&bytes[4..20]), "80200000000000000400000000000000");
    assert_eq!(Message::decode(&bytes), Ok(sign_on));
}

/// The complaint about the request's message after a change.
fn check(change: impl FnOnce(&mut Vec<u8>), expected: Expect) {
    let mut bytes = request().frame().expect("all fields fit").split_off(PREFIX_LENGTH);
    change(&mut bytes);
    let read = Message::decode(&bytes).and_then(|message| Request::read(&message));
    expected.assert_eq(&read.map_or_else(|error| error.to_string(), |_| "good".to_owned()));
}

#[test]
fn what_is_wrong_with_a_message_and_where() {
    check(|_| (), expect!["good"]);
    check(|bytes| bytes.truncate(0), expect!["message type at byte 0: 4 bytes are needed, 0 are there"]);
    check(|bytes| bytes.truncate(7), expect!["bitmap at byte 4: 8 bytes are needed, 3 are there"]);
    check(
        |bytes| bytes.truncate(60),
        expect!["field 35 (track 2 data) at byte 60: 37 bytes are needed, 0 are there"],
    );
    check(|bytes| bytes.push(b'0'), expect!["end of the message at byte 135: 1 bytes too many"]);
    check(|bytes| bytes[0] = b'x', expect!["message type at byte 0: character 0 of it is not allowed"]);
    check(
        |bytes| bytes[2] = b'2',
        expect!["message type at byte 0: its value is not one that is expected here"],
    );
    check(
        |bytes| bytes[20] = b'x',
        expect!["field 4 (amount, transaction) at byte 18: character 2 of it is not allowed"],
    );
    check(|bytes| bytes[58] = b'9', expect!["field 35 (track 2 data) at byte 58: 97 bytes where it has 37"]);
    check(
        |bytes| bytes[58] = b'x',
        expect!["field 35 (track 2 data) at byte 58: the length before it is no number"],
    );
    check(
        |bytes| bytes[76] = b'0',
        expect!["field 35 (track 2 data) at byte 0: character 37 of it is not allowed"],
    );
    check(
        |bytes| bytes[11] |= 1,
        expect!["field 64 (message authentication code) at byte 135: 8 bytes are needed, 0 are there"],
    );
    check(
        |bytes| bytes[9] = 0,
        expect!["field 49 (currency code, transaction) at byte 109: character 0 of it is not allowed"],
    );
}

#[test]
fn a_field_takes_only_what_it_holds() {
    let mut message = Message::new(b"0100");
    for (number, value, expected) in [
        (4, "1", expect!["field 4 (amount, transaction) at byte 0: 1 bytes where it has 12"]),
        (
            4,
            "00000000000x",
            expect!["field 4 (amount, transaction) at byte 0: character 11 of it is not allowed"],
        ),
        (
            2,
            "41111111111111111111",
            expect!["field 2 (primary account number) at byte 0: 20 bytes where it has 19"],
        ),
        (5, "1", expect!["field 5 (unknown) at byte 0: no such field is known"]),
        (48, "", expect!["good"]),
    ] {
        let set = message.set(number, value);
        expected.assert_eq(&set.map_or_else(|error| error.to_string(), |()| "good".to_owned()));
    }
}

proptest! {
    #[test]
    fn garbage_is_refused_without_a_panic(bytes: Vec<u8>, mti in 0..10_000_u64, flips: [(u8, u8); 3]) {
        let _ = Message::decode(&bytes);
        let mut changed = request().frame().expect("all fields fit").split_off(PREFIX_LENGTH);
        changed[..4].copy_from_slice(Digits::<4>::of(mti).as_str().as_bytes());
        for (at, value) in flips {
            let at = usize::from(at) % changed.len();
            changed[at] = value;
        }
        if let Ok(message) = Message::decode(&changed) {
            prop_assert_eq!(message.encode().len(), changed.len());
            let _ = Request::read(&message);
            let _ = Response::read(&message);
        }
    }
}

/// An independent library reads our messages field by field. It needs python3, and the library from a package index.
#[test]
fn pyiso8583_reads_our_messages() {
    let Some(python) = python_with_pyiso8583() else {
        eprintln!("skipped: python3 with venv and pip cannot install pyiso8583 here");
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pyiso8583_reads.py");
    for (frame, expected) in [
        (
            request().frame(),
            expect![[r#"
                h: 0087
                p: 3220468028C08000
                t: 0100
                3: 000000
                4: 000000012345
                7: 1121213000
                11: 000017
                18: 5411
                22: 900
                23: 001
                25: 00
                35: 4999990000000015=27122013060820001710
                37: 600000000017
                41: TERM0001
                42: SHOP 1 AT HOME 
                49: 978
            "#]],
        ),
        (
            response().frame(),
            expect![[r#"
                h: 0068
                p: 322000000EC18000
                t: 0110
                3: 000000
                4: 000000012345
                7: 1121213000
                11: 000017
                37: 600000000017
                38: 000017
                39: 00
                41: TERM0001
                42: SHOP 1 AT HOME 
                48: 000000431
                49: 978
            "#]],
        ),
    ] {
        let frame = hex::encode(&frame.expect("all fields fit"));
        let read = Command::new(&python).arg(&script).arg(frame).output().expect("the script runs");
        assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        expected.assert_eq(&String::from_utf8_lossy(&read.stdout));
    }
}

/// A private Python with the library, made on first use.
fn python_with_pyiso8583() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pyiso8583");
    let python = folder.join("bin/python3");
    let succeeds = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    let has_library = || succeeds(Command::new(&python).args(["-c", "import iso8583"]));
    let made = has_library()
        || succeeds(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            && succeeds(Command::new(&python).args(["-m", "pip", "install", "--quiet", "pyiso8583"]))
            && has_library();
    made.then_some(python)
}
