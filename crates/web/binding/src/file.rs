//! A binding file: the texts that a service was made from, with the options. What they mean is made of them again
//! wherever the file is read, so a file says nothing that its reader does not see.

use std::sync::Arc;

use diagnostics::{Diagnostic, Source, any_error};
use serde::{Deserialize, Serialize};

use crate::from_openapi::Made;
use crate::limits::FILE_MAX;
use crate::{Parameters, from_copybook, from_json_schema, from_openapi, from_record, from_schema, from_wsdl};

const NO_BINDING: &str = "SPWB030";
/// The version of the format that is written.
const FORMAT: u32 = 2;
/// The version in which elements of a copybook belonged to no namespace, unless LOCAL-ELEMENTS said so.
const UNQUALIFIED: u32 = 1;
/// The head of a file.
const HEAD: &str =
    "# A binding of a web service, made by syncpoint service. Make it again rather than change it.\n";

/// The origin of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Descriptions of a program's records.
    Copybook,
    /// A WSDL document.
    Wsdl,
    /// An OpenAPI document.
    Openapi,
    /// JSON Schemas of request and answer.
    JsonSchema,
    /// An XML schema: a transformer.
    Schema,
    /// The description of one record: a transformer.
    Record,
}

/// A text and its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// The name of its file, in messages about it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A binding file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BindingFile {
    format: u32,
    /// The origin of the service.
    pub origin: Origin,
    /// The options, one `NAME=VALUE` a line.
    pub options: String,
    /// The description of the request, or the document.
    pub description: Text,
    /// The description of the answer, where it is another text than that of the request.
    pub answer: Option<Text>,
    /// The documents that the description imports, and those that they do.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub imports: Vec<Text>,
}

impl BindingFile {
    /// A file of these texts.
    pub fn new(origin: Origin, options: String, description: Text, answer: Option<Text>) -> Self {
        let answer = answer.filter(|answer| *answer != description);
        Self { format: FORMAT, origin, options, description, answer, imports: Vec::new() }
    }

    /// The same, with the documents that its description imports.
    #[must_use]
    pub fn with_imports(self, imports: Vec<Text>) -> Self {
        Self { imports, ..self }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// A text that is no binding file of this format.
    pub fn read(source: &Source) -> Result<Self, Vec<Diagnostic>> {
        let refused = |why: String, help: &str| {
            vec![Diagnostic::error(NO_BINDING, format!("{}: {why}", source.name)).help(help)]
        };
        if source.text.len() > FILE_MAX {
            return Err(refused(
                "the file is too long for a binding".to_owned(),
                "bind a part of the service",
            ));
        }
        let file: Self = toml::from_str(&source.text).map_err(|error| {
            let why = format!("this is no binding file: {}", error.message());
            refused(why, "make it by syncpoint service; those of other products are not read")
        })?;
        if !(UNQUALIFIED..=FORMAT).contains(&file.format) {
            let why = format!("the binding file is of format {}, and {FORMAT} is read", file.format);
            return Err(refused(why, "make it again by syncpoint service"));
        }
        Ok(file)
    }

    /// The file's text.
    pub fn write(&self) -> String {
        // A value of texts and numbers has a form in TOML, whatever they are.
        format!("{HEAD}{}", toml::to_string_pretty(self).unwrap_or_default())
    }

    /// The options, and what is to be said about them.
    ///
    /// # Errors
    /// Options that are none, or have a wrong value.
    pub fn parameters(&self) -> Result<(Parameters, Vec<Diagnostic>), Vec<Diagnostic>> {
        let (mut parameters, messages) = Parameters::read(&Source::new("options", self.options.clone()));
        // Its clients were made from a WSDL that says so. Namespaces that it does not name are the published ones now, and
        // then so are its elements.
        let names = parameters.request_namespace.is_some() || parameters.response_namespace.is_some();
        if self.format == UNQUALIFIED && names {
            parameters.qualified.get_or_insert(false);
        }
        if any_error(&messages) { Err(messages) } else { Ok((parameters, messages)) }
    }

    /// Makes the service. Each message comes once, also about a text that describes both request and answer.
    ///
    /// # Errors
    /// All that is wrong with options and texts.
    pub fn make(&self) -> Result<Made, Vec<Diagnostic>> {
        match self.made() {
            Ok(made) => Ok(Made { messages: once(made.messages), ..made }),
            Err(problems) => Err(once(problems)),
        }
    }

    fn made(&self) -> Result<Made, Vec<Diagnostic>> {
        let (parameters, mut messages) = self.parameters()?;
        let description = self.description.source();
        let mut made = match self.origin {
            Origin::Copybook => {
                let answer = self.answer.as_ref().map_or_else(|| Arc::clone(&description), Text::source);
                let (service, messages) = from_copybook(&parameters, &description, &answer)?;
                Made { service, copybooks: Vec::new(), messages }
            }
            Origin::Wsdl => from_wsdl(&parameters, &description, &self.imported())?,
            Origin::Schema => from_schema(&parameters, &description, &self.imported())?,
            Origin::Openapi => from_openapi(&parameters, &description)?,
            Origin::JsonSchema => {
                let answer = self.answer.as_ref().map(Text::source);
                from_json_schema(&parameters, &description, answer.as_ref())?
            }
            Origin::Record => {
                let (service, messages) = from_record(&parameters, &description)?;
                Made { service, copybooks: Vec::new(), messages }
            }
        };
        messages.append(&mut made.messages);
        Ok(Made { messages, ..made })
    }
}

/// Messages without those that say the same as one before them.
fn once(messages: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = Vec::with_capacity(messages.len());
    for message in messages {
        if !all.contains(&message) {
            all.push(message);
        }
    }
    all
}

impl BindingFile {
    /// The descriptions of the program's records: those that the service is made from, or those that were made with it.
    pub fn descriptions(&self, made: &Made) -> Vec<Arc<Source>> {
        match self.origin {
            Origin::Copybook | Origin::Record => [Some(&self.description), self.answer.as_ref()]
                .into_iter()
                .flatten()
                .map(Text::source)
                .collect(),
            Origin::Wsdl | Origin::Openapi | Origin::JsonSchema | Origin::Schema => {
                let source = |(name, text): &(String, String)| Source::new(name.clone(), text.clone());
                made.copybooks.iter().map(source).collect()
            }
        }
    }

