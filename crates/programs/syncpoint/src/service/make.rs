//! One run of a tool: options and texts in, a binding and descriptions of it out.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use binding::file::{Origin, Text};
use binding::limits::IMPORTS_MAX;
use binding::{BindingFile, Interface, Made, Operation, Parameters, Service, imports, openapi, wsdl};
use command_line::terminal;
use diagnostics::{Diagnostic, Source, any_error};

use crate::application::{Messages, read, write};
use crate::codes;

/// The endings that a member's name may have in a library.
const SUFFIXES: [&str; 4] = ["", ".cpy", ".cbl", ".cob"];
/// The server of a service whose URI names none.
const ANYWHERE: &str = "http://localhost";

/// The work of a tool.
pub(super) struct Work<'a> {
    /// The origin of the service.
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
        let imported = self.imports(&description)?;
        let file =
            BindingFile::new(self.origin, self.options.clone(), description, answer).with_imports(imported);
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
        let named = |options: &[&str]| {
            options.iter().find_map(|option| parameters.files.iter().find(|(known, _)| known == option))
        };
        let text =
            |name: &String| Ok::<_, Messages>(Text { name: name.clone(), text: read(&self.path(name))? });
        let document = |options: &[&str]| {
            let option = options[0];
            let (_, name) = named(options).ok_or_else(|| {
                missing(&format!("{option} names no document"), &format!("give {option}=FILE"))
            })?;
            Ok((text(name)?, None))
        };
        match self.origin {
            Origin::Wsdl => document(&["WSDL", "WSDL_1.1"]),
            Origin::Openapi => document(&["OPENAPI"]),
            Origin::Schema => document(&["SCHEMA"]),
            Origin::JsonSchema => {
                let requests = ["JSON-SCHEMA-REQUEST", "JSON-SCHEMA-RESTFUL", "JSON-SCHEMA"];
                let (request, _) = document(&requests)?;
                let answer = named(&["JSON-SCHEMA-RESPONSE", "JSON-SCHEMA-RESTFUL"]);
                Ok((request, answer.map(|(_, name)| text(name)).transpose()?))
            }
            Origin::Record => match parameters.member.as_str() {
                "" => Err(missing("PDSMEM names no copybook", "give PDSMEM=MEMBER")),
                member => Ok((self.member(member)?, None)),
            },
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

    /// The documents that a description imports, and those that they do: each stands where its importer says, from where
    /// that stands itself.
    fn imports(&self, description: &Text) -> Result<Vec<Text>, Messages> {
        if !matches!(self.origin, Origin::Wsdl | Origin::Schema) {
            return Ok(Vec::new());
        }
        let first = self.path(&description.name);
        let (mut seen, mut found) = (HashSet::from([known(&first)]), Vec::new());
        let mut open = vec![(first, description.clone())];
        while let Some((path, text)) = open.pop() {
            for location in imports(&Source::new(text.name, text.text))? {
                let place = path.with_file_name("").join(location.trim_start_matches("file://"));
                if location.contains("://") && !location.starts_with("file://") {
                    // Its namespace may be one whose schema is not needed; a message names a schema that is needed and
                    // missing.
                    continue;
                }
                if !seen.insert(known(&place)) {
                    continue;
                }
                if seen.len() > IMPORTS_MAX {
                    let problem = format!("{} imports more than {IMPORTS_MAX} documents", description.name);
                    return Err(missing(&problem, "bind a part of the service"));
                }
                let text = Text { name: location, text: read(&place)? };
                found.push(text.clone());
                open.push((place, text));
            }
        }
        Ok(found)
    }

    /// A member of the library.
    fn member(&self, name: &str) -> Result<Text, Messages> {
        let Some(path) = found(self.library, name) else {
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
        if self.origin == Origin::Schema {
            return self.records(made, parameters);
        }
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

    /// Writes the records of a schema's elements: PDSMEM, or REQMEM, with the number of the element behind it.
    fn records(&self, made: &Made, parameters: &Parameters) -> Result<Vec<PathBuf>, Messages> {
        let members = [&parameters.member, &parameters.request_member];
        let Some(member) = members.into_iter().find(|member| !member.is_empty()) else {
            let problem = "PDSMEM does not say how the copybook of each element is called";
            return Err(missing(problem, "give PDSMEM=NAME of up to 6 characters"));
        };
        let mut written = Vec::new();
        for (at, (_, text)) in made.copybooks.iter().enumerate() {
            let path = self.library.join(format!("{member}{:02}.cpy", at + 1));
            write(&path, text)?;
            written.push(path);
        }
        Ok(written)
    }

    /// Returns the text of the file that an option names; `None` for a file that was read.
    fn output(&self, option: &str, file: &BindingFile, service: &Service) -> Option<String> {
        let schema = |of: fn(&Operation) -> &Option<mapping::Mapping>| {
            service.operations.first().and_then(|operation| of(operation).as_ref()).map(openapi::schema)
        };
        match option {
            "WSBIND" | "XSDBIND" => Some(file.write()),
            "WSDL" | "WSDL_1.1" if self.origin != Origin::Wsdl => {
                Some(wsdl::write(service, &address(service)))
            }
            "SCHEMA" if self.origin != Origin::Schema => Some(wsdl::schema(service)),
            _ if self.origin == Origin::JsonSchema && option.starts_with("JSON-SCHEMA") => None,
            "JSON-SCHEMA" | "JSON-SCHEMA-RESTFUL" => schema(|operation| &operation.request),
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

/// The file of a member: its name counts in small and capital letters alike, as for COPY. One that is written exactly so comes
/// first, then the alphabetical order.
fn found(library: &Path, name: &str) -> Option<PathBuf> {
    let exactly = |suffix: &str| library.join(format!("{name}{suffix}"));
    if let Some(path) = SUFFIXES.iter().map(|suffix| exactly(suffix)).find(|path| path.is_file()) {
        return Some(path);
    }
    let mut files: Vec<_> = std::fs::read_dir(library).into_iter().flatten().flatten().collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    let is_it = |file: &std::fs::DirEntry, suffix: &str| {
        file.file_name().eq_ignore_ascii_case(format!("{name}{suffix}")) && file.path().is_file()
    };
    SUFFIXES.iter().find_map(|suffix| files.iter().find(|file| is_it(file, suffix))).map(|file| file.path())
}

/// A path by which a document is known, however it was reached.
fn known(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Returns the address of a service.
fn address(service: &Service) -> String {
    match service.uri.contains("://") {
        true => service.uri.clone(),
        false => format!("{ANYWHERE}{}", service.uri),
    }
}

/// A service in a few lines.
fn told(service: &Service) -> String {
    let program = match (service.program.as_str(), &service.interface) {
        ("", _) if service.uri.is_empty() => "a transformer".to_owned(),
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
