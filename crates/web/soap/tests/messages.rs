//! Envelopes, faults and addresses, each by the smallest message that shows the rule.

use copybook::parse;
use diagnostics::Source;
use mapping::xml::{Way, read_content, write};
use mapping::{Mapping, Options, compile};
use soap::addressing::{Addressing, Edition, Endpoint, Relation};
use soap::fault::{Direction, conversion_in_json};
use soap::{Code, Envelope, Level, Problem, SoapFault, envelope};

fn mapping() -> Mapping {
    let text = "       01 R.\n          05 NAME PIC X(4).\n          05 N PIC 9(3).\n";
    let layout = parse(&Source::new("R.cpy", text)).layouts.remove(0);
    compile(&layout, "op", &Options { namespace: "urn:s".to_owned(), ..Options::default() })
        .expect("a mapping")
}

fn message(level: Level, headers: &str, body: &str) -> String {
    let namespace = level.namespace();
    let header = if headers.is_empty() { String::new() } else { format!("<e:Header>{headers}</e:Header>") };
    format!(
        "<?xml version='1.0'?>\n<e:Envelope xmlns:e='{namespace}'>{header}<e:Body>{body}</e:Body></e:Envelope>"
    )
}

const BODY: &str = "<s:op xmlns:s='urn:s'><name>Anna</name><n>7</n></s:op>";

#[test]
fn a_message_goes_through_its_envelope_and_back() {
    for level in Level::ALL {
        let text = message(level, "<h xmlns='urn:h'>1</h>", &format!("\n {BODY}\n"));
        let envelope = Envelope::read(&text).expect("an envelope");
        assert_eq!((envelope.level, envelope.headers.len()), (level, 1));
        assert_eq!(envelope.headers[0].raw, "<h xmlns='urn:h'>1</h>");
        let mut payload = envelope.payload.expect("a body");
        assert!(text[payload.at..].starts_with("<s:op"));
        let start = payload.start.clone();
        let record = read_content(&mapping(), &mut payload.reader, &start, Way::Quick).expect("a record");
        assert_eq!(record.record, b"Anna007");
        payload.finish().expect("the end");

        let mut answer = Vec::new();
        envelope::write(level, b"", |into| write(&mapping(), &record.record, into), &mut answer)
            .expect("an answer");
        let answer = String::from_utf8(answer).expect("text");
        let again = Envelope::read(&answer).expect("an envelope").payload.expect("a body");
        assert!(again.start.is("urn:s", "op"));
    }
}

#[test]
fn what_is_no_envelope_is_told_apart() {
    let other = "<e:Envelope xmlns:e='urn:other'><e:Body/></e:Envelope>";
    assert_eq!(Envelope::read(other).err(), Some(Problem::VersionMismatch("urn:other".to_owned())));
    let namespace = Level::Soap11.namespace();
    for text in [
        "<a/>".to_owned(),
        format!("<e:Envelope xmlns:e='{namespace}'/>"),
        format!("<e:Envelope xmlns:e='{namespace}'><e:Header/></e:Envelope>"),
        format!("<e:Envelope xmlns:e='{namespace}'><e:Body/><e:Body/></e:Envelope>"),
        format!("<e:Envelope xmlns:e='{namespace}'>x<e:Body/></e:Envelope>"),
        format!("<!DOCTYPE a><e:Envelope xmlns:e='{namespace}'><e:Body/></e:Envelope>"),
    ] {
        assert!(matches!(Envelope::read(&text), Err(Problem::Malformed(_))), "{text}");
    }
    let empty = message(Level::Soap11, "", "");
    assert!(Envelope::read(&empty).expect("an envelope").payload.is_none());
    let two = message(Level::Soap11, "", "<a/><b/>");
    let mut payload = Envelope::read(&two).expect("an envelope").payload.expect("a body");
    payload.reader.skip_element().expect("an element");
    assert!(payload.finish().is_err());
}

