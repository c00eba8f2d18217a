//! VERIFY and EXAMINE: whether data sets are what they say.

use idcams::{Examine, Verify};
use vsam::{Name, Tests};

use super::{Carried, DONE, FAILED, Refusal, Run, Target, tell};
use crate::codes;

/// Problems that get a line each; of more, only their number.
pub(super) const PROBLEMS_TOLD: usize = 20;

impl Run<'_> {
    /// Nothing here can be left half closed; VERIFY says whether the records can be read.
    pub(super) async fn verify(&mut self, command: &Verify) -> Carried {
        match self.target(&command.file, None).await? {
            Target::DataSet(name) => self.test(&name, Tests { index: false, data: true }).await,
            Target::File(_) => Err(Refusal::Other(codes::CATALOGUE, "only clusters can be verified".into())),
        }
    }

    pub(super) async fn examine(&mut self, command: &Examine) -> Carried {
        let name: Name = command.name.text.parse()?;
        let mut code = DONE;
        if command.index {
            self.say(codes::INDEX_TEST, "index test begins");
            code = self.test(&name, Tests { index: true, data: false }).await?;
            if code == DONE {
                self.say(codes::INDEX_SOUND, "index test ended, no errors");
            }
        }
        if command.data {
            self.say(codes::DATA_TEST, "data test begins");
            let data = self.test(&name, Tests { index: false, data: true }).await?;
            if data == DONE {
                self.say(codes::DATA_SOUND, "data test ended, no errors");
            }
            code = code.max(data);
        }
        Ok(code)
    }

    async fn test(&mut self, name: &Name, tests: Tests) -> Carried {
        let progress = &mut self.progress;
        let mut told = |count| tell(progress, "records examined", count);
        let found = self.site.vsam.examine(name, tests, &mut told).await?;
        for problem in found.problems.iter().take(PROBLEMS_TOLD) {
            self.say(codes::UNSOUND, problem);
        }
        if found.problems.len() > PROBLEMS_TOLD {
            self.say(codes::UNSOUND, format_args!("{} errors in all", found.problems.len()));
        }
        if tests.data {
            self.say(codes::DATA_RECORDS, format_args!("records: {}", found.records));
            self.say(codes::DATA_LONGEST, format_args!("longest record: {} bytes", found.longest));
        }
        Ok(if found.problems.is_empty() { DONE } else { FAILED })
    }
}
