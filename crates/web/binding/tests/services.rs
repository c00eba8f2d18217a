//! Services from descriptions of every kind, and the descriptions that are made of them.

use std::process::Command;
use std::sync::Arc;

use binding::file::{Origin, Text};
use binding::{
    BindingFile, Interface, Parameters, Service, from_copybook, from_openapi, from_wsdl, openapi, wsdl,
};
use diagnostics::Source;
use expect_test::expect;
use mapping::xml::Way;
use mapping::{Mapping, json, xml};

const ORDER: &str = "
       01  ORDER-IN.
           05  ORDER-NO         PIC 9(6).
           05  CUSTOMER         PIC X(20).
           05  TOTAL            PIC S9(7)V99 COMP-3.
           05  LINE-COUNT       PIC S9(4) COMP.
           05  LINES OCCURS 0 TO 3 DEPENDING ON LINE-COUNT.
               10  ITEM         PIC X(12).
               10  RATE         PIC S9(4) COMP-5.
";

const MESSAGE: &str = r#"{"order_no":17,"customer":"A&B <é>","total":-12.34,"lines":[{"item":"x","rate":-1},{"item":"y","rate":32767}]}"#;

fn order(options: &str) -> Service {
    let (parameters, messages) =
        Parameters::read(&Source::new("SYSIN", format!("PGMNAME=ORDERS\nURI=/orders\n{options}")));
    assert!(!diagnostics::any_error(&messages), "{messages:?}");
    let copybook = Source::new("ORDER.cpy", ORDER);
    let response = Source::new("ANSWER.cpy", "       01  ANSWER.\n           05  OK  PIC X.\n");
    from_copybook(&parameters, &copybook, &response).expect("a service").0
}

fn request(service: &Service) -> &Mapping {
    service.operations[0].request.as_ref().expect("a request")
}

#[test]
fn a_copybook_is_a_service() {
    let service = order("PGMINT=CHANNEL\nCONTID=ORDER-DATA\nTRANSACTION=ORD1\n");
    assert_eq!(service.interface, Interface::Channel("ORDER-DATA".to_owned()));
    assert_eq!((service.transaction.as_deref(), service.uri.as_str()), (Some("ORD1"), "/orders"));
    assert!(service.operation("ORDERSOperation").is_some());
    let record = json::read(request(&service), MESSAGE.as_bytes(), false).expect("a record");
    let mut message = Vec::new();
    json::write(request(&service), &record, false, &mut message).expect("a message");
    assert_eq!(String::from_utf8_lossy(&message), MESSAGE);
    let none = from_copybook(&Parameters::default(), &Source::new("A", ""), &Source::new("B", ""));
    assert!(none.is_err());
}

#[test]
fn a_mistake_of_the_one_copybook_of_both_messages_is_told_once() {
    let text = "       01  ORDER-IN.\n           05  ITEM     PIC Q(6).\n".to_owned();
    let copybook = Text { name: "ORDER.cpy".to_owned(), text };
    let options = "PGMNAME=ORDERS\nURI=/orders\n".to_owned();
    let made = BindingFile::new(Origin::Copybook, options, copybook, None).make();
    let told = made.err().unwrap_or_default();
    let codes: Vec<_> = told.iter().map(|message| message.code).collect();
    assert_eq!(codes, ["SPDD015"]);
}

