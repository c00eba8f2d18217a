//! Times of day.

use super::text::Text;
use crate::unfit::Unfit;

/// Styles in which a time is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeStyle {
    /// `10.30.00`
    #[default]
    Iso,
    /// `10:30 AM`
    Usa,
    /// `10.30.00`
    Eur,
    /// `10:30:00`
    Jis,
}

/// A time of day, from 00.00.00 to 24.00.00.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u32);

impl Time {
    /// Seconds of a day.
    pub const DAY: u32 = 86_400;

    /// A time by its seconds since midnight; `None`: a day has fewer.
    pub fn from_seconds(seconds: u32) -> Option<Self> {
        (seconds <= Self::DAY).then_some(Self(seconds))
    }

    /// The time of a second of the day, counted round the clock.
    pub(super) fn of_second(second: u32) -> Self {
        Self(second % Self::DAY)
    }

    /// A time by its parts.
    ///
    /// # Errors
    /// -181: there is no such time.
    pub fn new(hour: u32, minute: u32, second: u32) -> Result<Self, Unfit> {
        let is_end = hour == 24 && minute == 0 && second == 0;
        if (hour > 23 && !is_end) || minute > 59 || second > 59 {
            return Err(Unfit::CALENDAR);
        }
        Ok(Self(hour * 3600 + minute * 60 + second))
    }

    /// Seconds since midnight.
    pub fn seconds(self) -> u32 {
        self.0
    }

    /// Its hour.
    pub fn hour(self) -> u32 {
        self.0 / 3600
    }

    /// Its minute.
    pub fn minute(self) -> u32 {
        self.0 / 60 % 60
    }

    /// Its second.
    pub fn second(self) -> u32 {
        self.0 % 60
    }

    /// Reads any of the four forms.
    ///
    /// # Errors
    /// -180: it is none. -181: there is no such time.
    pub fn parse(text: &[u8]) -> Result<Self, Unfit> {
        let mut text = Text(text.trim_ascii());
        let hour = text.number(2)?;
        let (mut minute, mut second) = (0, 0);
        let mark = text.peek();
        if let Some(mark @ (b':' | b'.')) = mark {
            text.next();
            minute = text.number(2)?;
            if text.peek() == Some(mark) {
                text.next();
                second = text.number(2)?;
            }
        }
        let rest = text.0.trim_ascii_start();
        let half = [b"AM", b"PM"].iter().position(|half| rest.eq_ignore_ascii_case(*half));
        let hour = match half {
            None if rest.is_empty() && mark.is_some() => hour,
            None => return Err(Unfit::DATETIME),
            Some(_) if mark == Some(b'.') => return Err(Unfit::DATETIME),
            // A day begins at 00:00 AM and ends at 12:00 AM.
            Some(0) if hour == 0 && minute == 0 => 0,
            Some(0) if hour == 12 && minute == 0 => 24,
            Some(half) if (1..=12).contains(&hour) => hour % 12 + 12 * half as u32,
            Some(_) => return Err(Unfit::CALENDAR),
        };
        Self::new(hour, minute, second)
    }

    /// As text.
    pub fn text(self, style: TimeStyle) -> String {
        let (hour, minute, second) = (self.hour(), self.minute(), self.second());
        match style {
            TimeStyle::Iso | TimeStyle::Eur => format!("{hour:02}.{minute:02}.{second:02}"),
            TimeStyle::Jis => format!("{hour:02}:{minute:02}:{second:02}"),
            TimeStyle::Usa => {
                let twelve = if hour % 12 == 0 && self.0 != 0 { 12 } else { hour % 12 };
                let half = if hour % 24 < 12 { "AM" } else { "PM" };
                format!("{twelve:02}:{minute:02} {half}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_all_forms() {
        let time = |text: &str| {
            Time::parse(text.as_bytes()).map(|time| time.text(TimeStyle::Jis)).map_err(|unfit| unfit.code)
        };
        for (text, expected) in [
            ("10.30.05", "10:30:05"),
            ("10:30:05", "10:30:05"),
            ("10.30", "10:30:00"),
            ("1:05 PM", "13:05:00"),
            ("12:00 AM", "24:00:00"),
            ("00:00 AM", "00:00:00"),
            ("12:30 pm", "12:30:00"),
            ("9 AM", "09:00:00"),
            ("24.00.00", "24:00:00"),
        ] {
            assert_eq!(time(text), Ok(expected.to_owned()), "{text}");
        }
        for text in ["", "10", "10.30:05", "10.30 AM", "x"] {
            assert_eq!(time(text), Err(-180), "{text}");
        }
        for text in ["24.00.01", "10.60.00", "13:00 PM"] {
            assert_eq!(time(text), Err(-181), "{text}");
        }
        let usa = |text: &[u8]| Time::parse(text).unwrap().text(TimeStyle::Usa);
        assert_eq!(
            [usa(b"00.00.00"), usa(b"00.30.00"), usa(b"12.00.00"), usa(b"23.59.00"), usa(b"24.00.00")],
            ["00:00 AM", "12:30 AM", "12:00 PM", "11:59 PM", "12:00 AM"]
        );
    }
}
