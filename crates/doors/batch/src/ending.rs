//! Ends of programs and steps, and the abends that end them.

/// The abend of a run-time error.
pub(crate) const RUNTIME_ABEND: &str = "U4038";
/// The abend of a program that has used up its time.
pub(crate) const TIME_ABEND: &str = "S322";
/// The abend of a CALL of a program that is not there.
pub(crate) const NO_PROGRAM_ABEND: &str = "S806";

/// Ends of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With this return code.
    Returned(i32),
    /// Abnormally: the completion code (`S0C7`, `U4038`) and what happened.
    Abend(String, String),
}

/// The end of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepEnd {
    /// With this return code.
    Code(i32),
    /// Abnormally: completion code and what happened.
    Abend(String, String),
    /// It was not run, because of a condition or of an abend before it.
    Bypassed,
    /// It was not run, for its data sets could not be had: the job ends.
    Failed,
}
