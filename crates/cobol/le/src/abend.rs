//! CEE3ABD: the meaning of its arguments.

/// User abend codes are below this; greater ones lose their upper digits.
const CODES: u32 = 4096;

/// A request to end abnormally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abend {
    /// The user abend code, 0 to 4095.
    pub code: u16,
    /// True if condition handling and exits run first; if false, it ends at once.
    pub clean_up: bool,
}

/// The arguments of CEE3ABD: the abend code, and 0 to end at once.
pub fn abend(code: i32, timing: i32) -> Abend {
    Abend { code: (code.unsigned_abs() % CODES) as u16, clean_up: timing != 0 }
}

impl Abend {
    /// The code as a transaction abend code: four digits.
    pub fn transaction_code(self) -> String {
        format!("{:04}", self.code)
    }
}
