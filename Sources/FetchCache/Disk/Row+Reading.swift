internal import GRDB

/// A row of an index.
///
/// A row of an untrusted index can contain anything: an invalid value is nil and never a fatal
/// error.
protocol ReadableRow {
    subscript(index: Int) -> DatabaseValue { get }
}

extension Row: ReadableRow {}

/// The current row of a statement.
///
/// GRDB's own `Row` would first list the names of all columns.
extension Statement: ReadableRow {
    subscript(index: Int) -> DatabaseValue {
        DatabaseValue(sqliteStatement: sqliteStatement, index: CInt(index))
    }
}

extension ReadableRow {
    func text(_ index: Int) -> String? { String.fromDatabaseValue(self[index]) }

    /// A number from 0 to 2^53, which is safe for arithmetic; nil if it is out of range.
    func number(_ index: Int) -> Int? {
        guard let number = Int.fromDatabaseValue(self[index]), (0...(1 << 53)).contains(number)
        else { return nil }
        return number
    }

    /// A number of bytes up to 2^40, so that sums do not overflow; nil if it is out of range.
    func size(_ index: Int) -> Int? { number(index).flatMap { $0 <= 1 << 40 ? $0 : nil } }

    func time(_ index: Int) -> Timestamp? {
        number(index).map { Timestamp(milliseconds: Int64($0)) }
    }

    func digest(_ index: Int) -> BlobDigest? { text(index).flatMap(BlobDigest.init(hex:)) }
}
