//! A service as OpenAPI 3.

use mapping::Mapping;

use crate::schema::{json, quoted};
use crate::service::{Operation, Service};

/// Writes the OpenAPI document of a service whose address is `location`, the paths of its operations behind it. `wrapped`:
/// messages are objects with one member of the root's name.
pub fn write(service: &Service, location: &str, wrapped: bool) -> String {
    let (server, base) = split(location);
    let mut text = String::from("{\"openapi\":\"3.0.3\",\"info\":{");
    text += &format!("\"title\":{},\"version\":\"1\"}},", quoted(&service.name));
    if !server.is_empty() {
        text += &format!("\"servers\":[{{\"url\":{}}}],", quoted(server));
    }
    text += "\"paths\":{";
    let mut paths: Vec<&str> = service.operations.iter().map(|operation| operation.path.as_str()).collect();
    paths.dedup();
    for (at, path) in paths.into_iter().enumerate() {
        text += if at > 0 { "," } else { "" };
        let whole = format!("{base}{path}");
        text += &format!("{}:{{", quoted(if whole.is_empty() { "/" } else { &whole }));
        let here = service.operations.iter().filter(|operation| operation.path == path);
        for (at, operation) in here.enumerate() {
            text += if at > 0 { "," } else { "" };
            for (at, method) in operation.methods().enumerate() {
                text += if at > 0 { "," } else { "" };
                describe(operation, (method, at), wrapped, &mut text);
            }
        }
        text += "}";
    }
    text += "},\"components\":{\"schemas\":{\"Fault\":";
    text += FAULT;
    text += "}}}";
    pretty(&text)
}

/// An address as its server and the path there: a path of a document begins with a slash, so that one of a server whose
/// address has a path could not be that path itself.
fn split(location: &str) -> (&str, &str) {
    let host = location.find("://").map_or(0, |at| at + 3);
    let path = location[host..].find('/').map_or(location.len(), |at| host + at);
    (&location[..path], location[path..].trim_end_matches('/'))
}

/// Writes the JSON Schema of a message.
pub fn schema(mapping: &Mapping) -> String {
    let mut text = String::new();
    message(mapping, false, &mut text);
    pretty(&text)
}

/// The schema of the answer of every operation that fails.
const FAULT: &str = "{\"type\":\"object\",\"properties\":{\"Fault\":{\"type\":\"object\",\"properties\":{\
    \"faultstring\":{\"type\":\"string\"},\"detail\":{\"type\":\"object\",\"properties\":{\"CICSFault\":{\"type\":\"string\"}}}}}}}";

fn describe(operation: &Operation, (method, at): (&str, usize), wrapped: bool, text: &mut String) {
    let method = method.to_ascii_lowercase();
    // Identifiers are those of one operation each.
    let name = if at == 0 { operation.name.clone() } else { format!("{}_{method}", operation.name) };
    *text += &format!("{}:{{\"operationId\":{}", quoted(&method), quoted(&name));
    let names = operation.path.split('/').filter_map(|it| it.strip_prefix('{')?.strip_suffix('}'));
    let parameters: Vec<_> = names
        .map(|name| {
            let name = quoted(name);
            format!(
                "{{\"name\":{name},\"in\":\"path\",\"required\":true,\"schema\":{{\"type\":\"string\"}}}}"
            )
        })
        .collect();
    if !parameters.is_empty() {
        *text += &format!(",\"parameters\":[{}]", parameters.join(","));
    }
    if let Some(request) = operation.request.as_ref().filter(|_| has_body(&method)) {
        *text += ",\"requestBody\":{\"required\":true,\"content\":{\"application/json\":{\"schema\":";
        message(request, wrapped, text);
        *text += "}}}";
    }
    *text += ",\"responses\":{\"200\":{\"description\":\"The answer\"";
    if let Some(response) = &operation.response {
        *text += ",\"content\":{\"application/json\":{\"schema\":";
        message(response, wrapped, text);
        *text += "}}";
    }
    *text += "}";
    let fault = "\"content\":{\"application/json\":{\"schema\":{\"$ref\":\"#/components/schemas/Fault\"}}}";
    for (status, description) in
        [("400", "The request is no such message"), ("500", "The program could not answer")]
    {
        *text += &format!(",\"{status}\":{{\"description\":\"{description}\",{fault}}}");
    }
    for (status, description) in [("413", "The request is too long"), ("415", "The request is no JSON")] {
        *text += &format!(",\"{status}\":{{\"description\":\"{description}\"}}");
    }
    *text += "}}";
}

/// Returns true if requests of a method have a body with a meaning.
pub fn has_body(method: &str) -> bool {
    !["GET", "HEAD", "DELETE"].iter().any(|without| method.eq_ignore_ascii_case(without))
}

fn message(mapping: &Mapping, wrapped: bool, text: &mut String) {
    let root = mapping.describe();
    if wrapped {
        let name = quoted(&root.name);
        *text += &format!("{{\"type\":\"object\",\"properties\":{{{name}:");
        json(&root, text);
        *text += &format!("}},\"required\":[{name}],\"additionalProperties\":false}}");
    } else {
        json(&root, text);
    }
}

/// The same text on lines of its own. Its numbers stay as they were written: bounds have more digits than a float.
fn pretty(text: &str) -> String {
    let (mut pretty, mut depth, mut in_string, mut escaped) = (String::new(), 0usize, false, false);
    for character in text.chars() {
        if in_string {
            pretty.push(character);
            in_string = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        match character {
            '{' | '[' => {
                depth += 1;
                pretty.push(character);
                line(&mut pretty, depth);
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut pretty, depth);
                pretty.push(character);
            }
            ',' => {
                pretty.push(',');
                line(&mut pretty, depth);
            }
            ':' => pretty += ": ",
            _ => {
                in_string = character == '"';
                pretty.push(character);
            }
        }
    }
    pretty.push('\n');
    pretty
}

fn line(text: &mut String, depth: usize) {
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
}
