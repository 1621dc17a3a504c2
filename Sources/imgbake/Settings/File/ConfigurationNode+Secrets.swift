import Sites

extension ConfigurationNode {
    /// A text with each `${NAME}` replaced by the value of that environment variable.
    ///
    /// - Returns: The text, and whether any of it comes from the environment.
    /// - Throws: ``SettingsError``, which names variables but never their values.
    func expanded() throws -> (text: String, isFromEnvironment: Bool) {
        var rest = try text()[...]
        var result = ""
        var isFromEnvironment = false
        while let start = rest.firstRange(of: "${") {
            result += rest[..<start.lowerBound]
            guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
                throw error("'${' is not closed: '}' is missing after the variable's name")
            }
            let name = String(rest[start.upperBound..<end])
            guard Self.isVariableName(name) else {
                throw error("'${\(name)}' does not name an environment variable")
            }
            guard let value = source.environment(name) else {
                var error = error("the environment variable \(name) is not set")
                error.isOfMissingVariable = true
                throw error
            }
            guard FieldSyntax.isFieldValue(value) else {
                throw error("the environment variable \(name) holds control characters")
            }
            result += value
            isFromEnvironment = true
            rest = rest[rest.index(after: end)...]
        }
        return (result + rest, isFromEnvironment)
    }

    /// A secret.
    ///
    /// It must come from the environment, because configuration files are shared.
    func secret(_ what: String) throws -> String {
        let (text, isFromEnvironment) = try expanded()
        guard isFromEnvironment else {
            throw error("put the \(what) into an environment variable and write '${NAME}' here")
        }
        return text
    }

    /// The value of a header field; a secret if the field identifies the sender.
    func fieldValue(of name: String) throws -> String {
        let credentials = ["authorization", "proxy-authorization", "cookie"]
        if credentials.contains(name.lowercased()) { return try secret("value of \(name)") }
        let value = try expanded().text
        guard FieldSyntax.isFieldValue(value) else {
            throw error("the value of a header field must not contain control characters")
        }
        return value
    }

    /// The URL of a proxy; a password in it is a secret.
    func proxy() throws -> String {
        // On the command line, the shell has already expanded variables.
        guard case .file = source.origin else { return try checkedProxy(text()) }
        let (text, isFromEnvironment) = try expanded()
        _ = try checkedProxy(text)
        if !isFromEnvironment, let scheme = text.firstRange(of: "://"),
            let at = text[scheme.upperBound...].lastIndex(of: "@"),
            text[scheme.upperBound..<at].contains(":")
        {
            throw error("put the password into an environment variable and write '${NAME}' here")
        }
        return text
    }

    private func checkedProxy(_ url: String) throws -> String {
        guard FieldSyntax.isProxy(url) else {
            let whole = "http://" + url
            throw error(
                "\(subject) must be an http, https, socks5 or socks5h URL",
                nearest: FieldSyntax.isProxy(whole) ? whole : nil)
        }
        return url
    }

    private static func isVariableName(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x5F
        }
    }
}
