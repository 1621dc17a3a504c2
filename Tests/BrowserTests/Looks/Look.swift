import TestSupport

/// The appearance of a page in the browser.
struct Look: Sendable {
    var boxes: [ImageBox]
    var requests: [PageRequest]
    /// The whole page as a PNG; only in views in which pixels are compared.
    var picture: [UInt8] = []
    /// The files whose type the page declares; only in the desktop view.
    var files: [PageFile] = []
    /// The host of the server that the page came from.
    var host: String

    /// The boxes of the section of a case.
    func boxes(of lookCase: LookCase) -> [ImageBox] {
        boxes.filter { $0.path.prefix { $0 != ">" } == "#" + lookCase.name }
    }
}

extension ImageBox {
    /// The differences from the box before, each with both values; empty if it looks the same.
    func differences(from before: ImageBox, tolerance: Double) -> [String] {
        // The browser rounds to 1/64.
        let allowed = max(tolerance, 1.0 / 64)
        var found: [String] = []
        func compare(_ name: String, _ field: KeyPath<ImageBox, Double>) {
            let (old, new) = (before[keyPath: field], self[keyPath: field])
            if abs(old - new) > allowed { found.append("\(name) \(old) → \(new)") }
        }
        compare("x", \.x)
        compare("y", \.y)
        compare("width", \.width)
        compare("height", \.height)
        if tolerance == 0 {
            compare("natural width", \.naturalWidth)
            compare("natural height", \.naturalHeight)
        }
        if kind != before.kind { found.append("\(before.kind) → \(kind)") }
        if isComplete != before.isComplete { found.append("complete: \(isComplete)") }
        return found.map { "\(path) \(kind) \(source): \($0)" }
    }
}
