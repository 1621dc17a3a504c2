import Testing

@testable import Documents

/// Code and comments that a generator takes out of Markdown are no images.
@Suite struct TemplateCodeTests {
    private func urls(_ text: String) -> [String] {
        extract(Array(text.utf8), kind: .markdown).references.map(\.url)
    }

    @Test(arguments: [
        "{{< highlight md >}}\n![](no.png)\n{{< /highlight >}}",
        "{{<highlight html \"linenos=table\">}}<img src=no.png>{{</highlight>}}",
        "{{% highlight md %}}\n\n![](no.png)\n\n{{% /highlight %}}",
        "{% highlight html linenos %}\n<img src=no.png>\n{% endhighlight %}",
        "{%- highlight md -%}\n```\n![](no.png)\n{%- endhighlight -%}",
        "> {% comment %}\n> ![](no.png)\n> {% endcomment %}",
        "{% comment %}![](no.png){% endcomment %}{% comment %}![](no.png){% endcomment %}",
    ])
    func codeIsNotRead(code: String) throws {
        let text = "---\nimage: a.png\n---\n![](b.png)\n\n\(code)\n\n![](c.png)\n"
        #expect(urls(text) == ["a.png", "b.png", "c.png"])
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: .markdown)
        let result = try rewrite(
            bytes, extraction: extraction,
            replacements: extraction.references.map { Replacement(reference: $0, url: "n.webp") })
        let expected = ["a.png", "b.png", "c.png"].reduce(text) { $0.replacing($1, with: "n.webp") }
        #expect(String(decoding: result.bytes, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        "{% highlight md %}\n![](b.png)", "{{< highlight md >}}\n![](b.png)\n{% endhighlight %}",
        "{{< highlights >}}![](b.png){{< /highlights >}}",
        "`{% raw %}{% comment %}{% endraw %}` ![](b.png) `{% raw %}{% endcomment %}{% endraw %}`",
        "{{< figure >}}\n![](b.png)\n{{< /figure >}}", "highlight {% ![](b.png) endcomment",
    ])
    func otherTextIsRead(text: String) { #expect(urls(text) == ["b.png"]) }

    @Test func unclosedTagsTakeLinearTime() {
        let text = String(repeating: "{% highlight md %} {{< highlight >}} ", count: 100_000)
        #expect(urls(text + "\n\n![](b.png)") == ["b.png"])
    }
}
