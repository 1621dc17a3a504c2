import DocumentSyntax
import Documents
import Testing

/// Tests feeds in the form that site generators and publishing systems write.
@Suite(.timeLimit(.minutes(10)))
struct RealFeedTests {
    @Test func findsImagesOfWordPressFeed() {
        expectReferences(
            """
            <?xml version="1.0" encoding="UTF-8"?><rss version="2.0"
            \txmlns:content="http://purl.org/rss/1.0/modules/content/"
            \txmlns:media="http://search.yahoo.com/mrss/" >
            <channel>
            \t<title>Site &#8211; é</title>
            \t<atom:link href="https://h.example/feed/" rel="self" type="application/rss+xml" />
            \t<image>
            \t<url>⟦https://h.example/icon-32x32.png⟧</url>
            \t<title>Site</title>
            \t<link>https://h.example/no.png</link>
            \t<width>32</width>
            \t</image>
            \t<item>
            \t\t<description><![CDATA[<p>Short [&#8230;]</p>]]></description>
            \t\t<content:encoded><![CDATA[
            <figure class="wp-block-image"><img decoding="async" width="1024" height="683" \
            src="⟦https://i0.wp.com/h.example/a.jpg?resize=1024%2C683&#038;ssl=1⟧" alt="" \
            srcset="⟦https://h.example/a.jpg?w=1024&amp;ssl=1⟧ 1024w, ⟦https://h.example/b.jpg⟧ 300w" /></figure>
            <pre>&lt;img src="no.png"&gt;</pre>
            ]]></content:encoded>
            \t\t<media:thumbnail url="⟦https://h.example/a.jpg⟧" />
            \t\t<media:content url="⟦https://h.example/a.jpg?x=1&amp;y=2⟧" medium="image">
            \t\t\t<media:title type="html">a &lt;img src="no.png"&gt;</media:title>
            \t\t</media:content>
            \t</item>
            </channel>
            </rss>

            """, .xml,
            urls: [
                "https://h.example/icon-32x32.png",
                "https://i0.wp.com/h.example/a.jpg?resize=1024%2C683&ssl=1",
                "https://h.example/a.jpg?w=1024&ssl=1", "https://h.example/b.jpg",
                "https://h.example/a.jpg", "https://h.example/a.jpg?x=1&y=2",
            ])
    }

    @Test func findsImagesOfJekyllFeed() {
        expectReferences(
            """
            <?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">\
            <generator uri="https://jekyllrb.com/" version="4.3.3">Jekyll</generator>\
            <link href="https://h.example/feed.xml" rel="self" type="application/atom+xml" />\
            <icon>⟦https://h.example/favicon.png⟧</icon><logo>⟦/logo.svg⟧</logo>\
            <title type="html">Site</title><entry><title type="html">&lt;img src="no.png"&gt;</title>
            <content type="html" xml:base="https://h.example/post/"><![CDATA[<p><img \
            src="⟦https://h.example/a.png⟧" alt="x" /></p>]]></content>
            <summary type="html"><![CDATA[x]]></summary>\
            <media:thumbnail xmlns:media="http://search.yahoo.com/mrss/" url="⟦https://h.example/a.png⟧" />
            <media:content medium="image" url="⟦https://h.example/b⟧" \
            xmlns:media="http://search.yahoo.com/mrss/" /></entry></feed>
            """, .xml)
    }

    @Test func findsImagesOfHugoFeed() {
        expectReferences(
            """
            <?xml version="1.0" encoding="utf-8" standalone="yes"?>
            <rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
              <channel>
                <item>
                  <title>Post</title>
                  <description>&lt;p&gt;&lt;img src=&#34;⟦https://h.example/a.png⟧&#34; alt=&#34;é&#34; \
            loading=&#34;lazy&#34; /&gt;&lt;/p&gt;
            &lt;div class=&#34;highlight&#34;&gt;&lt;code&gt;&amp;lt;img src=&amp;quot;no.png&amp;quot;&amp;gt;&lt;/code&gt;&lt;/div&gt;</description>
                </item>
              </channel>
            </rss>

            """, .xml)
    }

    @Test func findsImagesOfPodcastFeed() {
        expectReferences(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <rss xmlns:itunes="http://www.itunes.com/dtds/findsImagesOfPodcastFeed-1.0.dtd" version="2.0"><channel>
            <itunes:image href="⟦https://h.example/cover.jpg⟧"/>
            <item><enclosure url="https://h.example/e.mp3" length="1" type="audio/mpeg"/>
            <itunes:image href='⟦https://h.example/episode.jpg⟧'></itunes:image>
            <itunes:summary><![CDATA[<img src="⟦https://h.example/s.png⟧">]]></itunes:summary>
            </item></channel></rss>
            """, .xml)
    }

    @Test func findsImagesOfInkscapeSVG() {
        expectReferences(
            """
            <?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <!-- Created with Inkscape (http://www.findsImagesOfInkscapeSVG.org/) -->
            <svg
               xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"
               xmlns:xlink="http://www.w3.org/1999/xlink"
               xmlns="http://www.w3.org/2000/svg"
               width="210mm">
              <sodipodi:namedview pagecolor="#ffffff" />
              <defs><pattern id="p"><image
                 width="10"
                 xlink:href="⟦https://h.example/texture.png⟧"
                 preserveAspectRatio="none" /></pattern></defs>
              <path style="fill:red" d="M 0,0" findsImagesOfInkscapeSVG:export-filename="no.png" />
              <use xlink:href="#p" /><a xlink:href="https://h.example/no.png"/>
            </svg>

            """, .xml)
    }
}
