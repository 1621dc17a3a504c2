import TestSupport

/// The viewport and media in which a page is compared.
struct LookView: Sendable, Hashable, CustomStringConvertible {
    var width: Int
    var scale = 1.0
    var media = MediaType.screen
    var colorScheme = ColorScheme.light

    static let desktop = LookView(width: 1200)
    static let tablet = LookView(width: 700)
    static let phone = LookView(width: 400, scale: 3)
    static let dark = LookView(width: 1200, colorScheme: .dark)
    static let print = LookView(width: 1200, media: .print)

    var viewport: Viewport { Viewport(width: width, height: 900, scale: scale) }

    var description: String { "\(width) px @\(scale) \(media) \(colorScheme)" }
}
