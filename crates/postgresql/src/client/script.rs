//! What the scripts consist of: pgbench's built-in ones (its source, `builtin_script`), and those of Syncline.

use model::table_scan::Range;
use model::{Access, Action, Script, TableScan, Transaction};
use std::borrow::Cow;
use std::fmt::{self, Write};

/// Names of prepared statements, by their place in the script.
pub(super) const NAMES: &[&str] = &["s0", "s1", "s2", "s3", "s4", "s5", "s6"];

/// One statement, with its parameters as `$1`, `$2` ….
#[derive(Clone, Debug)]
pub(super) struct Statement {
    pub(super) text: &'static str,
    pub(super) parameters: &'static [Field],
}

/// The part of a transaction that a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Account,
    Teller,
    Branch,
    Delta,
    /// The first row of the page where a range begins, and of the one before which it ends.
    FromPage,
    ToPage,
    /// The key or the hash where a range begins, and the one before which it ends.
    From,
    To,
}

/// Object identifiers of types (`pg_type.dat`).
const INT4: u32 = 23;
const TID: u32 = 27;

impl Field {
    /// The object identifier of its type.
    pub(super) const fn data_type(self) -> u32 {
        match self {
            Self::Account | Self::Teller | Self::Branch | Self::Delta | Self::From | Self::To => INT4,
            Self::FromPage | Self::ToPage => TID,
        }
    }

    /// Whether it is the address of a row: a page, and a place on it.
    #[inline]
    pub(super) const fn is_address(self) -> bool {
        self.data_type() == TID
    }

    /// Its value; for a row's address, the page.
    #[inline]
    pub(super) const fn value(self, of: &Transaction) -> i32 {
        match self {
            Self::Account => of.account as i32,
            Self::Teller => of.teller as i32,
            Self::Branch => of.branch as i32,
            Self::Delta => of.delta,
            Self::FromPage | Self::From => of.from,
            Self::ToPage | Self::To => of.to,
        }
    }
}

impl Statement {
    const fn new(text: &'static str, parameters: &'static [Field]) -> Self {
        Self { text, parameters }
    }

    /// Writes it with values in the place of parameters.
    pub(super) fn write(&self, of: &Transaction, out: &mut impl Write) -> fmt::Result {
        let mut parts = self.text.split('$');
        out.write_str(parts.next().unwrap_or_default())?;
        for part in parts {
            // No statement has ten parameters.
            let (number, rest) = part.split_at(1);
            let field = number.parse::<usize>().ok().and_then(|number| self.parameters.get(number - 1));
            let field = field.ok_or(fmt::Error)?;
            if field.is_address() {
                write!(out, "'({},0)'{rest}", field.value(of))?;
            } else {
                write!(out, "{}{rest}", field.value(of))?;
            }
        }
        Ok(())
    }

    /// The same as a text.
    pub(super) fn text_with(&self, of: &Transaction) -> String {
        let mut text = String::new();
        // A test writes every statement.
        let _ = self.write(of, &mut text);
        text
    }

    /// Whether the server plans it.
    pub(super) fn is_planned(&self) -> bool {
        !matches!(self.text, BEGIN_TEXT | END_TEXT | ANALYZE_TEXT)
    }
}

const BEGIN_TEXT: &str = "BEGIN";
const END_TEXT: &str = "END";
/// It reads 300 pages for each unit of the statistics target: servers of this script have the smallest one.
const ANALYZE_TEXT: &str = "ANALYZE pgbench_accounts";
const BEGIN: Statement = Statement::new(BEGIN_TEXT, &[]);
const END: Statement = Statement::new(END_TEXT, &[]);
const ANALYZE: Statement = Statement::new(ANALYZE_TEXT, &[]);
const UPDATE_ACCOUNT: Statement = Statement::new(
    "UPDATE pgbench_accounts SET abalance = abalance + $1 WHERE aid = $2",
    &[Field::Delta, Field::Account],
);
const SELECT_ACCOUNT: Statement =
    Statement::new("SELECT abalance FROM pgbench_accounts WHERE aid = $1", &[Field::Account]);
