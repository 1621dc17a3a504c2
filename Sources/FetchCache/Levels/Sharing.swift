/// Which levels of other machines get something that is stored on this one.
package enum Sharing: Sendable, Hashable {
    /// All that are written: it is new.
    case all
    /// The stores that are filled, if they lack it: this machine had it already.
    case fill
    /// None: others must not have it.
    case none
}

extension Levels {
    /// The levels below the disk level that get something new; those of other machines only if a
    /// shared cache may store it.
    func written(isForOthers: Bool) -> [any CacheLevel] {
        lower.filter {
            $0.abilities.contains(.write) && (isForOthers || $0.abilities.contains(.thisMachine))
        }
    }
}
