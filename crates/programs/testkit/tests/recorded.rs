//! The recording of what a program has passed to a service, and of what that has left there.

use std::path::Path;

use testkit::beside;
use testkit::document::Document;
use tokio::task::LocalSet;

/// The day in COBOL's own form is the service's answer.
const PAGE: &str = "# A day

```cobol
01 GIVEN. 05 GIVEN-LENGTH PIC S9(4) COMP VALUE 8. 05 GIVEN-TEXT PIC X(8) VALUE '20240229'.
01 FORM. 05 FORM-LENGTH PIC S9(4) COMP VALUE 8. 05 FORM-TEXT PIC X(8) VALUE 'YYYYMMDD'.
77 DAYS PIC S9(9) COMP VALUE 7.
77 FEEDBACK PIC X(12).
CALL 'CEEDAYS' USING GIVEN FORM DAYS FEEDBACK
```
";

/// Of 29 February 2024: days from 14 October 1582.
const ANSWER: &str = "X'000275BA'";

#[test]
fn a_recording_has_what_a_service_was_given_and_what_it_answered() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("recorded");
    let document = Document::parse("recorded", PAGE).expect("a page");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let recording = LocalSet::new().block_on(&runtime, beside::record(&document, &folder));
    let recording = recording.expect("it runs");
    assert_eq!(recording.stops.len(), 2);
    let call = recording.stops.iter().find(|stop| stop.asks == "CALL CEEDAYS").expect("the CALL");
    let days = |arguments: &[(String, String)]| arguments[2].clone();
    let third = |value: &str| (String::from("3"), value.to_owned());
    assert_eq!(days(&call.arguments), third("X'00000007'"));
    assert_eq!(days(&call.answered), third(ANSWER));
}
