internal import CVips

/// The fonts of this machine.
enum FontFiles {
    /// The paths of those that the generic families are drawn with, in regular, bold and italic, and
    /// of those that add characters of other scripts; at most 48, each once.
    static var paths: [String] {
        let files = UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: 48)
        files.initialize(repeating: nil)
        defer { files.deallocate() }
        guard let start = files.baseAddress else { return [] }
        let count = Int(cvips_font_files(start, Int32(files.count)))
        var seen: Set<String> = []
        return files.prefix(count).compactMap { file in
            guard let file else { return nil }
            defer { g_free(file) }
            let path = String(cString: file)
            return seen.insert(path).inserted ? path : nil
        }
    }
}