const UPDATE_TELLER: Statement = Statement::new(
    "UPDATE pgbench_tellers SET tbalance = tbalance + $1 WHERE tid = $2",
    &[Field::Delta, Field::Teller],
);
const UPDATE_BRANCH: Statement = Statement::new(
    "UPDATE pgbench_branches SET bbalance = bbalance + $1 WHERE bid = $2",
    &[Field::Delta, Field::Branch],
);
const INSERT_HISTORY: Statement = Statement::new(
    "INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES ($1, $2, $3, $4, CURRENT_TIMESTAMP)",
    &[Field::Teller, Field::Branch, Field::Account, Field::Delta],
);
const fn scanned(access: Access) -> Statement {
    let definition = access.definition();
    let fields: &[Field] = match definition.range {
        Range::Pages => &[Field::FromPage, Field::ToPage],
        Range::Keys | Range::Hashes => &[Field::From, Field::To],
    };
    Statement::new(definition.query, fields)
}

/// Queries for which the server has a choice: an index or the whole table, loops or hashes, a sort or an order that is
/// there.
const QUERIES: &[Statement] = &[
    scanned(Access::Bitmap),
    Statement::new(
        "SELECT count(*) FROM pgbench_tellers t JOIN pgbench_accounts a ON a.aid = t.tid * 1000 + $1 % 1000",
        &[Field::Teller],
    ),
    Statement::new(
        "SELECT bid, count(*), sum(abalance) FROM pgbench_accounts WHERE aid >= $1 AND aid < $1 + 2000 GROUP BY bid",
        &[Field::Account],
    ),
    Statement::new(
        "SELECT aid FROM pgbench_accounts WHERE hashint4(aid) >= $1 ORDER BY hashint4(aid) LIMIT 20",
        &[Field::From],
    ),
];

/// The statements of one transaction of a script.
pub(super) fn statements(script: Script) -> Cow<'static, [Statement]> {
    const TPCB_LIKE: &[Statement] =
        &[BEGIN, UPDATE_ACCOUNT, SELECT_ACCOUNT, UPDATE_TELLER, UPDATE_BRANCH, INSERT_HISTORY, END];
    const SIMPLE_UPDATE: &[Statement] = &[BEGIN, UPDATE_ACCOUNT, SELECT_ACCOUNT, INSERT_HISTORY, END];
    Cow::Borrowed(match script.action() {
        Action::TpcbLike => TPCB_LIKE,
        Action::SimpleUpdate => SIMPLE_UPDATE,
        Action::SelectOnly => &[SELECT_ACCOUNT],
        Action::Insert => &[INSERT_HISTORY],
        Action::Scan(TableScan { access, .. }) => return Cow::Owned(vec![scanned(access)]),
        Action::Analyze => &[ANALYZE],
        Action::Queries => QUERIES,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Transaction = Transaction {
        id: 0,
        script: Script::TpcbLike,
        number: 3,
        account: 17,
        teller: 4,
        branch: 1,
        delta: -12,
        from: 128,
        to: 256,
    };

    #[test]
    fn a_statement_has_a_value_for_each_parameter() {
        for name in Script::NAMES {
            let script = Script::from_name(name).expect("is one");
            assert!(statements(script).len() <= NAMES.len());
            for statement in statements(script).iter() {
                let mut text = String::new();
                statement.write(&SOME, &mut text).expect("every parameter is there");
                assert!(!text.contains('$'), "{text}");
            }
        }
        assert_eq!(
            UPDATE_ACCOUNT.text_with(&SOME),
            "UPDATE pgbench_accounts SET abalance = abalance + -12 WHERE aid = 17"
        );
        assert!(
            scanned(Access::Sequential).text_with(&SOME).ends_with("ctid >= '(128,0)' AND ctid < '(256,0)'")
        );
    }
}
