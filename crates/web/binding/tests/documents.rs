//! Documents as others write them: what their types have beyond elements in a sequence, and documents in several pieces.

use std::process::Command;
use std::sync::Arc;

use binding::{Made, Parameters, from_json_schema, from_openapi, from_schema, from_wsdl, imports, wsdl};
use diagnostics::Source;
use mapping::xml::Way;
use mapping::{FaultKind, Mapping, json, xml};

const ORDERS: &str = r#"<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
  xmlns:a="urn:a" xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:w">
<types><x:schema targetNamespace="urn:a" elementFormDefault="qualified" xmlns:b="urn:b">
  <x:import namespace="urn:b" schemaLocation="parts/b.xsd"/>
  <x:element name="order"><x:complexType><x:sequence>
    <x:element name="id" type="a:id"/>
    <x:choice>
      <x:element name="card" type="a:id"/>
      <x:sequence><x:element name="iban" type="a:id"/><x:element name="bic" type="a:id" minOccurs="0"/></x:sequence>
    </x:choice>
    <x:element name="note" type="a:id" nillable="true"/>
    <x:element name="tag" type="a:id" nillable="true" minOccurs="0" maxOccurs="3"/>
    <x:element ref="b:party"/>
    <x:element name="price"><x:complexType><x:simpleContent><x:extension base="x:decimal">
      <x:attribute name="currency" type="a:id" use="required"/></x:extension></x:simpleContent></x:complexType></x:element>
    <x:element name="line" maxOccurs="unbounded"><x:complexType><x:sequence>
      <x:element name="article" type="a:id"/><x:element name="pieces" type="x:short"/></x:sequence>
      <x:attribute name="number" type="x:int" use="required"/></x:complexType></x:element>
    <x:element name="code" type="a:id" minOccurs="0" maxOccurs="unbounded"/>
    <x:any minOccurs="0" maxOccurs="unbounded" processContents="lax"/>
  </x:sequence><x:attribute name="version" type="x:int" use="required"/><x:attribute name="lang" type="a:id"/>
  </x:complexType></x:element>
  <x:simpleType name="id"><x:restriction base="x:string"><x:maxLength value="8"/></x:restriction></x:simpleType>
</x:schema></types>
<message name="m"><part name="p" element="a:order"/></message>
<portType name="p"><operation name="put"><input message="m"/></operation></portType>
<binding name="one" type="p"><s:binding style="document"/><operation name="put"><input><s:body use="literal"/></input></operation></binding>
<service name="S"><port name="q" binding="one"><s:address location='http://h/x'/></port></service></definitions>"#;

const PARTY: &str = r#"<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:b" xmlns:b="urn:b"
  elementFormDefault="qualified"><x:include schemaLocation="name.xsd"/><x:element name="party" type="b:party"/>
  <x:complexType name="party"><x:sequence><x:element name="name" type="b:name"/></x:sequence></x:complexType></x:schema>"#;
/// Without a namespace of its own: it speaks for its includer's.
const NAME: &str = r#"<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema"><x:simpleType name="name">
  <x:restriction base="x:string"><x:maxLength value="10"/></x:restriction></x:simpleType></x:schema>"#;

const MESSAGE: &str = r#"<p:order xmlns:p="urn:a" xmlns:n1="urn:b" version="3"><p:id>7</p:id><p:iban>DE</p:iban><p:note xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"></p:note><p:tag>t</p:tag><p:tag xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"></p:tag><n1:party><n1:name>Anna</n1:name></n1:party><p:price currency="E&quot;R">1.250</p:price><p:line number="1"><p:article>A</p:article><p:pieces>5</p:pieces></p:line><p:line number="2"><p:article>B</p:article><p:pieces>-6</p:pieces></p:line><p:code>c</p:code><z:more xmlns:z="urn:z"><z:x a="1">&amp;</z:x></z:more></p:order>"#;

