import DocumentSyntax
import Documents
import Testing

/// Tests front matter from the examples of themes and starters.
@Suite(.timeLimit(.minutes(10)))
struct ThemeTests {
    @Test func findsImagesOfHugoPaperMod() {
        expectReferences(
            """
            ---
            title: "My 1st post"
            date: 2020-09-15T11:30:03+00:00
            # weight: 1
            tags: ["first"]
            author: ["Me", "You"]
            canonicalURL: "https://canonical.url/to/page.png"
            cover:
                image: "⟦https://h.example/image.png⟧" # image path/url
                alt: "<alt text>" # alt text
                caption: "<text> https://h.example/no.png"
                relative: false # when using page bundles
                hidden: true
            editPost:
                URL: "https://github.com/x/content"
            ---

            ![x](⟦https://h.example/x.png⟧)

            """, .markdown)
    }

    @Test func findsImagesOfHugoStackAndBlowfishInTOML() {
        expectReferences(
            """
            +++
            title = "Post"
            date = 2024-05-01T10:00:00+02:00
            draft = false
            featureimage = "⟦https://h.example/feature.jpg⟧"
            image = '⟦https://h.example/a.jpg⟧'
            images = ["⟦https://h.example/b.jpg⟧"]
            weight = 1_000

            [menu.main]
              name = "https://h.example/no.png"
            [[resources]]
              src = "https://h.example/no.png"
              [resources.params]
                logo = "⟦https://h.example/logo.svg⟧"
            [author]
              image = "⟦https://h.example/me.jpg⟧"
            +++
            Text.

            """, .markdown)
    }

    @Test func findsImagesOfHugoInJSON() {
        expectReferences(
            """
            {
               "categories": ["Development"],
               "date": "2012-04-06",
               "description": "spf13-vim \\"x\\"",
               "featured_image": "⟦https://h.example/a.png⟧",
               "params": { "cover": { "image": "⟦https://h.example/b.png⟧", "n": 1e3 } }
            }

            ![x](⟦https://h.example/x.png⟧)

            """, .markdown)
    }

    @Test func findsImagesOfJekyllMinimalMistakes() {
        let page = Marked(
            """
            ---
            layout: single
            title: "Layout: Header Image"
            header:
              image: ⟦https://h.example/header.jpg⟧
              overlay_image: ⟦/assets/overlay.jpg⟧
              overlay_filter: rgba(255, 0, 0, 0.5)
              teaser: "⟦https://h.example/teaser.jpg⟧"
              og_image: ⟦/assets/og.jpg⟧
              caption: "Photo: [**x**](https://h.example/no.png)"
              actions:
                - label: "More"
                  url: "https://h.example/no.png"
            gallery:
              - url: https://h.example/no.jpg
                image_path: ⟦https://h.example/gallery.jpg⟧
                alt: "x"
            author:
              avatar: '⟦https://h.example/bio.jpg⟧'
            ---
            {% include figure image_path="https://h.example/no.png" %}

            """)
        let options = ExtractionOptions(frontMatterKeys: [
            "header.overlay_image", "header.teaser", "gallery.image_path",
        ])
        let extraction = extract(page.bytes, kind: .markdown, options: options)
        #expect(extraction.references.map(\.url) == page.marks)
        #expect(extraction.references.map(\.range) == page.ranges)
        // Only a rule says which argument of an include is an image.
        #expect(
            extraction.problems.map(\.reason)
                == [.shortcodes(count: 1, name: "include figure image_path")])
    }

    @Test func findsImagesOfJekyllSEOTag() {
        expectReferences(
            """
            ---
            image:
              path: ⟦https://h.example/twitter.png⟧
              height: 100
              width: 100
            twitter: {card: summary}
            logo: ⟦/logo.png⟧
            ---

            """, .markdown)
    }

    @Test func findsImagesOfAstroStarters() {
        expectReferences(
            """
            ---
            title: 'First post'
            description: 'Lorem ipsum dolor sit amet'
            pubDate: 'Jul 08 2022'
            heroImage: '⟦https://h.example/blog-placeholder-3.jpg⟧'
            ogImage: ⟦../../assets/og.png⟧
            image:
                url: '⟦https://docs.example/logo⟧'
                alt: 'The Astro logo.'
            ---
            import X from '../x.astro'

            <X client:load image={x} />

            """,
            .mdx)
    }

    @Test func findsImagesOfEleventyInJSON() {
        expectReferences(
            "---json\r\n{\r\n  \"title\": \"x\",\r\n  \"hero\": { \"src\": \"⟦https://h.example/a.png⟧\" },"
                + "\r\n  \"tags\": [\"post\"]\r\n}\r\n---\r\n# {{ title }}\r\n", .markdown)
    }
}
