import Foundation
import TestSupport

/// A generator's own theme, whose rules size images.
enum LookTheme: String, Sendable, CaseIterable {
    case alabaster, classic, mkdocs, readthedocs, material, pandoc

    var tool: ExternalTool {
        switch self {
        case .alabaster, .classic: .sphinx
        case .mkdocs, .readthedocs, .material: .mkdocs
        case .pandoc: .pandoc
        }
    }

    /// The path of its page in the site.
    var file: String { "themes/\(rawValue)/index.html" }

    /// Runs the generator to make the page.
    func build(in folder: TemporaryDirectory, origin: String) async throws {
        let source = "sources/\(rawValue)"
        let output = folder.path("site/themes/\(rawValue)")
        let executable = try tool.required()
        let arguments: [String]
        switch self {
        case .alabaster, .classic:
            try folder.write(Self.text(Self.restructured, origin), to: source + "/index.rst")
            arguments = [
                "-q", "-C", "-D", "html_theme=\(rawValue)", "-D", "project=Looks",
                folder.path(source), output,
            ]
        case .mkdocs, .readthedocs, .material:
            try folder.write(Self.text(Self.markdown, origin), to: source + "/docs/index.md")
            let settings = """
                site_name: Looks
                theme: { name: \(rawValue), highlightjs: false, font: false }
                markdown_extensions: [attr_list, md_in_html, tables]
                plugins: []

                """
            try folder.write(settings, to: source + "/mkdocs.yml")
            arguments = ["build", "-q", "-f", folder.path(source + "/mkdocs.yml"), "-d", output]
        case .pandoc:
            try folder.write(Self.text(Self.markdown, origin), to: source + "/index.md")
            try FileManager.default.createDirectory(
                atPath: output, withIntermediateDirectories: true)
            arguments = [
                "-s", "--metadata", "title=Looks", folder.path(source + "/index.md"),
                "-o", output + "/index.html",
            ]
        }
        let result = try await Command.run(
            executable, arguments, environment: ["NO_MKDOCS_2_WARNING": "1"])
        guard result.exitCode == 0 else {
            throw GeneratorError(reason: "\(rawValue): \(result.errors)")
        }
    }

    private static func text(_ template: String, _ origin: String) -> String {
        template.replacing("ORIGIN", with: origin)
    }

    private static let restructured = """
        Images
        ======

        .. image:: ORIGIN/1600x900-1.jpg

        .. image:: ORIGIN/320x240-1.jpg
           :align: left
           :width: 50%

        .. figure:: ORIGIN/1200x800-1.jpg
           :align: right
           :figwidth: 40%

           A caption.

        Words around |logo|, an image in a line.

        .. |logo| image:: ORIGIN/80x60-1.png

        .. image:: ORIGIN/240x160-1.jpg
           :height: 90px
           :align: center

        .. raw:: html

           <picture><source srcset="ORIGIN/1200x800-1.jpg"><img src="ORIGIN/240x160-1.jpg"></picture>
           <img sizes="50vw" srcset="ORIGIN/400x100-1.jpg 400w, ORIGIN/1200x300-1.jpg 1200w">

        .. image:: ORIGIN/3000x2000-1.jpg

        """

    private static let markdown = """
        # Images

        ![](ORIGIN/1600x900-1.jpg)

        Words around ![](ORIGIN/80x60-1.png), an image in a line.

        ![A caption](ORIGIN/1200x800-1.jpg)

        ![](ORIGIN/320x240-1.jpg){ width=50% }

        | one | two |
        | --- | --- |
        | ![](ORIGIN/480x320-1.jpg) | words |

        <img src="ORIGIN/1200x800-1.jpg" width="300">

        <picture><source srcset="ORIGIN/1200x800-1.jpg"><img src="ORIGIN/240x160-1.jpg"></picture>
        <img sizes="50vw" srcset="ORIGIN/400x100-1.jpg 400w, ORIGIN/1200x300-1.jpg 1200w">

        ![](ORIGIN/3000x2000-1.jpg)

        """
}

/// A generator could not make a page.
struct GeneratorError: Error {
    var reason: String
}
