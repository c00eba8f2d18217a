//! The services as a program CALLs them: bytes in, bytes out.

use le::{Answer, Argument, Century, Feedback, Now, SERVICES, SUCCESS, Token, call};

/// 4 June 1990, 19:00:01.078, in Greenwich.
const NOW: Now =
    Now { unix_milliseconds: (148_887 - 141_428) * 86_400_000 + 19 * 3_600_000 + 1078, offset: 0 };

/// A text with its length before it.
fn vstring(text: &str) -> Option<Argument> {
    let length = u16::try_from(text.len()).expect("short");
    Some([&length.to_be_bytes(), text.as_bytes()].concat().as_slice().into())
}

fn whole(number: i32) -> Option<Argument> {
    Some(number.to_be_bytes().as_slice().into())
}

/// Room for this many bytes, which the service must overwrite.
fn room(length: usize) -> Option<Argument> {
    Some(vec![0xEE; length].as_slice().into())
}

fn token(feedback: Option<Feedback>) -> Option<Argument> {
    Some(feedback.map_or(SUCCESS, |feedback: Feedback| -> Token { feedback.token() }).as_slice().into())
}

/// Checks a service's answer and the content of its arguments afterwards.
fn check(name: &str, given: &[Option<Argument>], answer: Answer, left: &[Option<Argument>]) {
    let mut arguments = given.to_vec();
    assert_eq!(call(name, &mut arguments, &|| NOW, &mut Century::default()), Some(answer), "{name}");
    assert_eq!(arguments, left, "{name}");
}

#[test]
fn ceedays_stores_the_day_and_the_feedback() {
    let (text, picture) = (vstring("1988-05-16"), vstring("YYYY-MM-DD"));
    check(
        "CEEDAYS",
        &[text.clone(), picture.clone(), room(4), room(12)],
        Answer::Done,
        &[text, picture.clone(), whole(148_138), token(None)],
    );
    let text = vstring("1988-05-32");
    check(
        "CEEDAYS",
        &[text.clone(), picture.clone(), room(4), room(12)],
        Answer::Done,
        &[text.clone(), picture.clone(), whole(0), token(Some(Feedback::DATE))],
    );
    check(
        "CEEDAYS",
        &[text.clone(), picture.clone(), room(4), None],
        Answer::Unhandled(Feedback::DATE),
        &[text, picture, whole(0), None],
    );
}

#[test]
fn what_a_service_leaves_as_it_was_is_not_changed() {
    let mut arguments = [whole(148_887), whole(0), token(None)];
    call("CEEDYWK", &mut arguments, &|| NOW, &mut Century::default());
    let changed = arguments.each_ref().map(|argument| argument.as_ref().and_then(Argument::changed));
    assert_eq!(changed, [None, whole(2).as_deref(), None], "a Monday, and feedback that was there");
}

#[test]
fn the_present() {
    // 12,863,905,201.078 in hexadecimal floating point.
    let seconds = || Some([0x49, 0x2F, 0xEB, 0xF9, 0xDB, 0x11, 0x3F, 0x7C].as_slice().into());
    let gregorian = Some(b"19900604190001078".as_slice().into());
    check(
        "CEELOCT",
        &[room(4), room(8), room(17), room(12)],
        Answer::Done,
        &[whole(148_887), seconds(), gregorian, token(None)],
    );
    check("CEEGMT", &[room(4), room(8), room(12)], Answer::Done, &[whole(148_887), seconds(), token(None)]);
    let mut arguments = vec![seconds(), vstring("YYYY"), room(80), room(12)];
    call("CEEDATM", &mut arguments, &|| NOW, &mut Century::default());
    assert_eq!(arguments[2].as_deref().map(|text| &text[..5]), Some(&b"1990 "[..]));
}

#[test]
fn the_century_window_is_kept_for_the_run() {
    let mut century = Century::default();
    let year = |century: &mut Century| {
        let mut arguments = vec![vstring("01/01/05"), vstring("MM/DD/YY"), room(4), room(12)];
        call("CEEDAYS", &mut arguments, &|| NOW, century);
        let mut shown = vec![arguments[2].clone(), vstring("YYYY"), room(4), room(12)];
        call("CEEDATE", &mut shown, &|| NOW, century);
        shown[2].as_deref().unwrap_or_default().to_vec()
    };
    assert_eq!(year(&mut century), b"2005");
    call("CEESCEN", &mut [whole(100), room(12)], &|| NOW, &mut century);
    assert_eq!(year(&mut century), b"1905");
    let mut start = [room(4), room(12)];
    call("CEEQCEN", &mut start, &|| NOW, &mut century);
    assert_eq!(start[0], whole(100));
    let mut refused = [whole(101), room(12)];
    call("CEESCEN", &mut refused, &|| NOW, &mut century);
    assert_eq!(refused[1], token(Some(Feedback::CENTURY)));
    assert_eq!(year(&mut century), b"1905");
}

#[test]
fn what_is_left_to_the_caller() {
    let mut century = Century::default();
    let abend = call("CEE3ABD", &mut [whole(999), whole(0)], &|| NOW, &mut century);
    assert_eq!(abend, Some(Answer::Abend(le::abend(999, 0))));
    let dump = call(
        "CEE3DMP",
        &mut [Some(b"A title   ".as_slice().into()), room(255), room(12)],
        &|| NOW,
        &mut century,
    );
    assert_eq!(dump, Some(Answer::Dump(b"A title".to_vec())));
    let message = call("CEEMOUT", &mut [vstring("Hello"), whole(2), room(12)], &|| NOW, &mut century);
    assert_eq!(message, Some(Answer::Message(b"Hello".to_vec())));
    assert_eq!(call("CEETEST", &mut [], &|| NOW, &mut century), None);
}

#[test]
fn integers_and_seconds_are_each_others_inverse() {
    let numbers = [1988, 5, 16, 19, 0, 1, 78];
    let mut arguments: Vec<_> = numbers.map(whole).into_iter().chain([room(8), room(12)]).collect();
    call("CEEISEC", &mut arguments, &|| NOW, &mut Century::default());
    assert_eq!(arguments[8], token(None));
    let mut back = vec![arguments[7].clone()];
    back.extend(std::iter::repeat_n(room(4), 7).chain([room(12)]));
    call("CEESECI", &mut back, &|| NOW, &mut Century::default());
    assert_eq!(back[1..8], numbers.map(whole));
}

#[test]
fn missing_and_short_arguments_are_no_panic() {
    for name in SERVICES {
        for count in 0..10 {
            let mut century = Century::default();
            assert!(call(name, &mut vec![None; count], &|| NOW, &mut century).is_some());
            assert!(
                call(name, &mut vec![Some(Argument::from(&[0][..])); count], &|| NOW, &mut century).is_some()
            );
            assert!(
                call(name, &mut vec![Some(Argument::from(&[0xFF; 300][..])); count], &|| NOW, &mut century)
                    .is_some()
            );
        }
    }
}
