//! SORT and MERGE.

use crate::parser::{Parsed, Parser};
use crate::tree::{Reference, Sort, StatementKind};
use crate::words::WordKind;

impl Parser<'_> {
    pub(super) fn sort(&mut self, merge: bool) -> Parsed<StatementKind> {
        let file = self.reference()?;
        let mut sort = Sort {
            merge,
            file,
            keys: Vec::new(),
            duplicates: false,
            collating: None,
            using: Vec::new(),
            giving: Vec::new(),
            input: None,
            output: None,
        };
        while self.sort_phrase(&mut sort)? {}
        Ok(StatementKind::Sort(Box::new(sort)))
    }

    fn sort_phrase(&mut self, sort: &mut Sort) -> Parsed<bool> {
        const HELP: &str = "INPUT PROCEDURE IS paragraph, OUTPUT PROCEDURE IS paragraph";
        self.skip_words(&["ON"]);
        if let Some(order) = self.eat_any(&["ASCENDING", "DESCENDING"]) {
            self.skip_words(&["KEY", "IS"]);
            let before = sort.keys.len();
            while self.starts_reference() {
                sort.keys.push((self.reference()?, order == "ASCENDING"));
            }
            // Without a name, the occurrences of the table themselves.
            if sort.keys.len() == before {
                sort.keys.push((sort.file.clone(), order == "ASCENDING"));
            }
        } else if self.is_phrase(&["WITH", "DUPLICATES"]) || self.is("DUPLICATES") {
            self.skip_words(&["WITH", "DUPLICATES", "IN", "ORDER"]);
            sort.duplicates = true;
        } else if self.is("COLLATING") || self.is("SEQUENCE") {
            self.skip_words(&["COLLATING", "SEQUENCE", "IS"]);
            sort.collating = Some(self.any_word("an alphabet name", "COLLATING SEQUENCE IS name")?);
        } else if self.eat("USING") {
            sort.using = self.file_names()?;
        } else if self.eat("GIVING") {
            sort.giving = self.file_names()?;
        } else if let Some(side) = self.eat_any(&["INPUT", "OUTPUT"]) {
            self.expect("PROCEDURE", HELP)?;
            self.eat("IS");
            let range = self.procedure_range()?;
            *(if side == "INPUT" { &mut sort.input } else { &mut sort.output }) = Some(range);
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn file_names(&mut self) -> Parsed<Vec<Reference>> {
        let mut files = vec![self.plain_reference("a file name")?];
        while self.is_kind(WordKind::Name) && !self.starts_header() {
            files.push(self.plain_reference("a file name")?);
        }
        Ok(files)
    }
}