const RECORD: &str = "       01  PUT-REQUEST.
         05  ATTR-VERSION-VALUE PIC S9(9) COMP-5.
         05  ATTR-LANG-EXIST PIC X.
         05  ATTR-LANG-VALUE PIC X(8).
         05  XID PIC X(8).
         05  ORDER-ENUM PIC X.
         05  CARD PIC X(8).
         05  IBAN PIC X(8).
         05  BIC-NUM PIC S9(9) COMP-5.
         05  BIC PIC X(8).
         05  NOTE-NIL PIC X.
         05  NOTE PIC X(8).
         05  TAG-NUM PIC S9(9) COMP-5.
         05  TAG OCCURS 3.
           07  TAG-NIL PIC X.
           07  TAG-VALUE PIC X(8).
         05  PARTY.
           07  NAME PIC X(10).
         05  PRICE.
           07  ATTR-CURRENCY-VALUE PIC X(8).
           07  PRICE-VALUE PIC S9(15)V9(3) COMP-3.
         05  XLINE-NUM PIC S9(9) COMP-5.
         05  XLINE-CONT PIC X(16).
         05  XCODE-NUM PIC S9(9) COMP-5.
         05  XCODE-CONT PIC X(16).
         05  ORDER-ANY-XML-CONT PIC X(16).
       01  XCODE.
         05  XCODE-VALUE PIC X(8).
       01  XLINE.
         05  ATTR-NUMBER-VALUE PIC S9(9) COMP-5.
         05  ARTICLE PIC X(8).
         05  PIECES PIC S9(4) COMP-5.
";

fn source(name: &str, text: &str) -> Arc<Source> {
    Source::new(name, text)
}

fn orders(options: &str) -> Made {
    let (parameters, messages) = Parameters::read(&source("SYSIN", options));
    assert!(!diagnostics::any_error(&messages), "{messages:?}");
    let parts = [source("b.xsd", PARTY), source("name.xsd", NAME)];
    from_wsdl(&parameters, &source("orders.wsdl", ORDERS), &parts).unwrap_or_else(|problems| {
        panic!("{}", problems.iter().map(|problem| problem.render(false)).collect::<String>())
    })
}

fn request(made: &Made) -> &Mapping {
    made.service.operations[0].request.as_ref().expect("a request")
}

/// Reads a message and writes it again.
fn again(mapping: &Mapping, message: &str) -> String {
    let filled = xml::read_apart(mapping, message.as_bytes(), None, Way::Quick).expect("a record");
    let find = |name: &str| {
        filled.containers.iter().find(|it| it.name == name).map(|container| container.bytes.clone())
    };
    let mut written = Vec::new();
    xml::write_apart(mapping, &filled.record, &find, &mut written).expect("a message");
    let mut as_json = Vec::new();
    json::write_apart(mapping, &filled.record, &find, false, &mut as_json).expect("a message");
    let from_json = json::read_apart(mapping, &as_json, false).expect("a record");
    let find = |name: &str| {
        from_json.containers.iter().find(|it| it.name == name).map(|container| container.bytes.clone())
    };
    let mut once_more = Vec::new();
    json::write_apart(mapping, &from_json.record, &find, false, &mut once_more).expect("a message");
    assert_eq!(String::from_utf8_lossy(&once_more), String::from_utf8_lossy(&as_json));
    String::from_utf8(written).expect("text")
}

#[test]
fn attributes_choices_nil_other_namespaces_and_containers_have_their_fields() {
    let made = orders("PGMINT=CHANNEL\nINLINE-MAXOCCURS-LIMIT=3\n");
    assert_eq!(made.copybooks[0].1, RECORD);
    compiles(&made.copybooks[0].1);
    let mapping = request(&made);
    assert_eq!(again(mapping, MESSAGE), MESSAGE);
    let filled = xml::read_apart(mapping, MESSAGE.as_bytes(), None, Way::Complete).expect("a record");
    let names: Vec<_> =
        filled.containers.iter().map(|it| (it.name.as_str(), it.bytes.len(), it.is_text)).collect();
    assert_eq!(
        names,
        [("DFHPICC-00000001", 28, false), ("DFHPICC-00000002", 8, false), ("DFHPICC-00000003", 55, true)]
    );
}

