import FetchCache
import ImageFormats
import Pages
import Recipes
import Records
import Sites

extension BakeOptions {
    /// What the lists tell of earlier bakes in place; nil if the bake records nothing.
    ///
    /// - Parameters:
    ///   - site: The site, after its scan.
    ///   - output: The folder to write to; nil if nothing is written.
    /// - Returns: The origins.
    func origins(of site: Site, output: OutputFolder? = nil) -> SiteOrigins? {
        guard site.reading.recordsURLs else { return nil }
        return SiteOrigins(
            site, settings: originSettings(of: site), output: output,
            redoesAll: mode == .refresh)
    }

    /// The settings that decide how a baked reference is written, as text: `format=avif quality=60`.
    ///
    /// Only those that differ from the defaults are named. So a later version with more settings
    /// does not bake everything again, for which it would need the sources.
    ///
    /// - Parameter site: The site, with its layout and its address.
    /// - Returns: The text; empty for the defaults.
    func originSettings(of site: Site) -> String {
        let names = zip(
            Mirror(reflecting: variants).children, Mirror(reflecting: VariantOptions()).children)
        var words = names.compactMap { given, usual -> String? in
            let (value, normal) = ("\(given.value)", "\(usual.value)")
            return value == normal ? nil : "\(given.label ?? "")=\(Self.word(given.value))"
        }
        let reading = site.reading
        if reading.addsDimensions { words.append("dimensions") }
        if reading.responsive.isOn {
            let responsive = reading.responsive
            let widths = responsive.widths.map(String.init).joined(separator: ",")
            words.append("responsive=\(widths);\(responsive.sizes.text);\(responsive.loadsLazily)")
            let formats = responsive.formats.map(\.rawValue).joined(separator: ",")
            if !formats.isEmpty { words.append("formats=\(formats)") }
        }
        if reading.makesSeveral, let sizes = reading.sizes {
            words.append("sizes=\(derivedKey(of: sizes))")
        }
        if reading.responsive.placeholder != .none {
            words.append("placeholder=\(reading.responsive.placeholder.rawValue)")
        }
        if !reading.overrides.rules.isEmpty {
            words.append("overrides=\(derivedKey(of: reading.overrides))")
        }
        if reading.layoutOptions.urlChoice != .automatic {
            words.append("urlStyle=\(reading.layoutOptions.urlChoice.rawValue)")
        }
        if let path = reading.layoutOptions.publicPath { words.append("publicPath=\(path.text)") }
        if let address = reading.address { words.append("siteURL=\(address.url)") }
        return words.joined(separator: " ")
    }

    /// A value without the word that Swift puts around an optional one.
    private static func word(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .optional else { return "\(value)" }
        return mirror.children.first.map { "\($0.value)" } ?? "none"
    }
}
