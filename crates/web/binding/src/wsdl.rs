//! A service as WSDL 1.1: document/literal, one port type.

use mapping::Element;
use mapping::xml::{Reader, Token, escape_attribute};
use soap::Level;

use crate::schema::{declare, elsewhere};
use crate::service::Service;
use crate::xml::Document;

const WSDL: &str = "http://schemas.xmlsoap.org/wsdl/";
const SCHEMA: &str = "http://www.w3.org/2001/XMLSchema";
const TRANSPORT: &str = "http://schemas.xmlsoap.org/soap/http";
/// Namespaces of the bindings of both versions.
const SOAP_11: &str = "http://schemas.xmlsoap.org/wsdl/soap/";
const SOAP_12: &str = "http://schemas.xmlsoap.org/wsdl/soap12/";

/// Writes the WSDL of a service whose address is `location`.
pub fn write(service: &Service, location: &str) -> String {
    if let Some(moved) = service.original.as_deref().and_then(|original| moved(original, location)) {
        return moved;
    }
    let mut document = Document::new();
    document.open(
        "definitions",
        &[
            ("name", &service.name),
            ("targetNamespace", &service.namespace),
            ("xmlns", WSDL),
            ("xmlns:tns", &service.namespace),
            ("xmlns:xs", SCHEMA),
            ("xmlns:soap", SOAP_11),
            ("xmlns:soap12", SOAP_12),
        ],
    );
    types(service, &mut document);
    for operation in &service.operations {
        message(&operation.name, "Request", operation.request.as_ref(), &mut document);
        message(&operation.name, "Response", operation.response.as_ref(), &mut document);
    }
    port_type(service, &mut document);
    let levels = [(Level::Soap11, service.soap.0), (Level::Soap12, service.soap.1)];
    let spoken: Vec<_> = levels.into_iter().filter(|(_, spoken)| *spoken).map(|(level, _)| level).collect();
    spoken.iter().for_each(|level| binding(service, *level, &mut document));
    document.open("service", &[("name", &service.name)]);
    for level in spoken {
        let (port, prefix) = names(service, level);
        document
            .open("port", &[("name", &format!("{port}Port")), ("binding", &format!("tns:{port}Binding"))]);
        document.empty(&format!("{prefix}:address"), &[("location", location)]);
        document.close();
    }
    document.finish()
}

/// The document that a service was made from, with its addresses.
fn moved(original: &str, location: &str) -> Option<String> {
    const ATTRIBUTE: &str = "location";
    let mut reader = Reader::new(original).ok()?;
    let (mut moved, mut done) = (String::new(), 0);
    loop {
        match reader.token().ok()? {
            Token::Start(start) if start.is(SOAP_11, "address") || start.is(SOAP_12, "address") => {
                let value = start.attribute("", ATTRIBUTE)?;
                let tag = &original[done..reader.at()];
                let begin = done + tag.rfind('<')?;
                let tag = &original[begin..reader.at()];
                // As it is written, in one kind of quotes or the other.
                let written = ['"', '\''].into_iter().find_map(|quote| {
                    let mut escaped = Vec::new();
                    escape_attribute(value, &mut escaped);
                    let escaped = String::from_utf8(escaped).ok()?;
                    let at = tag.find(&format!("{quote}{escaped}{quote}"))?;
                    Some((begin + at + 1, escaped.len()))
                });
                let (at, length) = written?;
                moved.push_str(&original[done..at]);
                let mut escaped = Vec::new();
                escape_attribute(location, &mut escaped);
                moved.push_str(&String::from_utf8_lossy(&escaped));
                done = at + length;
            }
            Token::Eof => break,
            _ => {}
        }
    }
    moved.push_str(&original[done..]);
    Some(moved)
}

/// Writes the schemas of a service's messages, as a document of their own: that of its first namespace, or of the one.
pub fn schema(service: &Service) -> String {
    let mut document = Document::new();
    schemas(service, &mut document, true);
    document.finish()
}