#[test]
fn what_a_type_does_not_allow_is_a_fault() {
    let made = orders("PGMINT=CHANNEL\nINLINE-MAXOCCURS-LIMIT=3\n");
    let mapping = request(&made);
    for (from, to, kind) in [
        (" version=\"3\"", "", FaultKind::MissingElement),
        (" version=\"3\"", " version=\"x\"", FaultKind::InvalidCharacter),
        (" version=\"3\"", " version=\"3\" other=\"\"", FaultKind::UnexpectedContent),
        ("<p:iban>DE</p:iban>", "", FaultKind::MissingElement),
        ("<p:iban>DE</p:iban>", "<p:bic>1</p:bic>", FaultKind::MissingElement),
        ("<p:iban>DE</p:iban>", "<p:card>1</p:card><p:iban>DE</p:iban>", FaultKind::UndefinedElement),
        ("xsi:nil=\"true\"></p:note>", "xsi:nil=\"true\">x</p:note>", FaultKind::UnexpectedContent),
        (" currency=\"E&quot;R\"", "", FaultKind::MissingElement),
        ("<p:pieces>5</p:pieces>", "", FaultKind::MissingElement),
    ] {
        let message = MESSAGE.replacen(from, to, 1);
        assert_ne!(message, MESSAGE, "{from}");
        let fault = xml::read_apart(mapping, message.as_bytes(), None, Way::Quick).expect_err(&message);
        assert_eq!(fault.kind, kind, "{fault}: {message}");
    }
    let wrong = MESSAGE.replace("urn:b", "urn:c");
    // No element party is known in that namespace, and those of any name come later.
    let fault = xml::read_apart(mapping, wrong.as_bytes(), None, Way::Quick).expect_err("another namespace");
    assert_eq!(fault.kind, FaultKind::MissingElement, "{fault}");
    let mut filled = xml::read_apart(mapping, MESSAGE.as_bytes(), None, Way::Quick).expect("a record");
    let mut written = Vec::new();
    let none = xml::write_apart(mapping, &filled.record, &|_| None, &mut written).expect_err("no container");
    assert_eq!(none.kind, FaultKind::NoContainer);
    let torn = |name: &str| Some(if name.ends_with('3') { b"<a>".to_vec() } else { vec![0; 64] });
    let torn = xml::write_apart(mapping, &filled.record, &torn, &mut written).expect_err("no XML");
    assert_eq!(torn.kind, FaultKind::MismatchedTags, "{torn}");
    // The byte of the choice stands behind version (4), lang (1 and 8) and the id (8).
    filled.record[21] = 9;
    let mark = xml::write_apart(mapping, &filled.record, &|_| Some(vec![0; 64]), &mut written)
        .expect_err("no choice");
    assert_eq!(mark.kind, FaultKind::BadChoice);
}

#[test]
fn the_wsdl_of_such_a_service_describes_it_again() {
    assert_eq!(imports(&source("w", ORDERS)).expect("XML"), ["parts/b.xsd"]);
    assert_eq!(imports(&source("b", PARTY)).expect("XML"), ["name.xsd"]);
    let made = orders("PGMINT=CHANNEL\n");
    let text = wsdl::write(&made.service, "http://h/new");
    let (parameters, _) = Parameters::read(&source("SYSIN", "PGMINT=CHANNEL\n"));
    let theirs = from_wsdl(&parameters, &source("again.wsdl", &text), &[]).unwrap_or_else(|problems| {
        panic!("{text}\n{}", problems.iter().map(|problem| problem.render(false)).collect::<String>())
    });
    assert_eq!(again(request(&theirs), MESSAGE), MESSAGE, "{text}");
    // A document that is whole is given as it is, with the address that its reader has used.
    let once_more = wsdl::write(&theirs.service, "http://other/a?b&c");
    assert_eq!(once_more, text.replace("http://h/new", "http://other/a?b&amp;c"));
}

#[test]
fn a_service_in_rpc_style_is_called_by_an_element_of_its_operations_name() {
    let text = ORDERS
        .replace(
            "<part name=\"p\" element=\"a:order\"/>",
            "<part name=\"who\" type=\"a:id\"/><part name=\"n\" type=\"x:int\"/>",
        )
        .replace("style=\"document\"", "style=\"rpc\"")
        .replace("use=\"literal\"", "use=\"literal\" namespace=\"urn:call\"");
    let made = from_wsdl(&Parameters::default(), &source("rpc.wsdl", &text), &[]).expect("a service");
    let message = "<p:put xmlns:p=\"urn:call\"><who>me</who><n>4</n></p:put>";
    assert_eq!(again(request(&made), message), message);
    let encoded = text.replace("use=\"literal\"", "use=\"encoded\"");
    let problems =
        from_wsdl(&Parameters::default(), &source("rpc.wsdl", &encoded), &[]).expect_err("encoded");
    assert_eq!(problems[0].message, "put: encoded messages are not built");
    assert_eq!(problems[0].place.as_ref().map(|place| place.line), Some(26));
}

