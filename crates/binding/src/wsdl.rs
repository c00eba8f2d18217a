//! A service as WSDL 1.1: document/literal, one port type.

use soap::Level;

use crate::schema::declare;
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

fn names(service: &Service, level: Level) -> (String, &'static str) {
    match level {
        Level::Soap11 => (service.name.clone(), "soap"),
        Level::Soap12 => (format!("{}Soap12", service.name), "soap12"),
    }
}

/// A schema for each namespace, with the roots in it.
fn types(service: &Service, document: &mut Document) {
    let roots: Vec<_> = service
        .operations
        .iter()
        .flat_map(|it| [it.request.as_ref(), it.response.as_ref()])
        .flatten()
        .collect();
    let mut namespaces: Vec<_> = roots.iter().map(|mapping| mapping.namespace()).collect();
    namespaces.sort_unstable();
    namespaces.dedup();
    document.open("types", &[]);
    for namespace in namespaces {
        let own: Vec<_> = roots.iter().filter(|mapping| mapping.namespace() == namespace).collect();
        let form = if own.iter().any(|mapping| mapping.is_qualified()) { "qualified" } else { "unqualified" };
        document.open("xs:schema", &[("targetNamespace", namespace), ("elementFormDefault", form)]);
        let mut declared = Vec::new();
        for mapping in own {
            if !declared.contains(&mapping.root()) {
                declared.push(mapping.root());
                declare(&mapping.describe(), document, true);
            }
        }
        document.close();
    }
    document.close();
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
