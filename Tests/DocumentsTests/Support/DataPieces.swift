/// Parts of scripts and of flight data, with URLs in strings, in templates and in HTML in strings.
enum DataPieces {
    static let script: [String] = [
        "a=\"https://h/a.png\"", "b='https:\\/\\/h\\/b.png'", "`https://h/c.png`", "\"", "'", "`",
        "${", "}", "{", "(", ")", "[", "]", "/", "//", "/*", "*/", "\n", "\r\n", "\\", ";", ",",
        "=", "=>", "+", "++", "--", "<", ">", "?.", "...", "a", "return ", "typeof ", "if(x)", "1",
        "/[/\"'`]/g", "/a\\/b/", "x/2/1", "<!--", "-->", "é", "\u{2028}", "\0", "\\u{1F600}",
        "\"https:\\x2F\\x2Fh\\x2Fd.png\"", "'\\u0068ttps://h/e.png'",
        "\"https://h/f.png 1x, //h/g.png 2x\"",
        "'<img src=\"https://h/h.png?a&amp;b\" alt=\"https://h/n.png\">'",
        "`<img data-src='https://h/i.png'>${x}<p>`",
        "\"\\u003Cimg src=\\\"https://h/j.png\\\"\\u003E\"",
        "JSON.parse('{\"a\":\"https://h/k.png\",\"b\":\"<img src=\\\\\"//h/l.png\\\\\">\"}')",
        "JSON.parse(\"{\\\"a\\\":\\\"https:\\\\/\\\\/h\\\\/m.png\\\"}\")",
        "new URL(\"https://h/o.png\")",
        "_ipx/\"https://h/p.png\"", "</script>", "{{ x }}", "/* imgbake-off */",
        "class A{#b='//h/q.png'}",
        "self.__next_f.push([1,\"2:T1a,<img src=\\\"https://h/r.png\\\">\\n3:[\\\"//h/s.png\\\"]\\n\"])",
    ]

    static let text: [String] = [
        "1:\"$Sreact.fragment\"\n", "2:I[7,[\"8\"],\"Image\"]\n",
        ":HL[\"https://h/a.png\",\"image\"]\n",
        "3:[\"$\",\"img\",null,{\"src\":\"https://h/b.png\",\"children\":\"$4\"}]\n",
        "4:T20,<img src=\"https://h/c.png\" a='b'>", "5:T6,héé\n", "6:T3,<p>7:[]\n", "T", ":", ",",
        "\n",
        "{\"a\":\"https:\\/\\/h\\/d.png\"}", "\"", "[", "]", "{", "}", "\\", "é", "\0", "8:",
        "9:\"<img src=\\\"https://h/e.png\\\">\"\n", "0:T1c,https://h/f.png not whole.\n",
        "https://h/g.png", "[\"https://h/h.png\",{\"srcset\":\"//h/i.png 1x, //h/j.png 2x\"}]",
    ]
}
