import TestSupport
import Testing

/// Markdown beyond CommonMark: after a bake of the content and a build, each image that the page shows
/// is one of the site.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct DialectTests {
    /// Builds, bakes and builds again; the pages then load no image of another host.
    private func check(
        _ build: GeneratorExample.Build, _ files: [String: String], images: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let project = try await BuiltProject(build, files)
        let before = try await project.shown()
        #expect(before.remote.count == images, sourceLocation: sourceLocation)
        let bake = try await project.site.bake()
        #expect(bake.exitCode == 0, "\(bake.errors)", sourceLocation: sourceLocation)
        let after = try await project.shown()
        #expect(after.remote == [], sourceLocation: sourceLocation)
        #expect(after.broken == [], sourceLocation: sourceLocation)
        #expect(after.whole == before.whole, sourceLocation: sourceLocation)
    }

    @Test(.needs(.mkdocs), arguments: ["/", "/m/"])
    func materialsCaptionsGridsAndTabsAreBaked(base: String) async throws {
        let build = GeneratorExample.Build(
            tool: .mkdocs, arguments: ["build", "--quiet"], folder: "site", basePath: base)
        try await check(
            build,
            [
                "mkdocs.yml": """
                site_name: x
                site_url: SITE/
                theme: {name: material, font: false}
                markdown_extensions:
                  - admonition
                  - attr_list
                  - def_list
                  - md_in_html
                  - pymdownx.details:
                  - pymdownx.superfences
                  - pymdownx.tabbed: {alternate_style: true}
                """,
                "docs/index.md": """
                # Captions

                <figure markdown="span">
                  ![Image title](ORIGIN/1.png){ width="30" }
                  <figcaption>Image caption</figcaption>
                </figure>
                <figure markdown>
                ![Image title](ORIGIN/2.png)
                </figure>

                <div class="grid cards" markdown>

                -   ![x](ORIGIN/3.png) __Card__

                    ---

                    ![x](ORIGIN/4.png)

                </div>

                ``` markdown
                !!! note

                    ![](ORIGIN/9.png)
                ```

                <p markdown>![x][image]</p>

                <div class="badges">
                    <b>x</b>

                    <a href="#">
                        <img src="ORIGIN/6.png">
                    </a>
                </div>

                [image]: ORIGIN/5.png
                """,
                "docs/a/b.md": """
                # Tabs

                <div class="grid" markdown>

                === "Left"

                    ``` markdown title="Image"
                    ![Image title](ORIGIN/9.png){ align=left }
                    ```

                    <div class="result" markdown>

                    ![Image title](ORIGIN/1.png){ align=left width=30 }

                    </div>

                === "Right"

                    !!! note inline "Title"

                        ![](ORIGIN/2.png)

                        ??? tip

                            - ![](ORIGIN/3.png)

                            <img src="ORIGIN/4.png">

                </div>

                Term

                :   Definition

                    ![](ORIGIN/5.png)

                ???+ note "Open"
                    ![](ORIGIN/6.png)
                """,
            ], images: 12)
    }

    @Test(.needs(.sphinx), arguments: ["/", "/s/"])
    func directivesOfMySTAreBaked(base: String) async throws {
        let build = GeneratorExample.Build(
            tool: .sphinx, arguments: ["-q", "-b", "html", ".", "_build/html"],
            folder: "_build/html", basePath: base)
        try await check(
            build,
            [
                "conf.py":
                    "project = 'x'\nextensions = ['myst_parser']\nmyst_enable_extensions = ['colon_fence']\nhtml_baseurl = 'SITE/'\n",
                "index.md": """
                # X

                ```{toctree}
                a/b
                ```

                ```{image} ORIGIN/1.png
                :width: 30px
                ```

                :::{figure} ORIGIN/2.png
                A caption
                :::

                ````{admonition} A title
                :class: tip

                ![](ORIGIN/3.png)

                ```{code-block} md
                ![](ORIGIN/9.png)
                ```
                ````
                """,
                "a/b.md": """
                # Y

                - x

                  ```{note}
                  ![](ORIGIN/4.png)
                  ```

                :::{tip}
                ![](ORIGIN/5.png)

                ```{only} html
                ![](ORIGIN/6.png)
                ```
                :::
                """,
            ], images: 6)
    }

    @Test(.needs(.jekyll), arguments: ["/", "/blog/"])
    func markdownInElementsOfJekyllIsBaked(base: String) async throws {
        let build = GeneratorExample.Build(
            tool: .jekyll, arguments: ["build", "--quiet"], folder: "_site", basePath: base)
        try await check(
            build,
            [
                "_config.yml": "url: \"HOST\"\nbaseurl: \(base == "/" ? "''" : "/blog")\n",
                "index.md": """
                ---
                title: x
                ---
                <div class="a" markdown="1">
                ![x](ORIGIN/1.png){: width="30" }

                ![x][image]
                </div>

                <figure markdown="span">
                  ![x](ORIGIN/3.png)
                </figure>

                <details markdown="block">
                <summary>Title</summary>
                ![x](ORIGIN/4.png)
                </details>

                Term
                : Definition

                  ![x](ORIGIN/5.png)

                [image]: ORIGIN/2.png
                """,
                "a.md": """
                ---
                ---
                <table><tr>
                <td markdown="1">![x](ORIGIN/6.png)</td>
                </tr></table>

                <p markdown="1">![x](ORIGIN/1.png)</p>

                <div class="badges">
                    <b>x</b>

                    <a href="#">
                        <img src="ORIGIN/2.png">
                    </a>
                </div>

                ```
                <div markdown="1">![x](ORIGIN/9.png)</div>
                ```
                """,
            ], images: 8)
    }

    private static let loose = """
        ![a] [pic] beside ![a][pic] and ![b][pic], and a [link][pic]

        ![c](ORIGIN/2.png?a b)

        ![d](ORIGIN/3.png "it's a "good" title")

        [ ![Build]
        [badge] ] [lnk]

        <p align="center">x</p>
        - ![e](ORIGIN/5.png)

        `![a] [pic]` `![c](ORIGIN/9.png?a b)`

        [pic]: ORIGIN/1.png
        [badge]: ORIGIN/4.png
        [lnk]: https://h.example/
        """

    @Test(.needs(.mkdocs)) func looseImagesOfMkDocsAreBaked() async throws {
        let build = GeneratorExample.Build(
            tool: .mkdocs, arguments: ["build", "--quiet"], folder: "site", basePath: "/")
        try await check(
            build, ["mkdocs.yml": "site_name: x\nsite_url: SITE/\n", "docs/index.md": Self.loose],
            images: 5)
    }

    @Test(.needs(.jekyll)) func looseImagesOfJekyllAreBaked() async throws {
        let build = GeneratorExample.Build(
            tool: .jekyll, arguments: ["build", "--quiet"], folder: "_site", basePath: "/")
        try await check(
            build,
            ["_config.yml": "url: \"HOST\"\n", "index.md": "---\n---\n" + Self.loose], images: 5)
    }
}