fn names(service: &Service, level: Level) -> (String, &'static str) {
    match level {
        Level::Soap11 => (service.name.clone(), "soap"),
        Level::Soap12 => (format!("{}Soap12", service.name), "soap12"),
    }
}

fn types(service: &Service, document: &mut Document) {
    document.open("types", &[]);
    schemas(service, document, false);
    document.close();
}

/// A schema for each namespace, with the roots in it and the elements that others refer to; or the first one alone.
fn schemas(service: &Service, document: &mut Document, is_alone: bool) {
    let roots: Vec<_> = service
        .operations
        .iter()
        .flat_map(|it| [it.request.as_ref(), it.response.as_ref()])
        .flatten()
        .map(|mapping| (mapping.namespace().to_owned(), mapping.is_qualified(), mapping.describe()))
        .collect();
    let mut declared: Vec<(String, bool, Element)> = Vec::new();
    for (namespace, qualified, root) in roots {
        elsewhere(&root, &namespace, &mut declared);
        declared.push((namespace, qualified, root));
    }
    let mut namespaces: Vec<_> = declared.iter().map(|(namespace, ..)| namespace.as_str()).collect();
    namespaces.sort_unstable();
    namespaces.dedup();
    for namespace in namespaces.iter().take(if is_alone { 1 } else { usize::MAX }) {
        let own: Vec<_> = declared.iter().filter(|(of, ..)| of == namespace).collect();
        let form = if own.iter().any(|(_, qualified, _)| *qualified) { "qualified" } else { "unqualified" };
        let mut attributes = vec![("targetNamespace", *namespace), ("elementFormDefault", form)];
        if is_alone {
            attributes.push(("xmlns:xs", SCHEMA));
        }
        document.open("xs:schema", &attributes);
        if declared.iter().any(|(of, _, element)| of == namespace && element.refers()) {
            for other in namespaces.iter().filter(|other| *other != namespace) {
                document.empty("xs:import", &[("namespace", other)]);
            }
        }
        let mut known = Vec::new();
        for (_, qualified, element) in own {
            if !known.contains(&element.name.as_str()) {
                known.push(&element.name);
                declare(element, (namespace, *qualified), document, true);
            }
        }
        document.close();
    }
}

fn message(operation: &str, what: &str, mapping: Option<&mapping::Mapping>, document: &mut Document) {
    let Some(mapping) = mapping else { return };
    document.open("message", &[("name", &format!("{operation}{what}"))]);
    let element = format!("p:{}", mapping.root());
    document.empty("part", &[("name", what), ("element", &element), ("xmlns:p", mapping.namespace())]);
    document.close();
}

fn port_type(service: &Service, document: &mut Document) {
    document.open("portType", &[("name", &format!("{}PortType", service.name))]);
    for operation in &service.operations {
        document.open("operation", &[("name", &operation.name)]);
        document.empty("input", &[("message", &format!("tns:{}Request", operation.name))]);
        if operation.response.is_some() {
            document.empty("output", &[("message", &format!("tns:{}Response", operation.name))]);
        }
        document.close();
    }
    document.close();
}

fn binding(service: &Service, level: Level, document: &mut Document) {
    let (port, prefix) = names(service, level);
    let port_type = format!("tns:{}PortType", service.name);
    document.open("binding", &[("name", &format!("{port}Binding")), ("type", &port_type)]);
    document.empty(&format!("{prefix}:binding"), &[("style", "document"), ("transport", TRANSPORT)]);
    let body = format!("{prefix}:body");
    for operation in &service.operations {
        document.open("operation", &[("name", &operation.name)]);
        document.empty(
            &format!("{prefix}:operation"),
            &[("soapAction", &operation.action), ("style", "document")],
        );
        let directions = [("input", true), ("output", operation.response.is_some())];
        for (direction, _) in directions.into_iter().filter(|(_, is)| *is) {
            document.open(direction, &[]);
            document.empty(&body, &[("use", "literal")]);
            document.close();
        }
        document.close();
    }
    document.close();
}
