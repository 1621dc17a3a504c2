import Reports

/// A summary of the site's layout for the user.
package struct LayoutReport: Codable, Hashable, Sendable {
    package var generator: Generator.Name
    /// The configuration that was found, relative to the input folder.
    package var configuration: String?
    /// The image folder, relative to the input folder.
    package var imageDirectory: String
    /// The URL of the image folder, if it is known.
    package var publicPath: String?

    /// Returns nil if the site has no layout.
    package init?(_ reading: ReadingOptions) {
        guard let layout = reading.layout else { return nil }
        generator = layout.generator
        let upwards = String(repeating: "../", count: pathParts(layout.part).count)
        configuration = layout.configuration.map { upwards + $0 }
        imageDirectory = reading.imageDirectory
        publicPath =
            reading.layoutOptions.publicPath?.text
            ?? layout.publishedDirectory.map { (layout.address.basePath ?? "") + $0 + "/" }
    }

    /// The report as one line: `Hugo site (hugo.toml): images go to static/imgbake/, published as
    /// /blog/imgbake/`.
    package var line: String {
        let found = configuration.map { " (\($0))" } ?? ""
        let place = publicPath.map { ", published as \($0)" } ?? ""
        let title = Generator.row(generator).title
        return printable("\(title) site\(found): images go to \(imageDirectory)/\(place)")
    }
}

extension ReadingOptions {
    /// Warnings about the layout: actions for the user, and facts to know.
    var layoutWarnings: [Diagnostic] {
        (layout?.warnings ?? []).map {
            Diagnostic($0, .warning, at: layout?.configuration.map { Diagnostic.Place($0) })
        }
    }
}