#[test]
fn a_service_is_described_as_wsdl() {
    let text = wsdl::write(&order("SOAPVER=1.1\n"), "http://h/orders");
    let types = &text[text.find("<types>").expect("types")..text.find("</types>").expect("their end")];
    expect![[r#"
        <types>
            <xs:schema targetNamespace="http://www.ORDERS.ANSWER.Response.com" elementFormDefault="qualified">
              <xs:element name="ORDERSOperationResponse">
                <xs:complexType>
                  <xs:sequence>
                    <xs:element name="ok">
                      <xs:simpleType>
                        <xs:restriction base="xs:string">
                          <xs:maxLength value="1"/>
                          <xs:whiteSpace value="preserve"/>
                        </xs:restriction>
                      </xs:simpleType>
                    </xs:element>
                  </xs:sequence>
                </xs:complexType>
              </xs:element>
            </xs:schema>
            <xs:schema targetNamespace="http://www.ORDERS.ORDER.Request.com" elementFormDefault="qualified">
              <xs:element name="ORDERSOperation">
                <xs:complexType>
                  <xs:sequence>
                    <xs:element name="order_no">
                      <xs:simpleType>
                        <xs:restriction base="xs:unsignedInt">
                          <xs:minInclusive value="0"/>
                          <xs:maxInclusive value="999999"/>
                        </xs:restriction>
                      </xs:simpleType>
                    </xs:element>
                    <xs:element name="customer">
                      <xs:simpleType>
                        <xs:restriction base="xs:string">
                          <xs:maxLength value="20"/>
                          <xs:whiteSpace value="preserve"/>
                        </xs:restriction>
                      </xs:simpleType>
                    </xs:element>
                    <xs:element name="total">
                      <xs:simpleType>
                        <xs:restriction base="xs:decimal">
                          <xs:totalDigits value="9"/>
                          <xs:fractionDigits value="2"/>
                        </xs:restriction>
                      </xs:simpleType>
                    </xs:element>
                    <xs:element name="lines" minOccurs="0" maxOccurs="3">
                      <xs:complexType>
                        <xs:sequence>
                          <xs:element name="item">
                            <xs:simpleType>
                              <xs:restriction base="xs:string">
                                <xs:maxLength value="12"/>
                                <xs:whiteSpace value="preserve"/>
                              </xs:restriction>
                            </xs:simpleType>
                          </xs:element>
                          <xs:element name="rate" type="xs:short"/>
                        </xs:sequence>
                      </xs:complexType>
                    </xs:element>
                  </xs:sequence>
                </xs:complexType>
              </xs:element>
            </xs:schema>
          "#]]
    .assert_eq(types);
    assert!(
        text.contains("<soap:address location=\"http://h/orders\"/>") && !text.contains("soap12:address")
    );
}

#[test]
fn clients_of_the_published_document_are_answered() {
    let service = order("REQMEM=ORDREQ\nRESPMEM=ORDRESP\n");
    let namespaces = [&service.operations[0].request, &service.operations[0].response]
        .map(|mapping| mapping.as_ref().map(Mapping::namespace));
    assert_eq!(
        namespaces,
        [Some("http://www.ORDERS.ORDREQ.Request.com"), Some("http://www.ORDERS.ORDRESP.Response.com")]
    );
    assert_eq!(service.namespace, "http://www.ORDERS.ORDREQ.com");
    let message = r#"<q:ORDERSOperation xmlns:q="http://www.ORDERS.ORDREQ.Request.com"><q:order_no>17</q:order_no><q:customer>A</q:customer><q:total>1</q:total></q:ORDERSOperation>"#;
    let record = xml::read(request(&service), message.as_bytes(), None, Way::Complete).expect("a record");
    assert_eq!(&record[..7], b"000017A");
    let response = service.operations[0].response.as_ref().expect("an answer");
    let mut answer = Vec::new();
    xml::write(response, b"Y", &mut answer).expect("an answer");
    assert_eq!(
        String::from_utf8_lossy(&answer),
        r#"<ORDERSOperationResponse xmlns="http://www.ORDERS.ORDRESP.Response.com"><ok>Y</ok></ORDERSOperationResponse>"#
    );
    // Without options a member is called as its file is.
    let plain = order("");
    assert_eq!(request(&plain).namespace(), "http://www.ORDERS.ORDER.Request.com");
    let own = order("REQUEST-NAMESPACE=urn:in\nRESPONSE-NAMESPACE=urn:out\nWSDL-NAMESPACE=urn:w\n");
    assert_eq!((request(&own).namespace(), own.namespace.as_str()), ("urn:in", "urn:w"));
    assert!(request(&own).is_qualified() && !request(&order("LOCAL-ELEMENTS=UNQUALIFIED\n")).is_qualified());
}

#[test]
fn a_path_needs_no_slash() {
    for (written, uri) in [
        ("GENAPP/LGICUS01", "/GENAPP/LGICUS01"),
        ("/orders", "/orders"),
        ("http://h/orders", "http://h/orders"),
        ("", ""),
    ] {
        let (parameters, _) = Parameters::read(&Source::new("SYSIN", format!("URI={written}\n")));
        assert_eq!(parameters.uri, uri);
    }
}

#[test]
fn what_one_side_writes_the_side_made_of_its_wsdl_reads() {
    for options in ["", "LOCAL-ELEMENTS=UNQUALIFIED\n"] {
        let ours = order(options);
        let text = wsdl::write(&ours, "http://h/orders");
        let parameters = Parameters { program: "CLIENT".to_owned(), ..Parameters::default() };
        let theirs = from_wsdl(&parameters, &Source::new("orders.wsdl", text), &[]).expect("a service");
        assert_eq!((theirs.service.uri.as_str(), theirs.service.soap), ("http://h/orders", (true, true)));
        let record = json::read(request(&ours), MESSAGE.as_bytes(), false).expect("a record");
        let mut sent = Vec::new();
        xml::write(request(&ours), &record, &mut sent).expect("a message");
        let other = request(&theirs.service);
        let received = xml::read(other, &sent, None, Way::Quick).expect("a record");
        let mut back = Vec::new();
        xml::write(other, &received, &mut back).expect("a message");
        assert_eq!(xml::read(request(&ours), &back, None, Way::Complete).as_ref(), Ok(&record));
        let mut as_json = Vec::new();
        json::write(other, &received, false, &mut as_json).expect("a message");
        assert_eq!(String::from_utf8_lossy(&as_json), MESSAGE);
        compiles(&theirs.copybooks[0].1);
    }
}

#[test]
fn what_one_side_writes_the_side_made_of_its_openapi_reads() {
    let ours = order("");
    let text = openapi::write(&ours, "http://h/orders", false);
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let schema =
        &document["paths"]["/orders"]["post"]["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(schema["properties"]["lines"]["maxItems"], 3);
    assert_eq!(schema["properties"]["order_no"]["maximum"], 999_999);
    assert!(text.contains("\"multipleOf\": 0.01"), "{text}");
    let theirs = from_openapi(&Parameters::default(), &Source::new("orders.json", text)).expect("a service");
    let other = request(&theirs.service);
    let record = json::read(other, MESSAGE.as_bytes(), false).expect("a record");
    let mut message = Vec::new();
    json::write(other, &record, false, &mut message).expect("a message");
    assert_eq!(String::from_utf8_lossy(&message), MESSAGE);
    compiles(&theirs.copybooks[0].1);
}

/// The COBOL that is made for programs is COBOL.
fn compiles(copybook: &str) {
    let folder = std::env::temp_dir().join(format!("binding-{}-{:p}", std::process::id(), copybook));
    std::fs::create_dir_all(&folder).expect("a folder");
    let program = folder.join("P.cbl");
    let text = format!(
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. P.\n       DATA DIVISION.\n       WORKING-STORAGE SECTION.\n{copybook}       PROCEDURE DIVISION.\n           GOBACK.\n"
    );
    std::fs::write(&program, &text).expect("written");
    let compiled = Command::new("cobc")
        .args(["-fsyntax-only", "-std=ibm"])
        .arg(&program)
        .output()
        .expect("cobc is installed");
    let _ = std::fs::remove_dir_all(&folder);
    assert!(compiled.status.success(), "{text}\n{}", String::from_utf8_lossy(&compiled.stderr));
}

const PETS: &str = r##"{
  "openapi": "3.0.0", "info": {"title": "Pets", "version": "1"},
  "paths": {"/pets/{id}": {"put": {"operationId": "putPet",
    "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}],
    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}},
    "responses": {"204": {"description": "done"}}}}},
  "components": {"schemas": {
    "Named": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "maxLength": 30}}},
    "Pet": {"allOf": [{"$ref": "#/components/schemas/Named"}, {"type": "object", "required": ["tags", "good"], "properties": {
      "date": {"type": "string", "format": "date-time"}, "good": {"type": "boolean"}, "weight": {"type": "number"},
      "photo": {"type": "string", "format": "byte", "maxLength": 8}, "age": {"type": "integer", "minimum": 0, "maximum": 200},
      "a-very-long-name-that-goes-on-and-on": {"type": "string", "enum": ["a", "bcd"]},
      "tags": {"type": "array", "items": {"type": "string", "maxLength": 5}}}}]}}}
}"##;

