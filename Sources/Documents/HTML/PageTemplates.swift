/// Recognises template expressions that are evaluated in the browser: `{{ … }}`, `${ … }`.
enum PageTemplates {
    /// Whether a value contains such an expression.
    static func occur(in value: [UInt8]) -> Bool {
        value.withUnsafeBufferPointer { $0.containsExactly("{{") || $0.containsExactly("${") }
    }

    /// Whether a value is the URL of another host with such an expression in it.
    static func occur(inRemote value: [UInt8]) -> Bool {
        value.withUnsafeBufferPointer(\.namesHost) && containsTemplate(value)
    }

    /// Whether a page is input for Jekyll, Hugo or another generator, which evaluates such
    /// expressions itself.
    static func isSource(_ page: UnsafeBytes) -> Bool {
        let signs: [StaticString] = [
            "{%", "<%", "<?php", "{{ .", "{{.", "{{- .", "{{ $", "{{ end", "{{end", "{{- end",
            // Liquid's variables, such as the parameters of an include, which has no front matter.
            "{{ include.", "{{include.", "{{ page.", "{{page.", "{{ site.", "{{site.",
        ]
        return signs.contains { page.containsExactly($0) }
    }
}
