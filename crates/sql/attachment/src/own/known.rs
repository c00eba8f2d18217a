//! Definitions of scripts, by which the statements of programs are checked without a server and without a region.

use db2::package::{Action, Package, Spot, Statement as Source, Using};
use db2_syntax::Catalogue;
use sql::codes::Scope;

use super::codes::Trouble;
use super::define::{self, Definition};
use super::plans;
use super::script::{Step, nothing, step};

/// The tables and views that scripts define.
pub struct Known {
    names: Catalogue,
    schemas: Vec<String>,
}

/// An objection to a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Objection {
    /// Its place: of a script the line, else the place of the statement in its program's source.
    pub spot: Spot,
    /// The SQLCODE that it will get.
    pub code: i32,
    /// The reason in words.
    pub message: String,
}

impl Known {
    /// Nothing yet. Names without a schema are looked for in these, at least one, and what is made is in the first.
    pub fn in_schemas(schemas: &[String]) -> Self {
        Self { names: Catalogue::of_schemas(schemas.iter().cloned()), schemas: schemas.to_vec() }
    }

    /// Adds what a script defines, as far as it can be read: the rest comes back.
    pub fn add_script(&mut self, text: &str) -> Vec<Objection> {
        let mistaken =
            |spot: Spot, mistake: db2::Mistake| Objection { spot, code: -104, message: mistake.message };
        let pieces = match db2::split(text) {
            Ok(pieces) => pieces,
            Err(mistake) => return vec![mistaken(mistake.spot, mistake)],
        };
        let mut objections = Vec::new();
        for piece in pieces {
            match step(&piece.letters) {
                Ok(Step::Run(words)) => {
                    objections
                        .extend(self.add(&words).err().and_then(|trouble| objection(piece.at, trouble)));
                }
                Ok(Step::Schema(schema)) => {
                    let schemas = schema.map_or_else(|| self.schemas.clone(), |schema| vec![schema]);
                    self.names = self.names.in_schemas(schemas);
                }
                Ok(Step::Nothing) => {}
                Err(mistake) => objections.push(mistaken(piece.at, mistake)),
            }
        }
        self.names = self.names.in_schemas(self.schemas.iter().cloned());
        objections
    }

    /// Adds what a statement of a script defines.
    fn add(&mut self, words: &str) -> Result<(), Trouble> {
        let source = nothing();
        let Some(definition) = define::read(words, &source, &self.names)? else {
            return plans::read(words, &source, db2::Arithmetic::default(), &self.names).map(drop);
        };
        match definition {
            Definition::Table(create) => drop(self.names.create_table(create)),
            Definition::Index(create) => drop(self.names.create_index(create)),
            Definition::Sequence(create) => self.names.add_sequence(&create.name, create.kind),
            Definition::DropSequence(named) => self.names.forget_sequence(&named.name),
            Definition::View(view) => drop(self.names.create_view(view)),
            Definition::DropTable(named) | Definition::DropView(named, _) => {
                let full = named.full(&self.names, |full| self.names.has(full))?;
                self.names.forget(&full);
            }
            Definition::Alter(table) => self.names.replace_table(table),
            Definition::DropIndex(_) | Definition::Truncate(_) | Definition::Nothing => {}
        }
        Ok(())
    }

    /// Objections to the static statements of a program.
    pub fn objections(&self, package: &Package) -> Vec<Objection> {
        let checked = |source: &Source| {
            let text = text_of(package, source)?;
            let read = plans::read(text, source, package.arithmetic, &self.names);
            let planned = read.and_then(|tree| plans::plan(tree, &self.names, false));
            planned.err().and_then(|trouble| objection(source.at, trouble))
        };
        package.statements.iter().filter_map(checked).collect()
    }
}

/// The words of a statement that names tables; `None`: it is another one.
fn text_of<'p>(package: &'p Package, source: &'p Source) -> Option<&'p str> {
    match &source.action {
        Action::Row | Action::Change(_) | Action::ChangeRows { .. } | Action::Positioned { .. } => {
            Some(&source.text)
        }
        Action::Open { cursor, using: Using::Nothing } => {
            let declared = package.cursor(*cursor)?;
            declared.prepared.is_none().then_some(declared.query.as_str())
        }
        _ => None,
    }
}

fn objection(spot: Spot, trouble: Trouble) -> Option<Objection> {
    let (sqlca, _) = trouble.seen(Scope::Unit).ok()?;
    Some(Objection { spot, code: sqlca.code, message: sqlca.message() })
}

#[cfg(test)]
mod tests {
    use db2::package::{Form, Text, Variable};

    use super::*;

    const SCRIPT: &str = "CREATE TABLESPACE TS IN DB;
CREATE TABLE ACCT (ID INTEGER NOT NULL PRIMARY KEY, OPENED DATE);
CREATE VIEW V AS SELECT ID FROM ACCT;
SET CURRENT SQLID = 'OTHER';
CREATE TABLE ONLY_THERE (ID INTEGER);
CREATE TABLE GONE (ID INTEGER);
DROP TABLE GONE;
INSERT INTO ACCT VALUES (1);
COMMIT;";

    #[test]
    fn statements_are_checked_by_scripts() {
        let mut known = Known::in_schemas(&["BANK".to_owned()]);
        let objections = known.add_script(SCRIPT);
        let seen: Vec<_> = objections.iter().map(|objection| (objection.spot.line, objection.code)).collect();
        assert_eq!(seen, [(8, -204)], "ACCT is in another schema");
        for (text, code) in [
            ("SELECT OPENED INTO :N FROM ACCT", None),
            ("SELECT ID INTO :N FROM V", None),
            ("SELECT ID INTO :N FROM OTHER.ONLY_THERE", None),
            ("SELECT ID INTO :N FROM ONLY_THERE", Some(-204)),
            ("SELECT ID INTO :N FROM OTHER.GONE", Some(-204)),
            ("SELECT OPEND INTO :N FROM ACCT", Some(-206)),
            ("SELECT ID INTO :N FROM ACCT WHERE OPENED = :N", Some(-401)),
            ("UPDATE ACCT SET OPENED = :N", Some(-408)),
        ] {
            let form = Form::Binary { bytes: 4, digits: 9, scale: 0, signed: true };
            let number =
                Variable { name: "N".into(), argument: 0, offset: 0, form, indicator: None, array: None };
            let statement = Source {
                action: Action::Row,
                sql: Text::default(),
                inputs: vec![number],
                at: Spot { source: 0, line: 7, column: 12, width: 6 },
                text: text.to_owned(),
                ..nothing()
            };
            let package = Package { statements: vec![statement], ..Package::default() };
            let found = known.objections(&package);
            assert_eq!(found.first().map(|objection| objection.code), code, "{text}: {found:?}");
        }
    }
}