#[test]
fn a_binding_and_a_service_are_chosen_by_name() {
    let with = |options: &str| {
        let (parameters, _) = Parameters::read(&source("SYSIN", &format!("PGMINT=CHANNEL\n{options}")));
        let parts = [source("b.xsd", PARTY), source("name.xsd", NAME)];
        from_wsdl(&parameters, &source("orders.wsdl", ORDERS), &parts)
    };
    assert!(with("BINDING=one\n").is_ok() && with("WSDL-SERVICE=S\n").is_ok());
    for options in ["BINDING=two\n", "WSDL-SERVICE=T\n"] {
        assert!(with(options).expect_err("none")[0].message.contains("no such binding over SOAP"));
    }
}

#[test]
fn a_schema_is_a_transformer_of_its_elements() {
    let made = from_schema(&Parameters::default(), &source("b.xsd", PARTY), &[source("name.xsd", NAME)]);
    let made = made.expect("a transformer");
    let message = "<party xmlns=\"urn:b\"><name>Anna</name></party>";
    assert_eq!(again(request(&made), message), message);
    assert!(wsdl::schema(&made.service).contains("<xs:element name=\"party\">"));
    let parameters = Parameters { elements: vec!["none".to_owned()], ..Parameters::default() };
    assert!(from_schema(&parameters, &source("b.xsd", PARTY), &[]).is_err());
}

#[test]
fn elements_in_any_order_and_a_root_that_is_a_value_are_read() {
    let schema = "<x:schema xmlns:x='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:b'><x:element name='e'><x:complexType>\
                  <x:all><x:element name='a' type='x:int'/><x:element name='b' type='x:int' minOccurs='0'/></x:all>\
                  </x:complexType></x:element><x:element name='v' type='x:int'/></x:schema>";
    let made = from_schema(&Parameters::default(), &source("s.xsd", schema), &[]).expect("a transformer");
    let mapping = request(&made);
    let message = "<p:e xmlns:p=\"urn:b\"><a>1</a><b>2</b></p:e>";
    assert_eq!(again(mapping, message), message);
    assert_eq!(again(mapping, "<p:e xmlns:p=\"urn:b\"><b>2</b><a>1</a></p:e>"), message);
    assert_eq!(again(mapping, "<p:e xmlns:p=\"urn:b\"><a>1</a></p:e>"), message.replace("<b>2</b>", ""));
    for (message, kind) in [
        ("<p:e xmlns:p=\"urn:b\"><b>2</b></p:e>", FaultKind::MissingElement),
        ("<p:e xmlns:p=\"urn:b\"><a>2</a><a>2</a></p:e>", FaultKind::UndefinedElement),
    ] {
        let fault = xml::read_apart(mapping, message.as_bytes(), None, Way::Quick).expect_err(message);
        assert_eq!(fault.kind, kind);
    }
    let value = made.service.operations[1].request.as_ref().expect("a message");
    let message = "<p:v xmlns:p=\"urn:b\">-7</p:v>";
    assert_eq!(again(value, message), message);
}

#[test]
fn types_within_types_that_grow_without_end_are_told() {
    let mut schema = String::from(
        "<x:schema xmlns:x='http://www.w3.org/2001/XMLSchema' xmlns:t='urn:t' targetNamespace='urn:t'>",
    );
    for level in 0..6 {
        let element = |name: usize| format!("<x:element name='e{name}' type='t:T{}'/>", level + 1);
        let elements: String = (0..8).map(element).collect();
        schema +=
            &format!("<x:complexType name='T{level}'><x:sequence>{elements}</x:sequence></x:complexType>");
    }
    schema += "<x:simpleType name='T6'><x:restriction base='x:int'/></x:simpleType><x:element name='e' type='t:T0'/></x:schema>";
    let problems = from_schema(&Parameters::default(), &source("s.xsd", &schema), &[]).expect_err("too many");
    assert!(problems[0].message.contains("a message of too many items"), "{}", problems[0].message);
    let schemas: Vec<String> = (0..6)
        .map(|level| {
            let members: Vec<_> =
                (0..8).map(|at| format!("\"e{at}\":{{\"$ref\":\"#/$defs/T{}\"}}", level + 1)).collect();
            format!("\"T{level}\":{{\"properties\":{{{}}}}}", members.join(","))
        })
        .collect();
    let text = format!(
        "{{\"$ref\":\"#/$defs/T0\",\"$defs\":{{{},\"T6\":{{\"type\":\"string\"}}}}}}",
        schemas.join(",")
    );
    let problems =
        from_json_schema(&Parameters::default(), &source("s.json", &text), None).expect_err("too many");
    assert!(problems[0].message.contains("a message of too many items"), "{}", problems[0].message);
}

