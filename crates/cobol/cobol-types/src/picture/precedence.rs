//! The order of symbols in the picture of a number that is edited.

use super::{Money, PictureError, Symbol};

/// Symbols of which a picture has one kind: they say how leading zeros or the sign are shown.
const SIGNS: [char; 4] = ['+', '-', 'C', 'D'];

/// Looks for symbols that are out of place.
pub(super) fn check(symbols: &[Symbol], money: &Money) -> Result<(), PictureError> {
    let order = Order { symbols, money };
    order.signs()?;
    order.points()?;
    order.scaling()?;
    order.suppression()
}

/// Looks for P within the digits of a number that is not edited.
pub(super) fn check_plain(symbols: &[Symbol], money: &Money) -> Result<(), PictureError> {
    Order { symbols, money }.scaling()
}

struct Order<'a> {
    symbols: &'a [Symbol],
    money: &'a Money,
}

impl Order<'_> {
    fn count(&self, symbol: char) -> usize {
        self.symbols.iter().filter(|own| own.symbol == symbol).map(|own| own.count).sum()
    }

    /// The last symbol of some in front of a place.
    fn before(&self, at: usize, symbols: &[char]) -> Option<char> {
        self.symbols[..at].iter().rev().map(|own| own.symbol).find(|symbol| symbols.contains(symbol))
    }

    fn is_money(&self, symbol: char) -> bool {
        self.money.symbols.iter().any(|(own, _)| *own == symbol)
    }

    fn is_point(&self, symbol: char) -> bool {
        symbol == 'V' || symbol == if self.money.decimal_comma { ',' } else { '.' }
    }

    /// One kind of sign; CR and DB behind everything else.
    fn signs(&self) -> Result<(), PictureError> {
        let mut kinds = SIGNS.iter().filter(|sign| !self.is_money(**sign) && self.count(**sign) > 0);
        if let (Some(one), Some(other)) = (kinds.next(), kinds.next()) {
            return Err(PictureError::Together(*one, *other));
        }
        let ends = |own: &Symbol| matches!(own.symbol, 'C' | 'D') && !self.is_money(own.symbol);
        match self.symbols.iter().position(ends) {
            Some(at) if at + 1 < self.symbols.len() => {
                let symbol = self.symbols[at + 1].symbol;
                Err(PictureError::Order { symbol, behind: self.symbols[at].symbol })
            }
            _ => Ok(()),
        }
    }

    /// One decimal point.
    fn points(&self) -> Result<(), PictureError> {
        let mut points = self.symbols.iter().map(|own| own.symbol).filter(|symbol| self.is_point(*symbol));
        match (points.next(), points.next()) {
            (Some(one), Some(other)) if one != other => Err(PictureError::Together(one, other)),
            _ => Ok(()),
        }
    }

    /// P in front of all digits or behind them.
    fn scaling(&self) -> Result<(), PictureError> {
        let digit = |own: &Symbol| matches!(own.symbol, '9' | 'Z' | '*');
        let (first, last) = (self.symbols.iter().position(digit), self.symbols.iter().rposition(digit));
        let (Some(first), Some(last)) = (first, last) else { return Ok(()) };
        let within = self.symbols[first..=last].iter().any(|own| own.symbol == 'P');
        if within { Err(PictureError::Order { symbol: '9', behind: 'P' }) } else { Ok(()) }
    }

    /// One way to suppress zeros, in front of the digits that are always shown, and behind the point for all digits or for none.
    fn suppression(&self) -> Result<(), PictureError> {
        let floats = |own: &&Symbol| {
            (self.is_money(own.symbol) || matches!(own.symbol, '+' | '-')) && self.count(own.symbol) > 1
        };
        let suppresses = |own: &&Symbol| matches!(own.symbol, 'Z' | '*') || floats(own);
        let mut kinds: Vec<char> = self.symbols.iter().filter(suppresses).map(|own| own.symbol).collect();
        kinds.sort_unstable_by_key(|symbol| (!matches!(symbol, 'Z'), *symbol != '*', *symbol));
        kinds.dedup();
        let symbol = match kinds[..] {
            [] => return Ok(()),
            [symbol] => symbol,
            [one, other, ..] => return Err(PictureError::Together(one, other)),
        };
        let point = self.symbols.iter().position(|own| self.is_point(own.symbol));
        let nines = self.count('9') > 0;
        for (at, _) in self.symbols.iter().enumerate().filter(|(_, own)| own.symbol == symbol) {
            let behind_point = point.is_some_and(|point| at > point);
            if behind_point && nines {
                return Err(PictureError::BehindPoint(symbol));
            }
            if let Some(behind) = self.before(at, &['9']) {
                return Err(PictureError::Order { symbol, behind });
            }
        }
        Ok(())
    }
}
