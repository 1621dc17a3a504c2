package import Documents
package import ImageFormats
package import Recipes
package import Reports
import Sites
import StyleSizing

extension VariantOptions {
    /// The options for images with this role.
    ///
    /// Icons keep their format and size, because browsers and systems choose among them by both.
    /// Feed readers, social networks and search engines do not support WebP and AVIF reliably.
    package func suited(to role: Reference.Role) -> VariantOptions {
        var options = self
        switch role {
        case .icon:
            options.format = .keep
            options.maximumWidth = nil
        case .social, .enclosure: options.isForReaders = true
        default: break
        }
        return options
    }

    /// The options that keep the properties that a claim of the document fixes.
    package func keeping(_ fixed: Reference.FixedProperties) -> VariantOptions {
        var options = self
        if fixed.contains(.format) {
            options.format = .keep
            options.isForReaders = false
        }
        if fixed.contains(.size) { (options.maximumWidth, options.crop) = (nil, nil) }
        return options
    }
}

extension VariantOptions {
    /// The options for the images of an element with this control.
    ///
    /// - Throws: ``Problem`` for a value that the option does not allow.
    package func applying(_ control: ImageControl) throws(Problem) -> VariantOptions {
        var options = self
        if let text = control.format {
            options.format = try Self.choice(text, "format")
            options.isForReaders = false
        }
        if let text = control.quality {
            guard let quality = Quality(text) else {
                throw Problem(
                    .invalidControl,
                    "data-imgbake-quality=\"\(text)\" must be a whole number from 1 to 100, or one "
                        + "of \(Quality.names.map(\.name).joined(separator: ", "))")
            }
            options.quality = quality
        }
        if let text = control.maximumWidth {
            options.maximumWidth = Int(text)
            guard options.maximumWidth.map(Self.widths.contains) ?? (text.lowercased() == "none")
            else {
                throw Problem(
                    .invalidControl,
                    "data-imgbake-max-width=\"\(text)\" must be a whole number from "
                        + "\(Self.widths.lowerBound) to \(Self.widths.upperBound)")
            }
        }
        if let text = control.crop, !control.cropsToBox {
            guard let ratio = CropRatio(text) else {
                throw Problem(
                    .invalidControl,
                    "data-imgbake-crop=\"\(text)\" must be a ratio, as in 16:9, or cover")
            }
            options.crop = ratio
        }
        if let text = control.frames { options.frames = try Self.choice(text, "frames") }
        return options
    }

    /// The allowed values of ``maximumWidth``.
    package static let widths = 1...65_535

    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String, _ name: String
    ) throws(Problem) -> Choice {
        guard let choice = Choice(rawValue: text.lowercased()) else {
            let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(
                .invalidControl, "data-imgbake-\(name)=\"\(text)\" must be one of \(known)")
        }
        return choice
    }
}

/// The options for the further files of an image.
extension VariantOptions {
    func limited(to width: Int) -> VariantOptions {
        var options = self
        options.maximumWidth = width
        return options
    }

    /// The options for one of several files.
    var ofSeveral: VariantOptions {
        var options = self
        options.isOneOfSeveral = true
        return options
    }

    /// The options for the file of a `<picture>` that every browser shows.
    package var forAllBrowsers: VariantOptions {
        var options = self
        options.isForReaders = true
        return options
    }

    /// The options for the image itself, beside files in other formats.
    package var besideOthers: VariantOptions { isFormatStated ? self : forAllBrowsers }

    /// The options for a file whose element says that it has a format, beside files in others.
    package func beside(stated format: ImageFormat?) -> VariantOptions {
        guard let format, !format.isShownByReaders else { return self }
        var options = keeping(.format)
        options.isFormatStated = true
        return options
    }

    /// The options for a `<source>` in a format.
    func inPicture(_ format: ImageFormat) -> VariantOptions {
        var options = self
        // The choice `auto` keeps graphics lossless.
        let isAutomatic = format == .webp && self.format == .auto
        options.format = isAutomatic ? .auto : FormatChoice(rawValue: format.rawValue) ?? .auto
        options.isFormatStated = false
        return options
    }
}
