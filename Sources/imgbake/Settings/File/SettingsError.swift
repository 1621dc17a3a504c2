import Sites

/// An error in a setting, with its place.
struct SettingsError: Error, Hashable, CustomStringConvertible {
    /// The file's name in the form in which the user gave it; nil for an option, which the reason
    /// names.
    var file: String?
    /// 1-based; nil for the whole file.
    var line: Int?
    /// 1-based, in characters.
    var column: Int?
    /// The problem and its remedy, without a period.
    var reason: String
    /// The value that was probably meant; nil if none is near.
    var nearest: String?
    /// Whether an environment variable that the value names is not set.
    var isOfMissingVariable = false

    /// The problem, its remedy and the value that was probably meant.
    var message: String { reason + (nearest.map { "; did you mean '\($0)'?" } ?? "") }

    /// The error as one line: `imgbake.yml:3:5: unknown key 'max-widht'`.
    var description: String {
        let place = [file, line.map(String.init), column.map(String.init)]
            .compactMap(\.self).joined(separator: ":")
        return place.isEmpty ? message : "\(place): \(message)"
    }
}