const PETS: &str = "openapi: 3.1.0
info: {title: Pets, version: '1'}
paths:
  /pets:
    post:
      operationId: addPet
      requestBody:
        content:
          application/json:
            schema: {$ref: '#/components/schemas/Pet'}
      responses:
        200: {description: fine}
components:
  schemas:
    Pet: &pet
      type: object
      required: [name, owner, kind]
      properties:
        name: {type: string, maxLength: 8}
        owner:
          oneOf:
            - type: 'null'
            - {type: string, maxLength: 5}
        kind: {type: [string, 'null'], maxLength: 3}
        weight: {type: number, multipleOf: 0.01}
        tags: {type: array, maxItems: 2, items: {type: string, maxLength: 2, nullable: true}}
    Other: *pet
";

#[test]
fn a_document_in_yaml_is_read_and_its_mistakes_have_lines() {
    let made = from_openapi(&Parameters::default(), &source("pets.yaml", PETS)).expect("a service");
    let mapping = request(&made);
    let message = r#"{"name":"Rex","owner":null,"kind":"dog","weight":1.50,"tags":["a",null]}"#;
    let record = json::read(mapping, message.as_bytes(), false).expect("a record");
    let mut written = Vec::new();
    json::write(mapping, &record, false, &mut written).expect("a message");
    assert_eq!(String::from_utf8_lossy(&written), message);
    compiles(&made.copybooks[0].1);
    let wrong = PETS.replace("{type: number, multipleOf: 0.01}", "{anyOf: [{type: number}, {type: string}]}");
    let problems = from_openapi(&Parameters::default(), &source("pets.yaml", &wrong)).expect_err("anyOf");
    assert_eq!(problems[0].message, "weight: one of values of different types has no place in a record");
    assert_eq!(problems[0].place.as_ref().map(|place| place.line), Some(25));
}

#[test]
fn schemas_in_json_are_a_service() {
    let schema = r#"{"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}"#;
    let (parameters, _) =
        Parameters::read(&source("SYSIN", "PGMNAME=P\nMAPPING-OVERRIDES=INTEGER-AS-PIC9\n"));
    let request_schema = source("in.json", schema);
    let made = from_json_schema(&parameters, &request_schema, Some(&request_schema)).expect("a service");
    assert_eq!(made.service.operations[0].name, "POperation");
    assert!(made.copybooks[1].1.contains("05  A PIC S9(18)."), "{}", made.copybooks[1].1);
}

/// The COBOL that is made for programs is COBOL.
fn compiles(copybook: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("P.cbl");
    let text = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{copybook}       PROCEDURE DIVISION.\n           GOBACK.\n"
    );
    std::fs::write(&program, &text).expect("written");
    let compiled = Command::new("cobc").args(["-fsyntax-only", "-std=ibm"]).arg(&program).output();
    let compiled = compiled.expect("cobc is installed");
    assert!(compiled.status.success(), "{text}\n{}", String::from_utf8_lossy(&compiled.stderr));
}

/// A payment by card or by account, and what a merged member of both is.
const PAYMENTS: &str = r##"{"openapi":"3.0.3","info":{"title":"Pay","version":"1"},"servers":[{"url":"/pay"}],"paths":{
"/":{"post":{"operationId":"pay","requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Payment"}}}},
"responses":{"204":{"description":"d"}}}}},
"components":{"schemas":{
"Payment":{"type":"object","required":["amount","by"],"properties":{
  "amount":{"type":"integer","minimum":0,"maximum":30000},
  "by":{"oneOf":[{"$ref":"#/components/schemas/Card"},{"$ref":"#/components/schemas/Account"}],"discriminator":{"propertyName":"kind"}},
  "note":{"oneOf":[{"type":"string","maxLength":5},{"type":"string","maxLength":8}]}}},
"Card":{"type":"object","required":["kind","number"],"properties":{"kind":{"type":"string","enum":["card"]},
  "number":{"type":"string","maxLength":16},"owner":{"type":"string","maxLength":10}}},
"Account":{"type":"object","required":["kind","iban"],"properties":{"kind":{"type":"string","enum":["account"]},
  "iban":{"type":"string","maxLength":22}}}}}}"##;

