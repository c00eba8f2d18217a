//! A service from an OpenAPI 3 document in JSON or YAML, or from JSON Schemas.

use std::sync::Arc;

use diagnostics::{Diagnostic, Severity, Source, TextPlace};
use serde_json::Value;

use crate::cobol::{Generated, generate};
use crate::items::{Item, ItemKind, refused};
use crate::limits::{DEPTH_MAX, DESCRIPTION_MAX, ITEMS_MAX};
use crate::parameters::Parameters;
use crate::service::{Operation, Service};
use crate::yaml;

/// Methods of operations.
const METHODS: [&str; 5] = ["get", "put", "post", "delete", "patch"];

/// The service made from a description.
#[derive(Clone, Debug)]
pub struct Made {
    /// The service.
    pub service: Service,
    /// Copybooks by the operation and what they describe: `GETORDER request`.
    pub copybooks: Vec<(String, String)>,
    /// Notes and warnings.
    pub messages: Vec<Diagnostic>,
}

/// Makes a service of a document.
///
/// # Errors
/// All parts of it that have no place in records.
pub fn from_openapi(parameters: &Parameters, source: &Arc<Source>) -> Result<Made, Vec<Diagnostic>> {
    let document = document(source)?;
    let is_three = document["openapi"].as_str().is_some_and(|version| version.starts_with("3."));
    if !is_three {
        return Err(vec![refused(
            &source.name,
            "this is no OpenAPI 3 document",
            "convert it to version 3 first",
        )]);
    }
    let mut reader = Reader { source, document: &document, problems: Vec::new(), items: 0 };
    let (mut operations, mut copybooks, mut messages) = (Vec::new(), Vec::new(), Vec::new());
    for (path, method, operation) in operations_of(&document) {
        let name = name_of(operation, method, path);
        if !parameters.operations.is_empty() && !parameters.operations.contains(&name) {
            continue;
        }
        if operation["parameters"].as_array().is_some_and(|list| !list.is_empty()) {
            let note = format!(
                "{name}: its parameters in path and query are not in its record: containers DFHWS-URI-RESID and DFHWS-URI-QUERY have them"
            );
            messages.push(Diagnostic::new(Severity::Warning, "SPWB021", note));
        }
        let bodies = [(json_schema(&operation["requestBody"]), "request"), (answer(operation), "response")];
        let [request, response] = bodies.map(|(schema, what)| {
            reader.items = 0;
            let item = reader.item(&name, schema?, 0)?;
            match generate(&item, &format!("{name}-{what}"), ("", &[]), false, parameters) {
                Ok(Generated { text, mapping }) => {
                    copybooks.push((format!("{name} {what}"), text));
                    Some(mapping)
                }
                Err(problems) => {
                    reader.problems.extend(problems);
                    None
                }
            }
        });
        let (method, path) = (method.to_ascii_uppercase(), path.to_owned());
        let (action, further) = (String::new(), Vec::new());
        operations.push(Operation { name, action, request, response, method, further, path });
    }
    if operations.is_empty() {
        reader.problems.push(refused(&source.name, "it has none of the operations", "look at OPERATIONS"));
    }
    if !reader.problems.is_empty() {
        return Err(reader.problems);
    }
    let uri = address(&document, &mut operations);
    let service = Service {
        name: document["info"]["title"].as_str().unwrap_or("Service").to_owned(),
        uri: if parameters.uri.is_empty() { uri } else { parameters.uri.clone() },
        operations,
        ..Service::of(parameters)
    };
    Ok(Made { service, copybooks, messages })
}

/// A document in JSON, or in YAML.
fn document(source: &Arc<Source>) -> Result<Value, Vec<Diagnostic>> {
    if source.text.len() > DESCRIPTION_MAX {
        return Err(vec![refused(
            &source.name,
            "the document is too long",
            "describe a part of the service",
        )]);
    }
    if source.text.trim_start().starts_with('{') {
        return serde_json::from_str(&source.text).map_err(|error| {
            vec![refused(&source.name, &format!("this is no JSON: {error}"), "mend the document")]
        });
    }
    yaml::read(&source.text)
        .map_err(|why| vec![refused(&source.name, &format!("this is no YAML: {why}"), "mend the document")])
}

