//! `syncpoint service`: bindings of web services, made and tried.

mod job;
mod make;
mod try_out;

use std::path::PathBuf;

use binding::file::Origin;
use clap::{Args, Subcommand};

use crate::application::{Messages, read};
use crate::idcams::standard_input;

/// The commands of `syncpoint service`.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Bind a program to a service by the copybook of its records: REQMEM, RESPMEM
    #[command(name = "from-copybook", after_help = OPTIONS)]
    Copybook(Tool),
    /// Bind a program to the service of a WSDL 1.1 document (WSDL), and write its copybooks
    #[command(name = "from-wsdl", after_help = OPTIONS)]
    Wsdl(Tool),
    /// Bind a program to the service of an OpenAPI 3 document in JSON or YAML (OPENAPI), and write its copybooks
    #[command(name = "from-openapi", after_help = OPTIONS)]
    Openapi(Tool),
    /// Bind a program by JSON Schemas (JSON-SCHEMA-REQUEST, JSON-SCHEMA-RESPONSE), and write its copybooks
    #[command(name = "from-json-schema", after_help = OPTIONS)]
    JsonSchema(Tool),
    /// Make a transformer of an XML schema (SCHEMA, ELEMENTS), and write copybooks (PDSMEM)
    #[command(name = "from-schema", after_help = OPTIONS)]
    Schema(Tool),
    /// Make a transformer of one record (PDSMEM), and write its SCHEMA or JSON-SCHEMA
    #[command(name = "from-record", after_help = OPTIONS)]
    Record(Tool),
    /// Carry out the steps of a job that run the published tools: DFHLS2WS, DFHWS2LS, DFHLS2JS, DFHJS2LS, DFHLS2SC, DFHSC2LS
    #[command(name = "from-jcl")]
    Job {
        /// The job
        #[arg(value_name = "FILE")]
        job: PathBuf,
        /// The folder of copybooks, read and written
        #[arg(long, value_name = "DIR", default_value = ".")]
        library: PathBuf,
        /// The folder of all other files; of the job's paths, only the last names count
        #[arg(long, value_name = "DIR", default_value = ".")]
        files: PathBuf,
    },
    /// Call a service of a region that runs, without HTTP, and print its reply
    Try(try_out::Try),
}

const OPTIONS: &str = "\
Options are those of the published tools: PGMNAME=ORDERS PGMINT=COMMAREA REQMEM=ORDIN RESPMEM=ORDOUT URI=/orders.
Files are written where options name them: WSBIND=orders.wsbind (the binding), WSDL=orders.wsdl, OPENAPI=orders.json,
JSON-SCHEMA-REQUEST=in.json, JSON-SCHEMA-RESPONSE=out.json. Without WSBIND everything is checked and nothing bound.

Example:
  syncpoint service from-copybook PGMNAME=ORDERS REQMEM=ORDER URI=/orders WSBIND=orders.wsbind OPENAPI=orders.json";

/// One run of a tool.
#[derive(Args)]
pub(crate) struct Tool {
    /// Options of the published tools
    #[arg(value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// A file with more options, one a line, as jobs have them; - is standard input
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// The folder of copybooks, read and written
    #[arg(long, value_name = "DIR", default_value = ".")]
    library: PathBuf,
}

/// Carries a command out.
pub(crate) fn service(command: &Command) -> Result<(), Messages> {
    let (origin, tool) = match command {
        Command::Copybook(tool) => (Origin::Copybook, tool),
        Command::Wsdl(tool) => (Origin::Wsdl, tool),
        Command::Openapi(tool) => (Origin::Openapi, tool),
        Command::JsonSchema(tool) => (Origin::JsonSchema, tool),
        Command::Schema(tool) => (Origin::Schema, tool),
        Command::Record(tool) => (Origin::Record, tool),
        Command::Try(arguments) => return try_out::try_out(arguments),
        Command::Job { job, library, files } => return job::carry_out(job, library, files),
    };
    let mut options = match &tool.input {
        Some(path) if path.as_os_str() == "-" => standard_input()?,
        Some(path) => read(path)? + "\n",
        None => String::new(),
    };
    tool.options.iter().for_each(|option| options += &format!("{option}\n"));
    make::Work { origin, options, library: &tool.library, files: None }.carry_out()
}