#[test]
fn headers_for_us_must_be_understood_if_they_say_so() {
    for (level, attributes, asked) in [
        (Level::Soap11, "e:mustUnderstand='1'", true),
        (Level::Soap11, "e:mustUnderstand='0'", false),
        (Level::Soap11, "", false),
        (Level::Soap11, "e:mustUnderstand='1' e:actor='urn:somebody'", false),
        (Level::Soap11, "e:mustUnderstand='1' e:actor='http://schemas.xmlsoap.org/soap/actor/next'", true),
        (Level::Soap12, "e:mustUnderstand='true'", true),
        (
            Level::Soap12,
            "e:mustUnderstand='1' e:role='http://www.w3.org/2003/05/soap-envelope/role/none'",
            false,
        ),
        (
            Level::Soap12,
            "e:mustUnderstand='1' e:role='http://www.w3.org/2003/05/soap-envelope/role/next'",
            true,
        ),
        // Without the envelope's namespace it is another attribute.
        (Level::Soap12, "mustUnderstand='1'", false),
    ] {
        let text = message(level, &format!("<h:h xmlns:h='urn:h' {attributes}/>"), "");
        let envelope = Envelope::read(&text).expect("an envelope");
        assert_eq!(!envelope.not_understood(|_| false).is_empty(), asked, "{attributes}");
        assert!(envelope.not_understood(|header| header.start.is("urn:h", "h")).is_empty());
    }
    let text = message(Level::Soap11, "<h e:mustUnderstand='yes'/>", "");
    assert!(Envelope::read(&text).is_err());
}

#[test]
fn faults_are_written_and_read() {
    let mapping = mapping();
    let bad = message(Level::Soap11, "", "<s:op xmlns:s='urn:s'><name>A&amp;B</name><n>1000</n></s:op>");
    let mut payload = Envelope::read(&bad).expect("an envelope").payload.expect("a body");
    let start = payload.start.clone();
    let fault = read_content(&mapping, &mut payload.reader, &start, Way::Quick).expect_err("too large");
    for (level, status) in [(Level::Soap11, 500), (Level::Soap12, 400)] {
        let fault = SoapFault::of_conversion(Direction::From, &fault);
        assert_eq!(fault.status(level), status);
        let mut answer = Vec::new();
        fault.write(level, &mut answer);
        let answer = String::from_utf8(answer).expect("text");
        let read = SoapFault::read(&Envelope::read(&answer).expect("an envelope")).expect("a fault");
        assert_eq!(read.as_ref(), Some(&fault), "{answer}");
        assert!(answer.contains("DFHPI1009 OUTPUT_OVERFLOW: op.n:"), "{answer}");
    }
    let json = String::from_utf8(conversion_in_json(Direction::From, &fault)).expect("text");
    assert!(json.starts_with(
        r#"{"Fault":{"faultstring":"Conversion from JSON failed","detail":{"CICSFault":"DFHPI1009"#
    ));
    let mut answer = Vec::new();
    SoapFault::version_mismatch("urn:other").write(Level::Soap12, &mut answer);
    let answer = String::from_utf8(answer).expect("text");
    let envelope = Envelope::read(&answer).expect("an envelope");
    assert!(envelope.headers[0].start.is(Level::Soap12.namespace(), "Upgrade"));
    assert_eq!(
        SoapFault::read(&envelope).expect("a fault").map(|fault| fault.code),
        Some(Code::VersionMismatch)
    );
    let fine = message(Level::Soap11, "", BODY);
    assert_eq!(SoapFault::read(&Envelope::read(&fine).expect("an envelope")), Ok(None));
}

#[test]
fn faults_of_1_2_have_subcodes_and_languages() {
    let mut fault = SoapFault::new(Code::Sender, "none left");
    fault.subcodes = vec![String::from("a:Stock"), String::from("a:Empty")];
    fault.say_in(String::from("de"), String::from("nichts"));
    fault.say_in(String::from("de"), String::from("nichts mehr"));
    let mut answer = Vec::new();
    fault.write(Level::Soap12, &mut answer);
    let answer = String::from_utf8(answer).expect("text");
    let read = SoapFault::read(&Envelope::read(&answer).expect("an envelope")).expect("well formed");
    assert_eq!(read.as_ref(), Some(&fault), "{answer}");
    assert!(answer.contains("<soap:Text xml:lang=\"de\">nichts mehr</soap:Text>"), "{answer}");
    let mut answer = Vec::new();
    fault.own_code = Some(String::from("a:Stock"));
    fault.write(Level::Soap11, &mut answer);
    let answer = String::from_utf8(answer).expect("text");
    assert!(
        answer.contains("<faultcode>a:Stock</faultcode><faultstring>none left</faultstring>"),
        "{answer}"
    );
}

