//! Records of programs by GnuCOBOL become those of programs of today, and back.

use copybook::{Form, Recast, Wishes};
use diagnostics::Source;

fn recast(fields: &str, wishes: &Wishes) -> Result<Recast, String> {
    let source = Source::new("R.cpy", format!("01 R. {fields}\n"));
    let messages = |messages: Vec<diagnostics::Diagnostic>| {
        messages.into_iter().map(|message| message.message).collect::<Vec<_>>().join("\n")
    };
    Recast::new(&source, wishes).map_err(messages)
}

fn to(form: Form) -> Wishes {
    Wishes { to: form, ..Wishes::default() }
}

/// Checks a record in both directions.
#[track_caller]
fn check(fields: &str, gnucobol: &[u8], ours: &[u8]) {
    for (form, from, expected) in [(Form::Zos, gnucobol, ours), (Form::Gnucobol, ours, gnucobol)] {
        let recast = recast(fields, &to(form)).expect(fields);
        assert!(recast.has_effect(), "{fields}");
        let found = recast.record(from).map_err(|error| error.to_string());
        assert_eq!(found.as_deref(), Ok(expected), "{fields} to {form:?}");
    }
}

fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

#[test]
fn numbers_of_the_machine() {
    check("05 A PIC XX. 05 B PIC S9(4) COMP-5.", b"ab\xFE\xFF", b"ab\xFF\xFE");
    check(
        "05 B BINARY-LONG. 05 X PIC X(3) COMP-X. 05 N PIC X(3) COMP-N.",
        b"\x04\x03\x02\x01abcdef",
        b"\x01\x02\x03\x04abcfed",
    );
    check(
        "05 I INDEX. 05 C BINARY-CHAR. 05 P PIC S9(3) COMP-3.",
        b"\x07\0\0\0\xFF\x12\x3D",
        b"\0\0\0\x07\xFF\x12\x3D",
    );
    check("05 T OCCURS 2. 10 B PIC 9(4) COMP-5. 10 X PIC X.", b"\x01\x02a\x03\x04b", b"\x02\x01a\x04\x03b");
}

#[test]
fn floating_point_keeps_its_value() {
    for (number, hex) in [
        (1.5_f64, [0x41, 0x18, 0, 0, 0, 0, 0, 0]),
        (-118.625, [0xC2, 0x76, 0xA0, 0, 0, 0, 0, 0]),
        (0.1, [0x40, 0x19, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A]),
        (0.0, [0; 8]),
    ] {
        check("05 L COMP-2.", &number.to_ne_bytes(), &hex);
    }
    check("05 S COMP-1.", &(-118.625_f32).to_ne_bytes(), &[0xC2, 0x76, 0xA0, 0]);
    let refused = |fields: &str, form: Form, record: &[u8]| {
        let found = recast(fields, &to(form)).expect(fields).record(record);
        found.map_err(|error| error.to_string())
    };
    for number in [1e300, 1e-300, f64::NAN, f64::INFINITY] {
        let told = refused("05 L COMP-2.", Form::Zos, &number.to_ne_bytes()).expect_err("no such number");
        assert!(told.ends_with("hexadecimal floating point has no such number"), "{told}");
    }
    let great = [0x7F, 0xFF, 0xFF, 0xFF];
    let told = refused("05 S COMP-1.", Form::Gnucobol, &great).expect_err("no such number");
    assert!(told.ends_with("binary floating point has no such number"), "{told}");
}

#[test]
fn addresses_are_null_or_refused() {
    let fields = "05 A PIC X. 05 P POINTER. 05 Z PIC X.";
    check(fields, &joined(&[b"a", &[0; 8], b"z"]), &joined(&[b"a", &[0; 4], b"z"]));
    let gnucobol = joined(&[b"a", &[1; 8], b"z"]);
    let told = recast(fields, &to(Form::Zos)).expect("a layout").record(&gnucobol).expect_err("an address");
    assert_eq!(
        told.to_string(),
        "P cannot be X'0101010101010101': an address means nothing outside of the task that had it, and only NULL is kept"
    );
    let wishes = Wishes { null_addresses: true, ..to(Form::Zos) };
    let record = recast(fields, &wishes).expect("a layout").record(&gnucobol);
    assert_eq!(record, Ok(joined(&[b"a", &[0; 4], b"z"])));
}

#[test]
fn items_lie_where_each_form_has_them() {
    check(
        "05 A PIC X. 05 B PIC S9(18) COMP SYNC. 05 Z PIC X.",
        &joined(&[b"a", &[0; 7], &[0, 0, 0, 0, 0, 0, 0, 5], b"z"]),
        &joined(&[b"a", &[0; 3], &[0, 0, 0, 0, 0, 0, 0, 5], b"z"]),
    );
    check("05 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N. 05 Z PIC X.", b"2ab\0z", b"2abz");
    check(
        "05 N PIC 9. 05 T PIC 9(4) COMP-5 OCCURS 1 TO 3 DEPENDING ON N.",
        b"2\x01\0\x02\0",
        b"2\0\x01\0\x02",
    );
    // A counter that is stored in another form, too.
    check(
        "05 N PIC 9(4) COMP-5. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N. 05 Z PIC X.",
        b"\x01\0a\0\0z",
        b"\0\x01az",
    );
    // A record that ends early, in a text.
    check("05 B PIC 9(4) COMP-5. 05 A PIC X(5).", b"\x01\0ab", b"\0\x01ab");
}

#[test]
fn bytes_with_two_descriptions_need_a_choice() {
    let fields = "05 K PIC X. 05 A. 10 B PIC 9(4) COMP-5. 05 C REDEFINES A PIC XX. 05 Z PIC X.";
    let told = recast(fields, &to(Form::Zos)).expect_err("no choice");
    assert_eq!(
        told,
        "A and C describe the same bytes, which become others by one description than by the other: name the one that holds"
    );
    let chosen = |name: &str| {
        let wishes = Wishes { redefined: vec![name.to_owned()], ..to(Form::Zos) };
        recast(fields, &wishes).expect(name).record(b"k\x01\x02z")
    };
    assert_eq!(chosen("A").as_deref(), Ok(&b"k\x02\x01z"[..]));
    assert_eq!(chosen("C").as_deref(), Ok(&b"k\x01\x02z"[..]));
    let same = "05 A PIC X(4). 05 B REDEFINES A PIC 9(4). 05 N PIC 9(4) COMP-5.";
    assert!(recast(same, &to(Form::Zos)).is_ok());
    let plain = recast("05 A PIC X(4). 05 B PIC S9(4) COMP.", &to(Form::Zos)).expect("a layout");
    assert!(!plain.has_effect());
}

#[test]
fn records_that_do_not_fit_are_refused() {
    let recast = recast("05 B PIC 9(4) COMP-5. 05 A PIC X.", &to(Form::Zos)).expect("a layout");
    assert_eq!(
        recast.record(b"\x01\0ab").map_err(|e| e.to_string()),
        Err("the record has 4 bytes, the layout 3".into())
    );
    assert_eq!(recast.record(b"\x01").map_err(|e| e.to_string()), Err("the record ends within B".into()));
}
