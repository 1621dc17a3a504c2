internal import CCmarkGFM

/// The versions of the parsers that this module uses.
package enum ParserVersions {
    package static var cmark: String { String(cString: cmark_version_string()) }
}
