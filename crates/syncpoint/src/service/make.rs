//! One run of a tool: options and texts in, a binding and descriptions of it out.

use std::path::{Path, PathBuf};

use binding::file::{Origin, Text};
use binding::{BindingFile, Interface, Made, Operation, Parameters, Service, openapi, wsdl};
use diagnostics::{Diagnostic, Source, any_error};

use crate::application::{Messages, read, write};
use crate::{codes, terminal};

/// What behind a member's name may stand in a library.
const SUFFIXES: [&str; 5] = ["", ".cpy", ".cbl", ".cob", ".CPY"];
/// Where a service is whose URI does not say it.
const ANYWHERE: &str = "http://localhost";

/// What a tool is to do.
pub(super) struct Work<'a> {
    /// What the service is made from.
    pub(super) origin: Origin,
    /// One a line.
    pub(super) options: String,
    /// The folder of copybooks.
    pub(super) library: &'a Path,
    /// The folder of all other files, where only the last names of paths count.
    pub(super) files: Option<&'a Path>,
}

impl Work<'_> {
    /// Makes the service, writes its files, and says what was made.
    pub(super) fn carry_out(&self) -> Result<(), Messages> {
        let (parameters, messages) = Parameters::read(&Source::new("options", self.options.clone()));
        if any_error(&messages) {
            return Err(messages);
        }
        let (description, answer) = self.texts(&parameters)?;
        let file = BindingFile::new(self.origin, self.options.clone(), description, answer);
        let made = file.make()?;
        terminal::tell(&made.messages);
        let mut written = self.copybooks(&made, &parameters)?;
        for (option, name) in &parameters.files {
            let Some(text) = self.output(option, &file, &made.service) else { continue };
            let path = self.path(name);
            write(&path, &text)?;
            written.push(path);
        }
        print!("{}", told(&made.service));
        for path in written {
            println!("  {} written", path.display());
        }
        Ok(())
    }

    /// The description, or the document, and the description of the answer.
    fn texts(&self, parameters: &Parameters) -> Result<(Text, Option<Text>), Messages> {
        let document = |option: &str| {
            let (_, name) = parameters.files.iter().find(|(known, _)| known == option).ok_or_else(|| {
                missing(&format!("{option} names no document"), &format!("give {option}=FILE"))
            })?;
            let path = self.path(name);
            Ok((Text { name: name.clone(), text: read(&path)? }, None))
        };
        match self.origin {
            Origin::Wsdl => document("WSDL"),
            Origin::Openapi => document("OPENAPI"),
            Origin::Copybook => {
                if parameters.request_member.is_empty() {
                    return Err(missing("REQMEM names no copybook", "give REQMEM=MEMBER"));
                }
                let request = self.member(&parameters.request_member)?;
                let answer = match parameters.response_member.as_str() {
                    "" => None,
                    member => Some(self.member(member)?),
                };
                Ok((request, answer))
            }
        }
    }

    /// A member of the library.
    fn member(&self, name: &str) -> Result<Text, Messages> {
        let found = SUFFIXES.iter().map(|suffix| self.library.join(format!("{name}{suffix}")));
        let Some(path) = found.into_iter().find(|path| path.is_file()) else {
            let problem = format!("{} has no copybook {name}", self.library.display());
            return Err(missing(&problem, "name the folder of copybooks by --library"));
        };
        Ok(Text {
            name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            text: read(&path)?,
        })
    }

    /// Writes the copybooks of a document: REQMEM and RESPMEM with the number of the operation behind them.
    fn copybooks(&self, made: &Made, parameters: &Parameters) -> Result<Vec<PathBuf>, Messages> {
        let mut written = Vec::new();
        for (at, operation) in made.service.operations.iter().enumerate() {
            for (what, option, member) in [
                ("request", "REQMEM", &parameters.request_member),
                ("response", "RESPMEM", &parameters.response_member),
            ] {
                let name = format!("{} {what}", operation.name);
                let Some((_, text)) = made.copybooks.iter().find(|(known, _)| *known == name) else {
                    continue;
                };
                if member.is_empty() {
                    let problem = format!("{option} does not say how the copybook of each {what} is called");
                    return Err(missing(&problem, &format!("give {option}=NAME of up to 6 characters")));
                }
                let path = self.library.join(format!("{member}{:02}.cpy", at + 1));
                write(&path, text)?;
                written.push(path);
            }
        }
        Ok(written)
    }

    /// What stands in the file that an option names; nothing for one that was read.
    fn output(&self, option: &str, file: &BindingFile, service: &Service) -> Option<String> {
        let schema = |of: fn(&Operation) -> &Option<mapping::Mapping>| {
            service.operations.first().and_then(|operation| of(operation).as_ref()).map(openapi::schema)
        };
        match option {
            "WSBIND" => Some(file.write()),
            "WSDL" if self.origin != Origin::Wsdl => Some(wsdl::write(service, &address(service))),
            "OPENAPI" if self.origin != Origin::Openapi => Some(openapi::write(service, &service.uri, false)),
            "JSON-SCHEMA-REQUEST" => schema(|operation| &operation.request),
            "JSON-SCHEMA-RESPONSE" => schema(|operation| &operation.response),
            _ => None,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        match self.files {
            Some(folder) => folder.join(Path::new(name).file_name().unwrap_or_default()),
            None => PathBuf::from(name),
        }
    }
}

/// Where a service is.
fn address(service: &Service) -> String {
    match service.uri.contains("://") {
        true => service.uri.clone(),
        false => format!("{ANYWHERE}{}", service.uri),
    }
}

/// A service in a few lines.
fn told(service: &Service) -> String {
    let program = match (service.program.as_str(), &service.interface) {
        ("", _) => "a service of others".to_owned(),
        (program, Interface::Commarea) => format!("program {program} by its COMMAREA"),
        (program, Interface::Channel(container)) => format!("program {program} by container {container}"),
    };
    let mut text = format!("{}: {program}", service.name);
    if !service.uri.is_empty() {
        text += &format!(", at {}", service.uri);
    }
    text.push('\n');
    let bytes = |mapping: &Option<mapping::Mapping>| match mapping {
        Some(mapping) => terminal::counted(mapping.length(), "byte"),
        None => "nothing".to_owned(),
    };
    for operation in &service.operations {
        let (request, response) = (bytes(&operation.request), bytes(&operation.response));
        text += &format!("  {}: {request} in, {response} out\n", operation.name);
    }
    text
}

fn missing(problem: &str, help: &str) -> Messages {
    vec![Diagnostic::error(codes::NO_SERVICE, problem).help(help)]
}
