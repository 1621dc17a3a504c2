internal import GRDB

/// A row of an index that came from elsewhere may hold anything: what cannot be read is nil, and never
/// a reason to stop.
protocol ReadableRow {
    subscript(index: Int) -> DatabaseValue { get }
}

extension Row: ReadableRow {}

/// The row that a statement is at: one of GRDB's own lists the names of all its columns first.
extension Statement: ReadableRow {
    subscript(index: Int) -> DatabaseValue {
        DatabaseValue(sqliteStatement: sqliteStatement, index: CInt(index))
    }
}

extension ReadableRow {
    func text(_ index: Int) -> String? { String.fromDatabaseValue(self[index]) }

    /// A number that can be counted or calculated with: from 0 to 2^53, or nil.
    func number(_ index: Int) -> Int? {
        guard let number = Int.fromDatabaseValue(self[index]), (0...(1 << 53)).contains(number)
        else { return nil }
        return number
    }

    /// A number of bytes, so small that no sum of them is too large: up to 2^40, or nil.
    func size(_ index: Int) -> Int? { number(index).flatMap { $0 <= 1 << 40 ? $0 : nil } }

    func time(_ index: Int) -> Timestamp? {
        number(index).map { Timestamp(milliseconds: Int64($0)) }
    }

    func digest(_ index: Int) -> BlobDigest? { text(index).flatMap(BlobDigest.init(hex:)) }
}
