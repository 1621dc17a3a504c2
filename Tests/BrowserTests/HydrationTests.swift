import Foundation
import TestSupport
import Testing

/// A site whose pages React or Vue shows again asks no other host after a bake with `--data`, neither when
/// it is loaded nor when a visitor goes on.
@Suite(.timeLimit(.minutes(10)), .needs(.headlessChromium))
struct HydrationTests {
    private static let react = [
        "/usr/share/nodejs/react/umd/react.production.min.js",
        "/usr/share/nodejs/react-dom/umd/react-dom.production.min.js",
    ]
    private static let vue = ["/usr/share/javascript/vue/vue.min.js"]

    private static func areThere(_ paths: [String]) -> Bool {
        paths.allSatisfy { FileManager.default.fileExists(atPath: $0) }
    }

    /// Loads the first page, clicks, and waits for the second one.
    private static let visit = """
        (async () => {
            const until = async test => {
                for (let i = 0; i < 200 && !test(); i++) await new Promise(go => setTimeout(go, 20));
            };
            await until(() => window.isReady);
            const first = document.querySelector('img').src;
            document.querySelector('button').click();
            await until(() => document.querySelector('h1').textContent == 'Second');
            const image = document.querySelector('img');
            await until(() => image.complete);
            return JSON.stringify({
                errors: window.problems, isNew: image.src != first, width: image.naturalWidth,
                title: document.querySelector('h1').textContent,
            });
        })()
        """

    private struct Visit: Decodable, Equatable {
        var errors: [String]
        var isNew: Bool
        var width: Int
        var title: String
    }

    private func page(_ title: String, _ image: String, data: String, scripts: String) -> String {
        """
        <!doctype html><title>\(title)</title>
        <script>window.problems = []; onerror = text => { window.problems.push(String(text)) }</script>
        <script id=data type=application/json>\(data)</script>
        <div id=root><div data-server-rendered=true><h1>\(title)</h1>\
        <img src="\(image)" alt="A picture"><button>Next</button></div></div>
        \(scripts)
        """
    }

    private func check(_ framework: [String], _ app: String) async throws {
        let origin = try await Origin.start()
        for name in ["one", "two"] {
            origin["/\(name).png"] = OriginRoute(
                try Pictures.scene(width: 40, height: 30, seed: name == "one" ? 1 : 2, as: "png"),
                cacheControl: "max-age=100000")
        }
        func data(_ title: String, _ name: String) -> String {
            "{\"title\":\"\(title)\",\"image\":\"\(origin.url)/\(name).png\"}"
        }
        var files = [
            "index.html": page(
                "First", origin.url + "/one.png", data: data("First", "one"),
                scripts: (framework.indices.map { "<script src=/lib\($0).js></script>" }
                    + ["<script src=/app.js></script>"]).joined()),
            "second/index.html": page(
                "Second", origin.url + "/two.png", data: data("Second", "two"), scripts: ""),
            "second/page-data.json": data("Second", "two"),
            "app.js": app,
        ]
        for (index, path) in framework.enumerated() {
            files["lib\(index).js"] = try String(contentsOfFile: path, encoding: .utf8)
        }
        let site = try TestSite(files)
        func look() async throws -> (visit: Visit, foreign: [String]) {
            let server = try await SiteServer.start(site.folder.path("site"))
            let page = try await Browser.shared.load(server.url + "/")
            let text: String = try await page.evaluate(Self.visit)
            let visit = try JSONDecoder().decode(Visit.self, from: Data(text.utf8))
            return (visit, page.requests.map(\.url).filter { $0.hasPrefix(origin.url) })
        }
        let expected = Visit(errors: [], isNew: true, width: 40, title: "Second")
        let before = try await look()
        #expect(before.visit == expected)
        #expect(before.foreign.count == 2)
        let result = try await site.bake("--data")
        #expect(result.exitCode == 0, "\(result.errors)")
        let after = try await look()
        #expect(after.foreign == [])
        #expect(after.visit == expected)
        // The libraries have no image.
        for index in framework.indices {
            #expect(try site.text("lib\(index).js") == files["lib\(index).js"])
        }
    }

    @Test(.enabled(if: areThere(react), "there is no React of node-react-dom"))
    func reactShowsLocalImagesOnLoadAndOnClick() async throws {
        try await check(
            Self.react,
            """
            const e = React.createElement;
            function App({ first }) {
                const [page, show] = React.useState(first);
                React.useEffect(() => { window.isReady = true }, []);
                const go = async () => show(await (await fetch('/second/page-data.json')).json());
                return e('div', { 'data-server-rendered': 'true' }, e('h1', null, page.title),
                    e('img', { src: page.image, alt: 'A picture' }),
                    e('button', { onClick: go }, 'Next'));
            }
            ReactDOM.hydrateRoot(document.getElementById('root'),
                e(App, { first: JSON.parse(document.getElementById('data').textContent) }),
                { onRecoverableError: error => window.problems.push(String(error)) });
            """)
    }

    @Test(.enabled(if: areThere(vue), "there is no Vue of libjs-vue"))
    func vueShowsLocalImagesOnLoadAndOnClick() async throws {
        try await check(
            Self.vue,
            """
            new Vue({
                el: document.querySelector('#root > div'),
                data: JSON.parse(document.getElementById('data').textContent),
                mounted() { window.isReady = true },
                methods: {
                    async go() {
                        const page = await (await fetch('/second/page-data.json')).json();
                        this.title = page.title;
                        this.image = page.image;
                    }
                },
                render(e) {
                    return e('div', [e('h1', this.title),
                        e('img', { attrs: { src: this.image, alt: 'A picture' } }),
                        e('button', { on: { click: this.go } }, 'Next')]);
                },
            });
            """)
    }
}