const PET_RECORD: &str = "       01  PUTPET-REQUEST.
         05  NAME PIC X(30).
         05  XDATE-NUM PIC S9(9) COMP-5.
         05  XDATE PIC X(32).
         05  GOOD PIC X.
         05  WEIGHT-NUM PIC S9(9) COMP-5.
         05  WEIGHT COMP-2.
         05  PHOTO-NUM PIC S9(9) COMP-5.
         05  PHOTO PIC X(6).
         05  AGE-NUM PIC S9(9) COMP-5.
         05  AGE PIC 9(4) COMP-5.
         05  A-VERY-LONG-NAME-THAT-G-NUM PIC S9(9) COMP-5.
         05  A-VERY-LONG-NAME-THAT-G PIC X(3).
         05  TAGS-NUM PIC S9(9) COMP-5.
         05  TAGS PIC X(5) OCCURS 3.
";

#[test]
fn a_description_of_others_becomes_cobol() {
    let parameters = Parameters { occurs_max: 3, ..Parameters::default() };
    let made = from_openapi(&parameters, &Source::new("pets.json", PETS)).expect("a service");
    let text = &made.copybooks[0].1;
    assert_eq!(text, PET_RECORD);
    compiles(text);
    assert_eq!(made.messages.len(), 1, "the parameter in the path");
    let operation = &made.service.operations[0];
    assert_eq!(
        (operation.method.as_str(), operation.path.as_str(), operation.response.is_none()),
        ("PUT", "/pets/{id}", true)
    );
    let mapping = operation.request.as_ref().expect("a request");
    let message = r#"{"name":"Rex","good":true,"weight":1.5,"photo":"AAECAwQF","a-very-long-name-that-goes-on-and-on":"a","tags":["x","y"]}"#;
    let record = json::read(mapping, message.as_bytes(), false).expect("a record");
    let mut back = Vec::new();
    json::write(mapping, &record, false, &mut back).expect("a message");
    assert_eq!(String::from_utf8_lossy(&back), message);
    let many = br#"{"name":"R","good":false,"tags":["1","2","3","4"]}"#;
    assert!(json::read(mapping, many, false).is_err());
}

