extension Int {
    /// The number as a number of bytes, in the decimal units of the SI.
    package var asBytes: String {
        if self < 1000 { return "\(self) B" }
        let units = ["kB", "MB", "GB", "TB"]
        // A tenth of the unit, in bytes; each number is rounded once.
        var tenth = 100
        var unit = 0
        while self >= 10_000 * tenth - tenth / 2 && unit < units.count - 1 {
            tenth *= 1000
            unit += 1
        }
        let tenths = self / tenth + (self % tenth >= tenth / 2 ? 1 : 0)
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
