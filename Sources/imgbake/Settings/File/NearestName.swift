/// The one of `names` that `name` was most likely meant to be; nil if none is close.
///
/// Close is a third of the letters changed, and at least one.
func nearestName(to name: String, in names: some Sequence<String>) -> String? {
    let limit = max(1, name.count / 3)
    return names.map { (name: $0, distance: editDistance($0, name)) }
        .filter { $0.distance <= limit }
        .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
}

/// How many letters have to be inserted, removed, replaced or swapped with their neighbour to make
/// one word of another (Damerau and Levenshtein, each letter moved once).
func editDistance(_ left: String, _ right: String) -> Int {
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