#[test]
fn what_has_no_place_in_a_record_is_told() {
    let wsdl = |schema: &str| {
        let text = format!(
            "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' xmlns:s='http://schemas.xmlsoap.org/wsdl/soap/' xmlns:t='urn:t' \
             xmlns:x='http://www.w3.org/2001/XMLSchema' targetNamespace='urn:t'><types><x:schema targetNamespace='urn:t'>{schema}</x:schema></types>\
             <message name='m'><part name='p' element='t:e'/></message><portType name='p'><operation name='o'><input message='t:m'/></operation></portType>\
             <binding name='b' type='t:p'><s:binding style='document'/><operation name='o'/></binding></definitions>"
        );
        let source: Arc<Source> = Source::new("x.wsdl", text);
        from_wsdl(&Parameters::default(), &source, &[]).map(|made| made.copybooks[0].1.clone()).map_err(
            |problems| problems.iter().map(|problem| problem.message.clone()).collect::<Vec<_>>().join("; "),
        )
    };
    let element = |content: &str| {
        wsdl(&format!("<x:element name='e'><x:complexType>{content}</x:complexType></x:element>"))
    };
    assert!(
        element("<x:sequence><x:element name='a' type='x:string'/></x:sequence>")
            .expect("a record")
            .contains("A PIC X(255)")
    );
    for (content, problem) in [
        (
            "<x:all maxOccurs='2'/>",
            "e: elements in any order that come several times have no place in a record",
        ),
        ("<x:sequence><x:any/></x:sequence>", "e-any: elements of any name stand in a container"),
        (
            "<x:all><x:element name='a' type='x:int' maxOccurs='2'/></x:all>",
            "e: an element in any order that comes several times has no place in a record",
        ),
        (
            "<x:sequence><x:element name='a' type='t:none'/></x:sequence>",
            "a: the type t:none is not in the document",
        ),
        ("<x:sequence><x:element ref='t:e'/></x:sequence>", "e: types within types have no end"),
        (
            "<x:sequence><x:element name='a'/></x:sequence>",
            "a-any: elements of any name stand in a container",
        ),
    ] {
        assert_eq!(element(content), Err(problem.to_owned()));
    }
    assert!(wsdl("").expect_err("nothing").contains("no schema in the document declares it"));
    for (text, problem) in [("{}", "no OpenAPI 3"), ("openapi: [3", "no YAML"), ("{a", "no JSON")] {
        let problems = from_openapi(&Parameters::default(), &Source::new("x", text)).expect_err("a problem");
        assert!(problems[0].message.contains(problem), "{}", problems[0].message);
    }
    let one_of = PETS.replace("{\"type\": \"boolean\"}", "{\"oneOf\": []}");
    let problems = from_openapi(&Parameters::default(), &Source::new("x", one_of)).expect_err("a problem");
    assert_eq!(problems[0].message, "good: oneOf has no place in a record");
    assert_eq!(problems[0].place.as_ref().map(|place| place.line), Some(10));
}

#[test]
fn a_description_tells_of_each_method_and_of_names_in_paths() {
    let text = r#"{"openapi":"3.0.3","info":{"title":"Shop","version":"1"},"servers":[{"url":"/shop"}],"paths":{
      "/orders":{"post":{"operationId":"add","responses":{}}},
      "/orders/{number}":{"get":{"operationId":"tell","responses":{}},"delete":{"operationId":"cancel","responses":{}}}}}"#;
    let made = from_openapi(&Parameters::default(), &Source::new("shop.json", text)).expect("a service");
    let written = openapi::write(&made.service, "http://h/shop", false);
    let document: serde_json::Value = serde_json::from_str(&written).expect("JSON");
    let one = &document["paths"]["/shop/orders/{number}"];
    assert_eq!(one["get"]["operationId"], "tell");
    assert_eq!(one["get"]["parameters"][0]["name"], "number");
    assert_eq!(one["delete"]["operationId"], "cancel");
    assert_eq!(document["paths"]["/shop/orders"]["post"]["operationId"], "add");
}
