//! PROGRAM definitions.

use std::sync::atomic::Ordering;

use csd::{Definition, ResourceType};
use spec::{cmd, cond};

use kernel::catalog;
use kernel::name::{Name, Name8};
use kernel::programs::{Concurrency, JavaProgram, Program, Programs, RemoteProgram};
use kernel::raise::{Outcome, RaiseCondition};
use kernel::region::Region;
use kernel::registry::{Defined, Status, remote_system};

/// The rules for a PROGRAM definition.
pub(in crate::system) static DEFINED: Defined = Defined {
    resource: ResourceType::Program,
    create: cmd::CREATE_PROGRAM,
    discard: cmd::DISCARD_PROGRAM,
    reads: &[
        "CONCURRENCY",
        "DATALOCATION",
        "DYNAMIC",
        "JVM",
        "JVMCLASS",
        "JVMSERVER",
        "REMOTENAME",
        "REMOTESYSTEM",
        "STATUS",
        "TRANSID",
    ],
    without_effect: &[("JVMPROFILE", "the profile is that of the program's JVMSERVER")],
    elsewhere: Some("LINK raises SYSIDERR"),
    needs: &[],
    refuses: |definition| match definition.get("REMOTESYSTEM") {
        None if definition.flag("JVM") => java(definition).map(drop),
        _ => Ok(()),
    },
    install: |region, definition| {
        Programs::of(region).install(program(region, definition)?);
        Ok(())
    },
    may_replace: |region, name| match Programs::of(region).get(Name8::new(name)) {
        None => Ok(()),
        Some(_) => may_discard(region, name),
    },
    may_discard,
    remove: |region, name| Programs::of(region).discard(Name8::new(name)),
    status: Some(Status {
        letter: b'P',
        all: |region| {
            let on = |program: &Program| vec![u8::from(program.enabled.load(Ordering::Relaxed))];
            Programs::of(region).list().iter().map(|p| (p.name.as_bytes().to_vec(), on(p))).collect()
        },
        set: |region, name, status| {
            let on = status.first().is_some_and(|byte| *byte != 0);
            let programs = Programs::of(region);
            let program = programs.get(Name8::new(name))?;
            programs.enable(&program, on);
            Some(())
        },
    }),
};

/// RESP2 of DISCARD PROGRAM.
mod resp2 {
    /// PGMIDERR: no program has that name.
    pub const NOT_FOUND: i32 = 7;
    /// INVREQ: the program is the product's.
    pub const SUPPLIED: i32 = 1;
    /// INVREQ: a task runs it.
    pub const IN_USE: i32 = 11;
}

fn may_discard(region: &Region, name: &[u8]) -> Outcome {
    let name = Name8::new(name);
    let found = Programs::of(region).get(name).ok_or_else(|| cond::PGMIDERR.raise(resp2::NOT_FOUND))?;
    if found.is_supplied() || name.as_bytes().starts_with(b"DFH") {
        return Err(cond::INVREQ.raise(resp2::SUPPLIED));
    }
    if found.running() > 0 { Err(cond::INVREQ.raise(resp2::IN_USE)) } else { Ok(()) }
}

/// Beginnings of JVMCLASS of JVM servers of other kinds.
const OTHER_CLASSES: [(&str, &str); 1] = [("wlp:", "LINKs to Liberty")];

/// The class and the server of a program with JVM(YES).
fn java(definition: &Definition) -> Result<JavaProgram, String> {
    let needed = |attribute: &str| {
        let value = definition.get(attribute).filter(|value| !value.is_empty());
        value.ok_or_else(|| format!("PROGRAM {} has JVM(YES) and needs {attribute}", definition.name))
    };
    let (class, server) = (needed("JVMCLASS")?, needed("JVMSERVER")?);
    if let Some((begin, what)) = OTHER_CLASSES.iter().find(|(begin, _)| class.starts_with(begin)) {
        return Err(format!(
            "JVMCLASS({class}) of PROGRAM {}: {what} ({begin}) are not built",
            definition.name
        ));
    }
    Ok(JavaProgram { class: class.to_owned(), server: Name8::from(server) })
}

fn program(region: &Region, definition: &Definition) -> Result<Program, String> {
    let concurrency = match definition.get("CONCURRENCY") {
        Some("REQUIRED") => Concurrency::Required,
        Some("THREADSAFE") if !region.options.force_qr => Concurrency::Threadsafe,
        _ => Concurrency::Quasirent,
    };
    let name = Name8::from(definition.name.as_str());
    let is_java = definition.flag("JVM") && remote_system(region, definition).is_none();
    let mut program = match is_java {
        true => catalog::java_program(name, java(definition)?)
            .ok_or_else(|| "no Java programs run here".to_owned())?,
        false => Program::new(name, concurrency),
    };
    program.concurrency = concurrency;
    program.data_below = definition.is("DATALOCATION", "BELOW");
    program.enabled = (!definition.is("STATUS", "DISABLED")).into();
    program.remote = remote_system(region, definition).map(|system| RemoteProgram {
        system,
        name: Name8::from(definition.get("REMOTENAME").unwrap_or(&definition.name)),
    });
    program.dynamic = definition.flag("DYNAMIC");
    program.transaction = definition.get("TRANSID").filter(|name| !name.is_empty()).map(Name::from);
    Ok(program)
}
