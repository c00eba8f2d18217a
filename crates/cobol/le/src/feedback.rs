//! Feedback: a service's report on its own success, as the bytes that programs compare.

/// A feedback token: severity, message number, flags, facility, instance information.
pub type Token = [u8; 12];

/// The token of a service that succeeded.
pub const SUCCESS: Token = [0; 12];

/// `CEE` in EBCDIC: the facility is compared as bytes, so it stays EBCDIC where programs run in ASCII.
const FACILITY: [u8; 3] = [0xC3, 0xC5, 0xC5];
/// Case 1 (a severity and a message number) in the two highest bits of the flags.
const CASE_1: u8 = 1 << 6;
/// In the three lowest bits: the facility's name was assigned, not made up.
const CONTROL: u8 = 1;

/// A condition other than success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The severity: 1 warning, 2 error that was mended, 3 the service was not performed.
    pub severity: u8,
    /// The message number.
    pub message: u16,
}

macro_rules! conditions {
    ($($(#[$doc:meta])* $name:ident = $severity:literal $message:literal $text:literal;)+) => {
        impl Feedback {
            $($(#[$doc])* pub const $name: Self = Self { severity: $severity, message: $message };)+

            /// The meaning of the condition, in one line.
            pub fn text(self) -> &'static str {
                match self.message {
                    $($message => $text,)+
                    _ => "unknown condition",
                }
            }
        }
    };
}

conditions! {
    /// CEEDATM, CEESECI: seconds out of range.
    SECONDS_RANGE = 3 2505 "the number of seconds is not within the supported range";
    /// The picture lacks the year, or month and day, or day of the year.
    INSUFFICIENT = 3 2507 "the picture does not ask for a whole date";
    /// The day does not exist in its month or year.
    DATE = 3 2508 "there is no such day in the month or year";
    /// The picture asks for an era; none is known here.
    ERA = 3 2509 "the era is not recognized";
    /// The hour is not 0 to 23, or 1 to 12 with AM or PM.
    HOUR = 3 2510 "the hour is not recognized";
    /// CEEISEC: the day does not exist in its month.
    DAY = 3 2511 "there is no such day in the month";
    /// CEEDATE, CEEDYWK: Lilian day out of range.
    LILIAN_RANGE = 3 2512 "the Lilian day is not within the supported range";
    /// Before 15 October 1582 or after 31 December 9999.
    DATE_RANGE = 3 2513 "the date is not within the supported range";
    /// CEEISEC: the year.
    YEAR = 3 2514 "the year is not within the supported range";
    /// CEEISEC: the milliseconds.
    MILLISECOND = 3 2515 "the milliseconds are not recognized";
    /// The minute is not 0 to 59.
    MINUTE = 3 2516 "the minute is not recognized";
    /// The month is not 1 to 12, or not the name of one.
    MONTH = 3 2517 "the month is not recognized";
    /// The picture is not one.
    PICTURE = 3 2518 "the picture is not valid";
    /// The second is not 0 to 59.
    SECOND = 3 2519 "the second is not recognized";
    /// CEEDAYS: other characters where a number should be.
    NOT_NUMERIC = 3 2520 "the date does not match the picture";
    /// The year within an era is zero.
    YEAR_ZERO = 3 2521 "the year within the era is zero";
    /// CEESECS: as [`Feedback::NOT_NUMERIC`].
    TIMESTAMP_NOT_NUMERIC = 3 2525 "the timestamp does not match the picture";
    /// CEEDATE: the text is longer than 80 characters.
    DATE_CUT = 2 2526 "the date was cut";
    /// CEEDATM: the text is longer than 80 characters.
    TIMESTAMP_CUT = 2 2527 "the timestamp was cut";
    /// CEESCEN: not 0 to 100.
    CENTURY = 3 2533 "the century window does not start 0 to 100 years ago";
}

impl Feedback {
    /// The bytes that programs compare: for severity 3 `X'0003'`, the message number, `X'59C3C5C5'`, and no instance
    /// information.
    pub const fn token(self) -> Token {
        let [high, low] = self.message.to_be_bytes();
        let flags = CASE_1 | self.severity << 3 | CONTROL;
        [0, self.severity, high, low, flags, FACILITY[0], FACILITY[1], FACILITY[2], 0, 0, 0, 0]
    }

    /// The symbolic name, as in `CEE2EB`: the message number in base 32.
    pub fn symbol(self) -> String {
        let digit = |shift: u16| {
            let value = u32::from(self.message >> shift & 0x1F);
            char::from_digit(value, 32).unwrap_or('0').to_ascii_uppercase()
        };
        [10, 5, 0].into_iter().fold("CEE".to_owned(), |symbol, shift| symbol + &digit(shift).to_string())
    }
}
