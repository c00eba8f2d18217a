//! Which steps run: COND of the job and of steps, IF, and abends before.

use jcl::stream::{End, Job, Past, Step};

/// The steps that are over, and what IF statements came to.
pub(super) struct Conditions<'a> {
    job: &'a Job,
    pub past: Vec<Past>,
    /// Each expression, as soon as a step asked for it.
    known: Vec<Option<bool>>,
}

impl<'a> Conditions<'a> {
    pub fn new(job: &'a Job) -> Self {
        Self { job, past: Vec::new(), known: vec![None; job.expressions.len()] }
    }

    /// Returns true if the next step is run.
    pub fn runs(&mut self, step: &Step) -> bool {
        // An expression counts as it was when the job came to it.
        let mut looks_at_abends = false;
        for (at, wanted) in &step.guards {
            let expression = &self.job.expressions[*at];
            let known = &mut self.known[*at];
            let holds = *known.get_or_insert_with(|| expression.holds(&self.past, &step.name));
            if holds != *wanted {
                return false;
            }
            looks_at_abends |= expression.looks_at_abends();
        }
        if self.job.tests.iter().any(|test| test.bypasses(&self.past, "")) {
            return false;
        }
        let abended = self.past.iter().any(|past| matches!(past.end, End::Abend(_)));
        let cond = &step.cond;
        if cond.only && !abended || abended && !cond.only && !cond.even && !looks_at_abends {
            return false;
        }
        !cond.tests.iter().any(|test| test.bypasses(&self.past, &step.name))
    }
}

#[cfg(test)]
mod tests {
    use diagnostics::Source;
    use jcl::stream::{Symbols, jobs};

    use super::*;

    /// Returns true if the last step of a job is run after steps A and B.
    fn runs(job: &str, a: End, b: End) -> bool {
        let text = format!("//J JOB {job}\n//A EXEC PGM=P\n//B EXEC PGM=P\n{}", "//C EXEC PGM=P");
        last(&text, a, b)
    }

    fn last(text: &str, a: End, b: End) -> bool {
        let read = jobs(&Source::new("job", text), &Symbols::new(), &mut |_, _| None);
        assert_eq!(read.messages, [], "{text}");
        let mut conditions = Conditions::new(&read.jobs[0]);
        for (name, end) in [("A", a), ("B", b)] {
            conditions.past.push(Past { step: name.into(), procedure_step: None, end });
        }
        conditions.runs(read.jobs[0].steps.last().expect("a step"))
    }

    #[test]
    fn conditions_keep_steps_from_being_run() {
        let before = "//J JOB\n//A EXEC PGM=P\n//B EXEC PGM=P\n";
        let code = End::Code;
        let abend = || End::Abend("S0C7".into());
        for (step, a, b, expected) in [
            ("//C EXEC PGM=P", code(4), code(0), true),
            ("//C EXEC PGM=P,COND=(0,LT)", code(4), code(0), false),
            ("//C EXEC PGM=P,COND=(4,LT)", code(4), code(0), true),
            ("//C EXEC PGM=P,COND=(4,EQ,B)", code(4), code(0), true),
            ("//C EXEC PGM=P,COND=((4,LT),(0,EQ,B))", code(4), code(0), false),
            ("//C EXEC PGM=P", abend(), End::Bypassed, false),
            ("//C EXEC PGM=P,COND=EVEN", abend(), End::Bypassed, true),
            ("//C EXEC PGM=P,COND=((0,NE,B),EVEN)", abend(), code(8), false),
            ("//C EXEC PGM=P,COND=ONLY", abend(), End::Bypassed, true),
            ("//C EXEC PGM=P,COND=ONLY", code(4), code(0), false),
            ("// IF A.RC = 4 THEN\n//C EXEC PGM=P", code(4), code(0), true),
            ("// IF A.RC = 4 THEN\n// ELSE\n//C EXEC PGM=P", code(4), code(0), false),
            ("// IF ABEND THEN\n//C EXEC PGM=P", abend(), End::Bypassed, true),
            ("// IF RC = 0 THEN\n//C EXEC PGM=P", abend(), End::Bypassed, false),
        ] {
            let end = if step.contains(" IF ") { "\n// ENDIF" } else { "" };
            assert_eq!(last(&format!("{before}{step}{end}"), a, b), expected, "{step}");
        }
        for (job, a, expected) in [("COND=(4,LT)", 8, false), ("COND=(4,LT)", 4, true), ("", 8, true)] {
            assert_eq!(runs(job, code(a), code(0)), expected, "{job}");
        }
    }
}
