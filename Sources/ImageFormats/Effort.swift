/// How much work an encoder does to make files smaller.
///
/// It changes time and bytes. With a lossy format, it changes the picture by less than an eye sees.
package enum Effort: String, CaseIterable, Codable, Sendable {
    /// The least time, for drafts and tests.
    case low
    /// About the time of `vipsthumbnail`, at equal or fewer bytes.
    case normal
    /// The fewest bytes, for several times the time.
    case high
}
