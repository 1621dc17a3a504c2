import Documents
import ImageFormats
import Recipes

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
    var forAllBrowsers: VariantOptions {
        var options = self
        options.isForReaders = true
        return options
    }

    /// The options for the image itself, beside files in other formats.
    var besideOthers: VariantOptions { isFormatStated ? self : forAllBrowsers }

    /// The options for a file whose element says that it has a format, beside files in others.
    func beside(stated format: ImageFormat?) -> VariantOptions {
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
