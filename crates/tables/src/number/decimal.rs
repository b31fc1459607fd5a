//! Whether a comma separates decimals or groups digits.

/// The mark before the decimals; the other one groups digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decimal {
    Point,
    Comma,
}

/// What the marks of some numbers show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shown {
    /// A number in which the point can only be decimal, or the comma only group: `2.15`, `1,234,567`.
    point: bool,
    /// The other way round: `2,15`, `1.234.567`.
    comma: bool,
    /// A number that is either: `14,334`.
    either: bool,
}

impl Shown {
    /// What the cells of a column show.
    pub(crate) fn of_cells<'a>(cells: impl Iterator<Item = &'a str>) -> Self {
        let mut shown = Self::default();
        for cell in cells {
            for digits in cell.split(|c: char| !is_digit_or_mark(c)) {
                shown.add(digits.trim_end_matches(['.', ',']));
            }
        }
        shown
    }

    /// Adds what one number shows.
    fn add(&mut self, digits: &str) {
        let marks: Vec<char> = digits.chars().filter(|c| matches!(c, '.' | ',')).collect();
        let Some(last) = marks.last() else { return };
        let behind = digits.len() - digits.rfind(*last).unwrap_or(0) - 1;
        let before = digits.find(*last).unwrap_or(0);
        let is_group = |group: &str| matches!(group.len(), 2 | 3);
        let are_groups = digits.split(*last).skip(1).all(is_group) && behind == 3;
        let is_group_like = behind == 3 && (1..=3).contains(&before) && !digits.starts_with('0');
        match (marks.len(), last) {
            (1, ',') if is_group_like => self.either = true,
            // A point is taken to be decimal unless its column says otherwise.
            (1, '.') if is_group_like => {}
            (1, '.') => self.point = true,
            (1, _) => self.comma = true,
            // The last of two different marks is the decimal one; several of one kind group.
            (_, last) if marks[0] == *last => {
                self.point |= *last == ',' && are_groups;
                self.comma |= *last == '.' && are_groups;
            }
            (_, last) => {
                self.point |= *last == '.';
                self.comma |= *last == ',';
            }
        }
    }

    pub(crate) const fn and(self, other: Self) -> Self {
        Self {
            point: self.point || other.point,
            comma: self.comma || other.comma,
            either: self.either || other.either,
        }
    }
}

impl Decimal {
    /// The decimal mark of a column, by its own numbers and then by the whole table's; `None` if a number of it may be
    /// read either way.
    pub(crate) const fn of_column(column: Shown, table: Shown) -> Option<Self> {
        match (column.point, column.comma) {
            (true, false) => Some(Self::Point),
            (false, true) => Some(Self::Comma),
            (true, true) => None,
            (false, false) if !column.either => Some(Self::Point),
            (false, false) => match (table.point, table.comma) {
                (true, false) => Some(Self::Point),
                (false, true) => Some(Self::Comma),
                (true, true) | (false, false) => None,
            },
        }
    }

    /// The decimal mark of a number alone.
    pub(super) fn of_number(digits: &str) -> Option<Self> {
        let mut shown = Shown::default();
        shown.add(digits);
        Self::of_column(shown, Shown::default())
    }
}

pub(super) const fn is_digit_or_mark(c: char) -> bool {
    matches!(c, '0'..='9' | '.' | ',' | '\'' | '_')
}