/// Makes a service with one operation of JSON Schemas, of its request and of its answer.
///
/// # Errors
/// All parts of them that have no place in records.
pub fn from_json_schema(
    parameters: &Parameters,
    request: &Arc<Source>,
    answer: Option<&Arc<Source>>,
) -> Result<Made, Vec<Diagnostic>> {
    let program = if parameters.program.is_empty() { "SERVICE" } else { &parameters.program };
    let name = parameters.operation.clone().unwrap_or_else(|| format!("{program}Operation"));
    let (mut copybooks, mut problems) = (Vec::new(), Vec::new());
    let mut mapped = |source: &Arc<Source>, root: &str, what: &str| {
        let made = document(source).and_then(|document| {
            let mut reader = Reader { source, document: &document, problems: Vec::new(), items: 0 };
            let item = reader.item(root, &document, 0);
            match item.filter(|_| reader.problems.is_empty()) {
                Some(item) => generate(&item, &format!("{name}-{what}"), ("", &[]), false, parameters),
                None => Err(reader.problems),
            }
        });
        match made {
            Ok(Generated { text, mapping }) => {
                copybooks.push((format!("{name} {what}"), text));
                Some(mapping)
            }
            Err(more) => {
                problems.extend(more);
                None
            }
        }
    };
    let requests = mapped(request, &name, "request");
    let responses = answer.and_then(|answer| mapped(answer, &format!("{name}Response"), "response"));
    if !problems.is_empty() {
        return Err(problems);
    }
    let operation = Operation {
        name,
        action: String::new(),
        request: requests,
        response: responses,
        method: parameters.methods.first().cloned().unwrap_or_else(|| "POST".to_owned()),
        further: parameters.methods.iter().skip(1).cloned().collect(),
        path: String::new(),
    };
    let service =
        Service { name: format!("{program}Service"), operations: vec![operation], ..Service::of(parameters) };
    Ok(Made { service, copybooks, messages: Vec::new() })
}

/// The names and numbers that lead to a value of a document.
fn path_to(document: &Value, wanted: &Value, path: &mut Vec<String>) -> bool {
    if std::ptr::eq(document, wanted) {
        return true;
    }
    let mut step = |name: String, value: &Value| {
        path.push(name);
        let found = path_to(value, wanted, path);
        if !found {
            path.pop();
        }
        found
    };
    match document {
        Value::Object(members) => members.iter().any(|(name, value)| step(name.clone(), value)),
        Value::Array(items) => items.iter().enumerate().any(|(at, value)| step(at.to_string(), value)),
        _ => false,
    }
}

/// The address of a service: that of its server, and the path there that all operations share, which is no longer theirs then. A path
/// with parameters stays with its operation.
fn address(document: &Value, operations: &mut [Operation]) -> String {
    let server = document["servers"][0]["url"].as_str().unwrap_or_default().trim_end_matches('/');
    let path = operations.first().map(|operation| operation.path.clone()).unwrap_or_default();
    let is_common = !path.contains('{') && operations.iter().all(|operation| operation.path == path);
    if is_common {
        operations.iter_mut().for_each(|operation| operation.path.clear());
    }
    let whole = format!("{server}{}", if is_common { path.trim_end_matches('/') } else { "" });
    if whole.is_empty() { String::from("/") } else { whole }
}

fn operations_of(document: &Value) -> Vec<(&str, &str, &Value)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let of_path = |(path, item): (_, _)| {
        let path: &String = path;
        let item: &Value = item;
        METHODS.into_iter().filter_map(move |method| Some((path.as_str(), method, item.get(method)?)))
    };
    paths.flat_map(of_path).collect()
}

fn name_of(operation: &Value, method: &str, path: &str) -> String {
    let made = || format!("{method}{}", path.replace(['/', '{', '}'], "_"));
    operation["operationId"].as_str().map_or_else(made, str::to_owned)
}

/// The schema of a body in JSON.
fn json_schema(body: &Value) -> Option<&Value> {
    body["content"]
        .as_object()?
        .iter()
        .find(|(media, _)| media.contains("json"))
        .and_then(|(_, it)| it.get("schema"))
}

/// The schema of the first answer that says that all is well.
fn answer(operation: &Value) -> Option<&Value> {
    let answers = operation["responses"].as_object()?;
    answers.iter().filter(|(status, _)| status.starts_with('2')).find_map(|(_, answer)| json_schema(answer))
}

struct Reader<'a> {
    source: &'a Arc<Source>,
    document: &'a Value,
    problems: Vec<Diagnostic>,
    /// Values so far: schemas within schemas may be more than anybody has room for.
    items: usize,
}