    fn imported(&self) -> Vec<Arc<Source>> {
        self.imports.iter().map(Text::source).collect()
    }
}

impl Text {
    fn source(&self) -> Arc<Source> {
        Source::new(self.name.clone(), self.text.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str =
        "       01  ORDER-IN.\n           05  ITEM  PIC X(12).\n           05  NAME  PIC X VALUE ''''.\n";

    #[test]
    fn a_file_says_the_same_service_wherever_it_is_read() {
        let text = Text { name: "ORDER.cpy".to_owned(), text: RECORD.to_owned() };
        let options = "PGMNAME=ORDERS\nURI=/orders\nPGMINT=CHANNEL\n".to_owned();
        let file = BindingFile::new(Origin::Copybook, options, text.clone(), Some(text));
        assert!(file.answer.is_none(), "one text is kept once");
        let read = BindingFile::read(&Source::new("orders.wsbind", file.write())).expect("a binding");
        assert_eq!(read, file);
        let made = read.make().expect("a service");
        assert_eq!((made.service.program.as_str(), made.service.uri.as_str()), ("ORDERS", "/orders"));
    }

    #[test]
    fn files_of_the_first_format_keep_their_elements() {
        let qualified = |format: u32, options: &str| {
            let text = format!(
                "format = {format}\norigin = \"copybook\"\noptions = \"PGMNAME=P\\n{options}\"\n[description]\n\
                 name = \"R.cpy\"\ntext = \"       01  R.\\n           05  A  PIC X.\\n\"\n"
            );
            let file = BindingFile::read(&Source::new("p.wsbind", text)).expect("a binding");
            let service = file.make().expect("a service").service;
            service.operations[0].request.as_ref().expect("a request").is_qualified()
        };
        let named = "REQUEST-NAMESPACE=urn:a\\nRESPONSE-NAMESPACE=urn:a\\n";
        let asked = format!("{named}LOCAL-ELEMENTS=QUALIFIED\\n");
        assert_eq!([1, 2].map(|format| qualified(format, named)), [false, true]);
        assert_eq!([qualified(1, &asked), qualified(1, "")], [true, true]);
    }

    #[test]
    fn what_is_no_binding_is_told_by_name() {
        for (text, why) in [
            ("\u{1}WSBIND", "x.wsbind: this is no binding file: "),
            (
                "format = 1\norigin = \"cobol\"\n",
                "x.wsbind: this is no binding file: unknown variant `cobol`",
            ),
            (
                "format = 3\norigin = \"wsdl\"\noptions = \"\"\n[description]\nname = \"\"\ntext = \"\"\n",
                "x.wsbind: the binding file is of format 3, and 2 is read",
            ),
        ] {
            let problems = BindingFile::read(&Source::new("x.wsbind", text)).expect_err("no binding");
            assert!(problems[0].message.starts_with(why), "{}", problems[0].message);
        }
    }
}