#[test]
fn the_detail_of_others_faults_binds_what_their_envelope_has_bound() {
    let table = [
        ("<d:why>sold</d:why>", r#"<d:why xmlns:d="urn:d">sold</d:why>"#),
        ("a<d:b/>c<e/>", r#"a<d:b xmlns:d="urn:d"/>c<e/>"#),
        ("<w d:x='>' />", r#"<w d:x='>'  xmlns:d="urn:d"/>"#),
        ("<d:why xmlns:d='urn:own'/>", "<d:why xmlns:d='urn:own'/>"),
        ("<d:why t=\" xmlns:d='\"/>", r#"<d:why t=" xmlns:d='" xmlns:d="urn:d"/>"#),
        ("<!--it's--><!-- --><d:b xmlns:d='urn:own'>1</d:b>", "<d:b xmlns:d='urn:own'>1</d:b>"),
        ("a<!--b-->", "a"),
        ("", ""),
    ];
    for (written, wanted) in table {
        let body = format!(
            "<e:Fault xmlns:d='urn:d'><faultcode>e:Server</faultcode><detail>{written}</detail></e:Fault>"
        );
        let text = message(Level::Soap11, "", &body);
        let fault = SoapFault::read(&Envelope::read(&text).expect("an envelope")).expect("well formed");
        let fault = fault.expect("a fault");
        assert_eq!(fault.detail.as_deref(), Some(wanted), "{written}");
        let mut again = Vec::new();
        fault.write(Level::Soap11, &mut again);
        let again = String::from_utf8(again).expect("text");
        let read = SoapFault::read(&Envelope::read(&again).expect("an envelope")).expect("well formed");
        assert_eq!(read, Some(fault), "{again}");
    }
}

#[test]
fn endpoints_are_written_and_read() {
    let endpoint = Endpoint {
        address: String::from("http://h/a?b&c"),
        parameters: String::from("<k xmlns=\"urn:k\">7</k>"),
        metadata: String::from("<m/>"),
    };
    let mut written = Vec::new();
    endpoint.write("EndpointReference", Edition::Recommendation, &mut written);
    let written = String::from_utf8(written).expect("text");
    assert_eq!(Endpoint::read(&written), Ok(endpoint.clone()), "{written}");
    for wrong in ["", "text", "<a>", "<a/><b/>"] {
        assert!(Endpoint::read(wrong).is_err(), "{wrong}");
    }
    let said = Addressing {
        from: Some(endpoint),
        relates_to: vec![Relation { message: String::from("urn:1"), kind: String::from("urn:k") }],
        ..Addressing::default()
    };
    let mut headers = Vec::new();
    said.write(&mut headers);
    let headers = String::from_utf8(headers).expect("text");
    assert_eq!(Addressing::read_headers(&headers), Ok(Some(said)), "{headers}");
    let mut message = Vec::new();
    SoapFault::new(Code::Sender, "no").write(Level::Soap11, &mut message);
    let more = envelope::with_headers(message, b"<a/>");
    let more = String::from_utf8(envelope::with_headers(more, b"<b/>")).expect("text");
    assert!(more.contains("<soap:Header><b/><a/></soap:Header>"), "{more}");
}

#[test]
fn answers_go_where_the_request_says() {
    let namespace = "http://www.w3.org/2005/08/addressing";
    let headers = format!(
        "<w:To xmlns:w='{namespace}'>urn:to</w:To><w:Action xmlns:w='{namespace}' e:mustUnderstand='1'>urn:do</w:Action>\
         <w:MessageID xmlns:w='{namespace}'> urn:1 </w:MessageID>\
         <w:ReplyTo xmlns:w='{namespace}'><w:Address>http://h/r</w:Address>\
         <w:ReferenceParameters><k xmlns='urn:k'>7</k></w:ReferenceParameters></w:ReplyTo>"
    );
    let text = message(Level::Soap12, &headers, BODY);
    let envelope = Envelope::read(&text).expect("an envelope");
    assert!(envelope.not_understood(Addressing::has).is_empty());
    let said = Addressing::read(&envelope).expect("addresses").expect("some");
    assert_eq!((said.to.as_deref(), said.action.as_deref()), (Some("urn:to"), Some("urn:do")));
    assert!(!said.answers_here(false) && !said.wants_no_answer());
    assert_eq!(said.reply_to.as_ref().map(|to| to.parameters.as_str()), Some("<k xmlns='urn:k'>7</k>"));
    let answer = said.answer("urn:done", "urn:2", false);
    let relation = Relation { message: String::from("urn:1"), kind: String::new() };
    assert_eq!(
        (answer.to.as_deref(), answer.relates_to.as_slice()),
        (Some("http://h/r"), [relation].as_slice())
    );
    let mut written = Vec::new();
    answer.write(&mut written);
    let text = message(Level::Soap12, &String::from_utf8(written).expect("text"), "");
    let read =
        Addressing::read(&Envelope::read(&text).expect("an envelope")).expect("addresses").expect("some");
    assert_eq!((read.to, read.relates_to), (answer.to, answer.relates_to));
    // Parameters of where it goes are headers of their own, which say so.
    let mark = "xmlns:wsap=\"http://www.w3.org/2005/08/addressing\" wsap:IsReferenceParameter=\"true\"";
    assert_eq!(read.to_parameters, format!("<k {mark} xmlns='urn:k'>7</k>"));
    let twice =
        message(Level::Soap12, &format!("{0}{0}", format!("<w:To xmlns:w='{namespace}'>a</w:To>")), "");
    assert!(Addressing::read(&Envelope::read(&twice).expect("an envelope")).is_err());
    let none = message(Level::Soap12, "", "");
    assert_eq!(Addressing::read(&Envelope::read(&none).expect("an envelope")), Ok(None));
}

#[test]
fn what_may_stand_once_in_a_header_of_security_stands_once() {
    use soap::security::{SECURITY, SIGNATURE, Security, UTILITY};
    let read = |content: &str| {
        let header = format!(
            "<s:Security xmlns:s='{SECURITY}' xmlns:u='{UTILITY}' xmlns:d='{SIGNATURE}'>{content}</s:Security>"
        );
        let text = message(Level::Soap11, &header, BODY);
        let envelope = Envelope::read(&text).expect("an envelope");
        Security::read(&envelope.headers[0]).map_err(|fault| fault.to_string())
    };
    let token = |content: &str| format!("<s:UsernameToken>{content}</s:UsernameToken>");
    let (name, password) = ("<s:Username>ANNA</s:Username>", "<s:Password>x</s:Password>");
    assert!(read(&token(&format!("{name}{password}"))).is_ok());
    assert!(read(&token(name).repeat(2)).is_ok(), "tokens of several users may stand there");
    let signature = |content: &str| format!("<d:Signature>{content}</d:Signature>");
    let info = |content: &str| signature(&format!("<d:SignedInfo>{content}</d:SignedInfo>"));
    let reference = |content: &str| info(&format!("<d:Reference URI='#b'>{content}</d:Reference>"));
    let key =
        "<d:KeyInfo><s:SecurityTokenReference><s:Reference URI='#k'/></s:SecurityTokenReference></d:KeyInfo>";
    for twice in [
        token(&format!("{name}<s:Username>BERT</s:Username>")),
        token(&format!("<s:Username/>{name}")),
        token(&format!("{name}{password}{password}")),
        signature(&"<d:SignatureValue>AAAA</d:SignatureValue>".repeat(2)),
        signature(&key.repeat(2)),
        signature(&key.replace("<s:Reference URI='#k'/>", "<s:Reference URI='#k'/><s:Reference URI='#l'/>")),
        info(&"<d:SignatureMethod Algorithm='a'/>".repeat(2)),
        info(&"<d:CanonicalizationMethod Algorithm='a'/>".repeat(2)),
        reference(&"<d:DigestMethod Algorithm='a'/>".repeat(2)),
        reference(&"<d:DigestValue>AAAA</d:DigestValue>".repeat(2)),
    ] {
        let problem = read(&twice).expect_err("twice");
        assert!(problem.contains("twice"), "{twice}: {problem}");
    }
}

#[test]
fn headers_of_addressing_that_say_nothing_are_refused() {
    let namespace = "http://www.w3.org/2005/08/addressing";
    let read = |headers: &str| {
        let text = message(Level::Soap11, &headers.replace('W', namespace), BODY);
        let envelope = Envelope::read(&text).expect("an envelope");
        Addressing::read(&envelope).map(|said| said.is_some())
    };
    let header = |name: &str, content: &str| format!("<w:{name} xmlns:w='W'>{content}</w:{name}>");
    let address = |of: &str| format!("<w:Address>{of}</w:Address>");
    assert_eq!(read(&header("ReplyTo", &address("http://h/a"))), Ok(true));
    assert_eq!(read(&header("To", "")), Ok(true), "the address of the server itself");
    for (name, content) in [
        ("Action", String::new()),
        ("MessageID", String::from("  ")),
        ("RelatesTo", String::new()),
        ("ReplyTo", String::new()),
        ("ReplyTo", String::from("http://h/a")),
        ("FaultTo", address("")),
        ("From", address(" ")),
        ("ReplyTo", address("http://h/a") + &address("http://h/b")),
    ] {
        assert!(read(&header(name, &content)).is_err(), "{name} {content}");
    }
}
