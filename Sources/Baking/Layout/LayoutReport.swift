/// What a user is told of the layout that a site has.
package struct LayoutReport: Codable, Hashable, Sendable {
    package var generator: Generator.Name
    /// The configuration that was found, relative to the folder that is baked.
    package var configuration: String?
    /// Where images go, relative to that folder.
    package var imageDirectory: String
    /// Where the folder of images is published, as far as that is known.
    package var publicPath: String?

    /// nil if the site has no layout.
    init?(_ reading: ReadingOptions) {
        guard let layout = reading.layout else { return nil }
        generator = layout.generator
        let upwards = String(repeating: "../", count: pathParts(layout.part).count)
        configuration = layout.configuration.map { upwards + $0 }
        imageDirectory = reading.imageDirectory
        publicPath =
            reading.layoutOptions.publicPath?.text
            ?? layout.publishedDirectory.map { (layout.basePath ?? "") + $0 + "/" }
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
    /// What a user has to do or to know of the layout.
    var layoutWarnings: [Diagnostic] {
        (layout?.warnings ?? []).map {
            Diagnostic($0, .warning, at: layout?.configuration.map { Diagnostic.Place($0) })
        }
    }
}

extension BakeOptions {
    /// What is found of the site's layout; nil if it has none.
    ///
    /// - Throws: ``BakeFault`` where there is nothing to bake, or that cannot be told.
    package func layoutReport() throws(BakeFault) -> LayoutReport? {
        LayoutReport(try site().reading)
    }
}
