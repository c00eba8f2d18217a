//! A file of measured costs, as `bench clones` writes it: a line for each, `cpu-us = 108.3`.

/// Measured costs in their units; `None`: not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measured {
    /// Microseconds of processor time of a transaction in one region, without the Validation Log and with it.
    pub cpu_us: Option<f64>,
    /// The same with the Validation Log.
    pub cpu_logged_us: Option<f64>,
    /// Microseconds of an exchange with the HSM.
    pub hsm_us: Option<f64>,
    /// Microseconds of a force of the system log.
    pub force_us: Option<f64>,
    /// Processor time of regions that share records, beside that of one region, without the Validation Log.
    pub sharing: Option<f64>,
    /// The same with the Validation Log.
    pub sharing_logged: Option<f64>,
}

/// A line that is no cost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is no cost such as `cpu-us = 108.3`: {text}")]
pub struct NoCost {
    /// The line's number, from 1.
    pub line: usize,
    /// Its text.
    pub text: String,
}

impl Measured {
    /// Reads a file. Empty lines and those that begin with # say nothing.
    ///
    /// # Errors
    /// The first line that is no cost.
    pub fn read(text: &str) -> Result<Self, NoCost> {
        let mut measured = Self::default();
        for (number, line) in (1..).zip(text.lines().map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            measured.take(line).ok_or_else(|| NoCost { line: number, text: line.to_owned() })?;
        }
        Ok(measured)
    }

    fn take(&mut self, line: &str) -> Option<()> {
        let (name, figure) = line.split_once('=')?;
        let figure = figure.trim().parse().ok().filter(|figure: &f64| figure.is_finite() && *figure > 0.0)?;
        let cost = match name.trim() {
            "cpu-us" => &mut self.cpu_us,
            "cpu-logged-us" => &mut self.cpu_logged_us,
            "hsm-us" => &mut self.hsm_us,
            "force-us" => &mut self.force_us,
            "sharing" => &mut self.sharing,
            "sharing-logged" => &mut self.sharing_logged,
            _ => return None,
        };
        // A cost has one figure.
        cost.replace(figure).is_none().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_line_for_each_cost() {
        let measured = Measured::read("# by bench clones\ncpu-us = 108.3\n\nsharing=1.21\n").expect("costs");
        assert_eq!(measured, Measured { cpu_us: Some(108.3), sharing: Some(1.21), ..Measured::default() });
        for wrong in
            ["cpu", "cpu-us = x", "cpu-us = 0", "cpu-us = inf", "speed = 1", "hsm-us = 1\nhsm-us = 2"]
        {
            let told = Measured::read(wrong).expect_err(wrong);
            assert_eq!(told.line, wrong.lines().count(), "{wrong}");
        }
    }
}