fn payments(text: &str) -> Result<Made, Vec<String>> {
    let made = from_openapi(&Parameters::default(), &Source::new("pay.json", text));
    made.map_err(|problems| problems.into_iter().map(|it| it.message).collect())
}

#[test]
fn objects_that_exclude_each_other_share_what_they_have_in_common() {
    let made = payments(PAYMENTS).expect("a service");
    let copybook = &made.copybooks[0].1;
    for line in [
        "BY.",
        "KIND PIC X(7).",
        "BY-ENUM PIC X.",
        "NUMBER PIC X(16).",
        "OWNER-NUM",
        "IBAN PIC X(22).",
        "PIC X(8).",
    ] {
        assert!(copybook.contains(line), "{line}: {copybook}");
    }
    let mapping = made.service.operations[0].request.as_ref().expect("a request");
    for message in [
        r#"{"amount":5,"by":{"kind":"card","number":"4711"}}"#,
        r#"{"amount":5,"by":{"kind":"card","number":"4711","owner":"Anna"},"note":"12345678"}"#,
        r#"{"amount":5,"by":{"kind":"account","iban":"DE1"}}"#,
    ] {
        let record = json::read(mapping, message.as_bytes(), false).expect(message);
        let mut written = Vec::new();
        json::write(mapping, &record, false, &mut written).expect("a message");
        assert_eq!(String::from_utf8_lossy(&written), message);
    }
    for (message, kind) in [
        (r#"{"amount":5,"by":{"kind":"both","number":"1","iban":"2"}}"#, FaultKind::UndefinedElement),
        (r#"{"amount":5,"by":{"kind":"none"}}"#, FaultKind::MissingElement),
        (r#"{"amount":5,"by":{"kind":"card","owner":"Anna"}}"#, FaultKind::MissingElement),
    ] {
        let fault = json::read(mapping, message.as_bytes(), false).expect_err(message);
        assert_eq!(fault.kind, kind, "{message}: {fault}");
    }
}

#[test]
fn any_of_several_objects_may_hold_together_and_allof_takes_them_too() {
    let any = PAYMENTS.replace("oneOf\":[{\"$ref", "anyOf\":[{\"$ref");
    let made = payments(&any).expect("a service");
    let mapping = made.service.operations[0].request.as_ref().expect("a request");
    let both = br#"{"amount":5,"by":{"kind":"both","number":"1","iban":"2"}}"#;
    let record = json::read(mapping, both, false).expect("both");
    let mut written = Vec::new();
    json::write(mapping, &record, false, &mut written).expect("a message");
    assert_eq!(written, both);
    let within = PAYMENTS.replace(
        r#""by":{"oneOf""#,
        r#""by":{"allOf":[{"properties":{"when":{"type":"string","maxLength":4}}}],"oneOf""#,
    );
    let made = payments(&within).expect("a service");
    assert!(made.copybooks[0].1.contains("WHEN") && made.copybooks[0].1.contains("BY-ENUM"));
}

#[test]
fn what_has_no_common_place_is_refused_by_its_name() {
    let other =
        PAYMENTS.replace(r#""kind":{"type":"string","enum":["account"]}"#, r#""kind":{"type":"boolean"}"#);
    let problems = payments(&other).expect_err("two types of one name");
    assert_eq!(problems, ["kind: a member that is of different types has no place in a record"]);
    let mixed = PAYMENTS.replace(r#"{"type":"string","maxLength":8}"#, r#"{"type":"boolean"}"#);
    let problems = payments(&mixed).expect_err("text or flag");
    assert_eq!(problems, ["note: one of values of different types has no place in a record"]);
}

/// Notes and items in any order and number, pairs, and a number of codes.
const REPEATED: &str = r#"<x:schema xmlns:x="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:r" xmlns:r="urn:r">
<x:simpleType name="id"><x:restriction base="x:string"><x:maxLength value="4"/></x:restriction></x:simpleType>
<x:element name="list"><x:complexType><x:sequence>
  <x:element name="head" type="r:id"/>
  <x:choice minOccurs="0" maxOccurs="5">
    <x:element name="note" type="r:id"/>
    <x:sequence><x:element name="item" type="r:id"/><x:element name="pieces" type="x:short" minOccurs="0"/></x:sequence>
  </x:choice>
  <x:sequence maxOccurs="3"><x:element name="key" type="r:id"/><x:element name="value" type="r:id" maxOccurs="2"/></x:sequence>
  <x:sequence minOccurs="0" maxOccurs="unbounded"><x:element name="code" type="r:id"/></x:sequence>
  <x:element name="foot" type="r:id"/>
</x:sequence></x:complexType></x:element></x:schema>"#;

fn list() -> Made {
    from_schema(&Parameters::default(), &source("list.xsd", REPEATED), &[]).expect("a transformer")
}

#[test]
fn choices_and_sequences_that_come_several_times_are_tables() {
    let made = list();
    let copybook = &made.copybooks[0].1;
    for line in [
        "LIST-CHOICE-NUM",
        "LIST-CHOICE OCCURS 5.",
        "LIST-ENUM PIC X.",
        "LIST-SEQUENCE OCCURS 3.",
        "XCODE PIC X(4) OCCURS 20.",
    ] {
        assert!(copybook.contains(line), "{line}: {copybook}");
    }
    compiles(copybook);
    let mapping = request(&made);
    let (open, close) = (r#"<p:list xmlns:p="urn:r"><head>h</head>"#, "<foot>f</foot></p:list>");
    for content in [
        "<key>k</key><value>1</value>",
        "<note>a</note><item>i</item><pieces>3</pieces><note>b</note><item>j</item><item>k</item><key>k</key><value>1</value><value>2</value><key>l</key><value>3</value><code>x</code><code>y</code>",
        "<item>i</item><pieces>3</pieces><item>j</item><pieces>4</pieces><note>n</note><key>k</key><value>1</value>",
    ] {
        let message = format!("{open}{content}{close}");
        let record = xml::read(mapping, message.as_bytes(), None, Way::Quick).expect(content);
        let mut written = Vec::new();
        xml::write(mapping, &record, &mut written).expect("a message");
        assert_eq!(String::from_utf8_lossy(&written), message);
        let mut in_json = Vec::new();
        json::write(mapping, &record, false, &mut in_json).expect("in JSON");
        assert_eq!(json::read(mapping, &in_json, false).expect("from JSON"), record);
    }
    for (content, kind) in [
        ("", FaultKind::MissingElement),
        ("<key>k</key>", FaultKind::MissingElement),
        ("<pieces>3</pieces><key>k</key><value>1</value>", FaultKind::MissingElement),
        ("<key>k</key><value>1</value><note>a</note>", FaultKind::UndefinedElement),
        ("<key>k</key><value>1</value><value>1</value><value>1</value>", FaultKind::MissingElement),
        (
            "<note>1</note><note>2</note><note>3</note><note>4</note><note>5</note><note>6</note>",
            FaultKind::ArrayOverflow,
        ),
    ] {
        let message = format!("{open}{content}{close}");
        let fault = xml::read(mapping, message.as_bytes(), None, Way::Quick).expect_err(content);
        assert_eq!(fault.kind, kind, "{content}: {fault}");
    }
}

#[test]
fn the_schema_of_a_table_without_elements_of_its_own_says_so() {
    let made = list();
    let schema = wsdl::schema(&made.service);
    let again = from_schema(&Parameters::default(), &source("again.xsd", &schema), &[]);
    let again = again.unwrap_or_else(|problems| panic!("{:?}: {schema}", problems[0].message));
    let message = r#"<p:list xmlns:p="urn:r"><head>h</head><note>a</note><item>i</item><key>k</key><value>1</value><foot>f</foot></p:list>"#;
    let records = [&made, &again]
        .map(|made| xml::read(request(made), message.as_bytes(), None, Way::Quick).expect("read"));
    assert_eq!(records[0].len(), records[1].len());
}
