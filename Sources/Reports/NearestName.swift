/// The one of `names` that `name` is probably a misspelling of; nil if none is close.
///
/// A name is close if at most a third of the letters differ, or one letter.
package func nearestName(to name: String, in names: some Sequence<String>) -> String? {
    let limit = max(1, name.count / 3)
    return names.map { (name: $0, distance: editDistance($0, name)) }
        .filter { $0.distance <= limit }
        .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
}

/// The number of letters to insert, remove, replace or swap with their neighbour to turn one word
/// into the other (Damerau and Levenshtein, each letter moved once).
package func editDistance(_ left: String, _ right: String) -> Int {
    let left = Array(left)
    let right = Array(right)
    if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
    var rows = [Array(0...right.count)]
    for (i, a) in left.enumerated() {
        var row = [i + 1]
        for (j, b) in right.enumerated() {
            var best = min(rows[i][j] + (a == b ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
            if i > 0, j > 0, a == right[j - 1], left[i - 1] == b {
                best = min(best, rows[i - 1][j - 1] + 1)
            }
            row.append(best)
        }
        rows.append(row)
    }
    return rows[left.count][right.count]
}
