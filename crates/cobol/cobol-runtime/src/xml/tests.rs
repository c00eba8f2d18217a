//! Documents and their events.

use super::*;

/// The events of a document in segments, each with its text.
fn events(segments: &[&str], compatible: bool) -> Vec<String> {
    let mut segments = segments.iter();
    let first = segments.next().expect("a segment");
    let mut reader = Reader::new(first.as_bytes(), compatible).expect("short");
    let mut out = Vec::new();
    loop {
        match reader.read() {
            Next::Event(event) => {
                let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let mut line = format!("{} {}", event.kind, text(&event.text));
                if !event.namespace.is_empty() || !event.prefix.is_empty() {
                    line.push_str(&format!(" {}={}", text(&event.prefix), text(&event.namespace)));
                }
                out.push(line.trim_end().to_owned());
            }
            Next::EndOfInput => match segments.next() {
                Some(more) => assert!(reader.more(more.as_bytes())),
                None => out.push("END-OF-INPUT".to_owned()),
            },
            Next::Ended => return out,
            Next::Malformed => {
                out.push("EXCEPTION".to_owned());
                return out;
            }
        }
    }
}

fn check(document: &str, expected: &[&str]) {
    assert_eq!(events(&[document], false), expected, "{document}");
}

#[test]
fn a_document() {
    check(
        "<?xml version=\"1.0\" encoding='ibm-1140'?><!-- c --><a x=\"1 &amp; 2\"> <b/>t&lt;<![CDATA[<u>]]></a> \n",
        &[
            "START-OF-DOCUMENT",
            "VERSION-INFORMATION 1.0",
            "ENCODING-DECLARATION ibm-1140",
            "COMMENT  c",
            "START-OF-ELEMENT a",
            "ATTRIBUTE-NAME x",
            "ATTRIBUTE-CHARACTERS 1 & 2",
            "CONTENT-CHARACTERS",
            "START-OF-ELEMENT b",
            "END-OF-ELEMENT b",
            "CONTENT-CHARACTERS t<",
            "START-OF-CDATA-SECTION",
            "CONTENT-CHARACTERS <u>",
            "END-OF-CDATA-SECTION",
            "END-OF-ELEMENT a",
            "END-OF-DOCUMENT",
        ],
    );
}

#[test]
fn namespaces() {
    check(
        "<p:a xmlns:p='urn:p' xmlns='urn:d' q='1' p:r='2'><b/></p:a>",
        &[
            "START-OF-DOCUMENT",
            "START-OF-ELEMENT a p=urn:p",
            "NAMESPACE-DECLARATION  p=urn:p",
            "NAMESPACE-DECLARATION  =urn:d",
            "ATTRIBUTE-NAME q",
            "ATTRIBUTE-CHARACTERS 1",
            "ATTRIBUTE-NAME r p=urn:p",
            "ATTRIBUTE-CHARACTERS 2",
            "START-OF-ELEMENT b =urn:d",
            "END-OF-ELEMENT b =urn:d",
            "END-OF-ELEMENT a p=urn:p",
            "END-OF-DOCUMENT",
        ],
    );
}

#[test]
fn the_older_form() {
    let document = "<!DOCTYPE a SYSTEM 'x'><p:a q='&#65;b'>1&gt;2</p:a>";
    let expected = [
        &format!("START-OF-DOCUMENT {document}"),
        "DOCUMENT-TYPE-DECLARATION <!DOCTYPE a SYSTEM 'x'>",
        "START-OF-ELEMENT p:a",
        "ATTRIBUTE-NAME q",
        "ATTRIBUTE-CHARACTER A",
        "ATTRIBUTE-CHARACTERS b",
        "CONTENT-CHARACTERS 1",
        "CONTENT-CHARACTER >",
        "CONTENT-CHARACTERS 2",
        "END-OF-ELEMENT p:a",
        "END-OF-DOCUMENT",
    ];
    assert_eq!(events(&[document], true), expected);
}

#[test]
fn segments() {
    let whole = [
        "START-OF-DOCUMENT",
        "START-OF-ELEMENT a",
        "CONTENT-CHARACTERS one",
        "END-OF-ELEMENT a",
        "END-OF-DOCUMENT",
    ];
    assert_eq!(events(&["<a", ">one</", "a>"], false), whole);
    let cut =
        ["START-OF-DOCUMENT", "START-OF-ELEMENT a", "CONTENT-CHARACTERS on", "END-OF-INPUT", "EXCEPTION"];
    assert_eq!(events(&["<a>on"], false), cut);
}

#[test]
fn what_is_not_well_formed() {
    for document in [
        "x",
        "<a></b>",
        "<a b=1></a>",
        "<a b='1' b='2'/>",
        "<a>&no;</a>",
        "<a/><b/>",
        "<p:a/>",
        "<a>]]></a>",
        "<!DOCTYPE a [<!ENTITY e 'x'>]><a/>",
        "<a b='<'/>",
        "<1/>",
        "<a>\u{1}</a>",
    ] {
        assert_eq!(events(&[document], false).last().map(String::as_str), Some("EXCEPTION"), "{document}");
    }
}

#[test]
fn long_content_comes_in_pieces() {
    let document = format!("<a>{}</a>", "x".repeat(TEXT_MAX + 5));
    let lengths: Vec<usize> = events(&[&document], false)
        .iter()
        .filter_map(|event| event.strip_prefix("CONTENT-CHARACTERS "))
        .map(str::len)
        .collect();
    assert_eq!(lengths, [TEXT_MAX, 5]);
    let name = format!("<{}/>", "n".repeat(TEXT_MAX + 1));
    assert_eq!(events(&[&name], false).last().map(String::as_str), Some("EXCEPTION"));
}

#[test]
fn whatever_comes_it_ends() {
    let parts = [
        "<",
        ">",
        "a",
        "/",
        "<a>",
        "</a>",
        "&amp;",
        "&",
        ";",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?",
        "?>",
        "'",
        "=",
        " x='1'",
        "<?xml ",
    ];
    let mut random = fastrand::Rng::with_seed(7);
    for _ in 0..20_000 {
        let text: String = (0..random.usize(..12)).map(|_| parts[random.usize(..parts.len())]).collect();
        let all = events(&[&text], random.bool());
        assert!(all.len() <= text.len() + 8, "{text}: {all:?}");
    }
}

#[test]
fn segments_that_never_end_find_a_limit() {
    let deep = "<a>".repeat(2000);
    assert_eq!(events(&[&deep], false).last().map(String::as_str), Some("EXCEPTION"));
    let many: String = (0..ATTRIBUTES).map(|number| format!(" xmlns:p{number}='urn:some-name'")).collect();
    let mut reader = Reader::new(format!("<a{many}>").as_bytes(), false).expect("short");
    let mut turns = 0;
    loop {
        match reader.read() {
            Next::Event(_) => {}
            Next::EndOfInput => assert!(reader.more(format!("<a{many}>").as_bytes())),
            _ => break,
        }
        turns += 1;
    }
    assert!(turns < 100 * ATTRIBUTES, "{turns}");
}

/// As many as an element may have.
const ATTRIBUTES: usize = 1000;