impl<'a> Reader<'a> {
    fn refuse(&mut self, schema: &Value, path: &str, why: &str, help: &str) -> Option<Item> {
        let mut steps = Vec::new();
        let problem = refused(path, why, help);
        let line = path_to(self.document, schema, &mut steps)
            .then(|| yaml::line_of(&self.source.text, &steps))
            .flatten();
        self.problems.push(match line {
            Some(line) => {
                let width = self.source.text.lines().nth(line - 1).map_or(1, str::len);
                problem.at(TextPlace::new(self.source, line, 1, width))
            }
            None => problem,
        });
        None
    }

    /// The schema that a reference leads to.
    fn resolved(&mut self, path: &str, mut schema: &'a Value) -> Option<&'a Value> {
        for _ in 0..DEPTH_MAX {
            let Some(reference) = schema["$ref"].as_str() else { return Some(schema) };
            let found = reference.strip_prefix('#').and_then(|pointer| self.document.pointer(pointer));
            let Some(found) = found else {
                self.refuse(
                    schema,
                    path,
                    &format!("{reference} leads nowhere"),
                    "put all schemas into one document",
                );
                return None;
            };
            schema = found;
        }
        self.refuse(schema, path, "references lead to each other", "name a schema with a type");
        None
    }

    fn item(&mut self, name: &str, schema: &'a Value, depth: usize) -> Option<Item> {
        if depth > DEPTH_MAX {
            return self.refuse(
                schema,
                name,
                "types within types have no end",
                "a record has no room for a type in itself",
            );
        }
        self.items += 1;
        if self.items > ITEMS_MAX {
            let more = self.items == ITEMS_MAX + 1;
            return more.then(|| {
                self.refuse(schema, name, "a message of too many items", "describe a part of it")
            })?;
        }
        let schema = self.resolved(name, schema)?;
        if let Some((of, or_null)) = one_or_null(schema) {
            let item = self.item(name, of, depth + 1)?;
            return Some(Item { is_nillable: item.is_nillable || or_null, ..item });
        }
        let several = alternatives(schema);
        if let Some((of, _)) = several
            && !self.are_objects(name, of)?
        {
            return self.one_of_values(name, schema, of, depth);
        }
        for word in ["oneOf", "anyOf", "not", "discriminator", "patternProperties", "if"] {
            let is_taken = several.is_some() && matches!(word, "oneOf" | "anyOf" | "discriminator");
            if schema.get(word).is_some() && !is_taken {
                return self.refuse(
                    schema,
                    name,
                    &format!("{word} has no place in a record"),
                    "choose one of the schemas",
                );
            }
        }
        let types: Vec<&str> = match &schema["type"] {
            Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
            one => one.as_str().into_iter().collect(),
        };
        let is_nillable = schema["nullable"].as_bool().unwrap_or(false) || types.contains(&"null");
        let types: Vec<&str> = types.into_iter().filter(|one| *one != "null").collect();
        if types.len() > 1 {
            let why = format!("a value of several types ({}) has no place in a record", types.join(", "));
            return self.refuse(schema, name, &why, "choose one of the types");
        }
        let is_object = schema.get("allOf").is_some() || schema.get("properties").is_some();
        let kind = if is_object || several.is_some() {
            "object"
        } else {
            types
                .first()
                .copied()
                .unwrap_or_else(|| if schema.get("items").is_some() { "array" } else { "object" })
        };
        let size = |name: &str| schema[name].as_u64().and_then(|size| usize::try_from(size).ok());
        let kind = match kind {
            "object" => {
                let mut parts = Vec::new();
                self.members(name, schema, depth, &mut parts);
                ItemKind::Group(parts)
            }
            "array" => {
                let mut item = self.item(name, schema.get("items").unwrap_or(&Value::Null), depth + 1)?;
                if item.is_array {
                    return self.refuse(
                        schema,
                        name,
                        "an array of arrays",
                        "put the inner one into an object",
                    );
                }
                (item.min, item.max, item.is_array) = (size("minItems").unwrap_or(0), size("maxItems"), true);
                return Some(item);
            }
            "string" => match schema["format"].as_str() {
                Some("date-time") => ItemKind::Moment,
                Some("date") => ItemKind::Text(Some(10)),
                Some("byte") => ItemKind::Bytes(size("maxLength").map(|length| length / 4 * 3)),
                _ => ItemKind::Text(size("maxLength").or_else(|| longest(schema))),
            },
            "boolean" => ItemKind::Flag,
            "integer" => integer(schema),
            "number" => number(schema),
            other => {
                return self.refuse(
                    schema,
                    name,
                    &format!("the type {other} has no place in a record"),
                    "leave it out",
                );
            }
        };
        Some(Item { is_nillable, ..Item::new(name, kind) })
    }

    /// Members of an object, those of all its schemas together.
    fn members(&mut self, name: &str, schema: &'a Value, depth: usize, parts: &mut Vec<Item>) {
        if depth > DEPTH_MAX {
            let help = "a record has no room for a type in itself";
            self.refuse(schema, name, "types within types have no end", help);
            return;
        }
        for part in schema["allOf"].as_array().into_iter().flatten() {
            if let Some(part) = self.resolved(name, part) {
                self.members(name, part, depth + 1, parts);
            }
        }
        let required: Vec<_> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (member, schema) in schema["properties"].as_object().into_iter().flatten() {
            let Some(mut item) = self.item(member, schema, depth + 1) else { continue };
            if !required.contains(&member.as_str()) {
                item.min = 0;
                // What may be missing may be null.
                item.is_nillable &= item.is_array;
            }
            parts.retain(|part: &Item| part.name != item.name || matches!(part.kind, ItemKind::Choice(_)));
            parts.push(item);
        }
        if let Some((of, may_be_several)) = alternatives(schema) {
            let mut found = Vec::new();
            for alternative in of {
                let Some(item) = self.item(name, alternative, depth + 1) else { return };
                let ItemKind::Group(members) = item.kind else { return };
                found.push(members);
            }
            if let Err((member, why)) = merged(name, found, may_be_several, parts) {
                self.refuse(schema, &member, why, "give the members different names");
            }
        }
    }

    /// Returns true if all alternatives are objects.
    fn are_objects(&mut self, name: &str, of: &'a [Value]) -> Option<bool> {
        for alternative in of {
            let schema = self.resolved(name, alternative)?;
            let has = |word: &str| schema.get(word).is_some();
            let is_object =
                has("properties") || has("allOf") || has("required") || schema["type"] == "object";
            if !is_object && alternatives(schema).is_none() {
                return Some(false);
            }
        }
        Some(true)
    }

    /// A value of which there are several descriptions: room for each of them.
    fn one_of_values(
        &mut self,
        name: &str,
        schema: &'a Value,
        of: &'a [Value],
        depth: usize,
    ) -> Option<Item> {
        let mut one: Option<Item> = None;
        for alternative in of.iter().filter(|it| !is_null(it)) {
            let item = self.item(name, alternative, depth + 1)?;
            one = match one {
                None => Some(item),
                Some(first) => match together(&first, &item) {
                    Some(both) => Some(both),
                    None => {
                        let why = "one of values of different types has no place in a record";
                        return self.refuse(schema, name, why, "choose one of the schemas");
                    }
                },
            };
        }
        let is_nillable = of.iter().any(is_null);
        one.map(|item| Item { is_nillable: item.is_nillable || is_nillable, ..item })
    }
}

fn is_null(schema: &Value) -> bool {
    schema["type"] == "null"
}

/// The schemas of oneOf or anyOf, where there are several; and whether more than one of them may hold.
fn alternatives(schema: &Value) -> Option<(&[Value], bool)> {
    if one_or_null(schema).is_some() {
        return None;
    }
    let (of, may_be_several) = [("oneOf", false), ("anyOf", true)]
        .into_iter()
        .find_map(|(word, several)| Some((schema[word].as_array()?, several)))?;
    (of.len() > 1).then_some((of.as_slice(), may_be_several))
}

/// Members of objects that exclude each other: those that several of the objects have stand for all; the others are a choice.
fn merged(
    name: &str,
    found: Vec<Vec<Item>>,
    may_be_several: bool,
    parts: &mut Vec<Item>,
) -> Result<(), (String, &'static str)> {
    let all = found.len();
    let mut known: Vec<(Item, usize)> = Vec::new();
    for member in found.iter().flatten() {
        if matches!(member.kind, ItemKind::Choice(_)) {
            return Err((name.to_owned(), "a choice within a choice has no place in a record"));
        }
        match known.iter_mut().find(|(it, _)| it.name == member.name) {
            Some((it, times)) => {
                let why = "a member that is of different types has no place in a record";
                *it = together(it, member).ok_or((member.name.clone(), why))?;
                *times += 1;
            }
            None => known.push((member.clone(), 1)),
        }
    }
    let own: Vec<String> = parts.iter().map(|part| part.name.clone()).collect();
    let is_shared =
        |name: &str| known.iter().any(|(it, times)| it.name == name && (*times > 1 || may_be_several));
    let shared = known.iter().filter(|(it, _)| is_shared(&it.name) && !own.contains(&it.name));
    parts
        .extend(shared.map(|(it, times)| Item { min: if *times == all { it.min } else { 0 }, ..it.clone() }));
    let is_exclusive = |it: &Item| !is_shared(&it.name) && !own.contains(&it.name);
    let choice: Vec<Vec<Item>> =
        found.into_iter().map(|members| members.into_iter().filter(is_exclusive).collect()).collect();
    // An object without a member that it alone has, and must have, does not tell by its members that it is there.
    let may_be_none = choice.iter().any(|members| members.iter().all(|it: &Item| it.min == 0));
    if choice.iter().any(|members| !members.is_empty()) {
        parts.push(Item { min: usize::from(!may_be_none), ..Item::new(name, ItemKind::Choice(choice)) });
    }
    Ok(())
}

/// Makes an item with room for the values of either of two; `None` if their types differ.
fn together(one: &Item, other: &Item) -> Option<Item> {
    use ItemKind::{Bytes, Integer, Text};
    let longest = |one: Option<usize>, other: Option<usize>| Some(one?.max(other?));
    let kind = match (&one.kind, &other.kind) {
        (Text(a), Text(b)) => Text(longest(*a, *b)),
        (Bytes(a), Bytes(b)) => Bytes(longest(*a, *b)),
        (Integer { bytes: a, signed: c }, Integer { bytes: b, signed: d }) => {
            // A number without a sign that is to have one has room for all its values in more bytes.
            let bytes = if c == d { *a.max(b) } else { (2 * a.max(b)).min(8) };
            Integer { bytes, signed: *c || *d }
        }
        (a, b) if a == b => a.clone(),
        _ => return None,
    };
    (one.is_array == other.is_array).then(|| Item {
        kind,
        min: one.min.min(other.min),
        max: longest(one.max, other.max),
        is_nillable: one.is_nillable || other.is_nillable,
        ..one.clone()
    })
}

/// The one schema of oneOf, anyOf or allOf, where nothing else is one of them but null; and whether null is.
fn one_or_null(schema: &Value) -> Option<(&Value, bool)> {
    let all = ["oneOf", "anyOf"].into_iter().find_map(|word| schema[word].as_array())?;
    let is_null = |schema: &&Value| schema["type"] == "null";
    let mut others = all.iter().filter(|schema| !is_null(schema));
    match (others.next(), others.next()) {
        (Some(one), None) => Some((one, all.iter().any(|schema| is_null(&schema)))),
        _ => None,
    }
}

/// The length of the longest of the values that are allowed.
fn longest(schema: &Value) -> Option<usize> {
    schema["enum"].as_array()?.iter().filter_map(Value::as_str).map(|value| value.chars().count()).max()
}

fn integer(schema: &Value) -> ItemKind {
    let (least, most) = (schema["minimum"].as_i64(), schema["maximum"].as_i64());
    let signed = least.is_none_or(|least| least < 0);
    let fits = |from: i64, to: i64| {
        most.is_some_and(|most| most <= to)
            && least.is_some_and(|least| least >= if signed { from } else { 0 })
    };
    let bytes = match schema["format"].as_str() {
        Some("int32") => 4,
        _ if fits(i64::from(i16::MIN), i64::from(i16::MAX)) => 2,
        _ if fits(i64::from(i32::MIN), i64::from(i32::MAX)) => 4,
        _ => 8,
    };
    ItemKind::Integer { bytes, signed }
}

/// A decimal number where the schema says how far it goes, else one of floating point.
fn number(schema: &Value) -> ItemKind {
    const DIGITS: usize = 18;
    match (schema["format"].as_str(), schema.get("multipleOf").map(ToString::to_string)) {
        (Some("float"), _) => ItemKind::Float(4),
        (_, Some(step)) if step.starts_with("0.") => {
            let scale = step.len() - 2;
            let signed = schema["minimum"].as_f64().is_none_or(|least| least < 0.0);
            ItemKind::Decimal { digits: DIGITS.max(scale), scale, signed }
        }
        _ => ItemKind::Float(8),
    }
}
