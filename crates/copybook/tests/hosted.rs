//! Fields that a program by GnuCOBOL sees otherwise than z/OS.

use copybook::{Choices, Form, decode, hosted_differences, parse_as};
use diagnostics::Source;

/// The fields that differ, each with its reason.
fn differences(text: &str) -> Vec<String> {
    let found = hosted_differences(&Source::new("R.cpy", text));
    found
        .into_iter()
        .map(|it| format!("{}:{} {} {}", it.place.line, it.place.column, it.field, it.reason))
        .collect()
}

#[test]
fn the_first_field_that_differs_is_named() {
    for (fields, told) in [
        ("05 A PIC X. 05 B PIC S9(9) COMP SYNC. 05 C PIC S9(5) COMP-3.", ""),
        ("05 A PIC X. 05 B PIC S9(4) COMP-5.", "1:22 B is COMP-5"),
        ("05 A. 10 B COMP-2. 10 C COMP-1.", "1:16 B is COMP-1 or COMP-2"),
        ("05 X PIC X(2) COMP-X. 05 C BINARY-CHAR. 05 I INDEX.", "1:50 I is INDEX"),
        ("05 X PIC X(2) COMP-X. 05 N PIC X(2) COMP-N.", "1:32 N is COMP-5"),
        ("05 A PIC X(4). 05 P POINTER. 05 N PIC 9(4) COMP-5.", "1:25 P is a pointer"),
        ("05 A PIC X(4). 05 B PIC S9(18) COMP SYNC.", "1:25 B is SYNCHRONIZED"),
        ("05 N PIC 9. 05 T PIC X OCCURS 1 TO 3 DEPENDING ON N. 05 Z PIC X.", "1:63 Z stands behind a table"),
        ("05 N PIC 9. 05 T OCCURS 1 TO 3 DEPENDING ON N. 10 A PIC X. 10 B PIC X.", ""),
    ] {
        let found = differences(&format!("01 R. {fields}\n"));
        let is_told = match told {
            "" => found.is_empty(),
            told => found.len() == 1 && found[0].starts_with(told),
        };
        assert!(is_told, "{fields}: {found:?}");
    }
}

#[test]
fn records_of_programs_by_gnucobol_are_read_in_their_own_form() {
    let text = "01 R.\n05 N PIC 9.\n05 T OCCURS 1 TO 3 DEPENDING ON N PIC X.\n05 B PIC S9(4) COMP-5.\n05 F COMP-1.\n";
    let parsed = parse_as(&Source::new("R.cpy", text), Form::Gnucobol);
    let mut record = b"2ab ".to_vec();
    record.extend(5i16.to_ne_bytes());
    record.extend(1.5f32.to_ne_bytes());
    let values = decode(&parsed.layouts[0], &Choices::new(), &record).expect("it fits");
    let shown: Vec<String> = values.iter().map(|(path, value)| format!("{path}={value}")).collect();
    assert_eq!(shown, ["N=2", "T(1)=a", "T(2)=b", "B=5", "F=1.5"]);
}
