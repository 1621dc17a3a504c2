/// A rule that an answer of a worker breaks.
///
/// A worker may have been taken over by an image, so everything that it says is input from an
/// attacker. The rules are in this folder. They hold for what is read from the cache too: a stored
/// value that breaks one counts as missing.
package struct BrokenRule: Error, Equatable, Sendable, CustomStringConvertible {
    /// One clause without a period, in which no text of the answer occurs.
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// Throws a ``BrokenRule`` unless `condition` holds.
package func require(
    _ condition: Bool, _ description: @autoclosure () -> String
) throws(BrokenRule) {
    if !condition { throw BrokenRule(description()) }
}
