import Baking

/// The scripts that run beside those of a page, in a world of their own: no page can change what
/// they call.
enum MeasureScripts {
    /// The images of a page, and two frames, in which observers are called and what they change is
    /// laid out.
    private static let tools = """
        const images = [...document.querySelectorAll("img[\(MeasuredSite.attribute)]")].slice(0, 2000);
        const frame = () => new Promise(done => requestAnimationFrame(() => setTimeout(done)));
        const pause = time => new Promise(done => setTimeout(done, time));
        """

    /// Loads all images, also those that load lazily by attributes or by scripts that watch
    /// scrolling.
    static let settle = """
        (async () => {
            \(tools)
            while (document.readyState !== "complete") await pause(20);
            for (const image of images) image.loading = "eager";
            const root = document.scrollingElement || document.documentElement;
            for (let step = 0; step < 40 && step * innerHeight < root.scrollHeight; step++) {
                scrollTo({ top: step * innerHeight, behavior: "instant" });
                await frame();
                await frame();
            }
            scrollTo({ top: 0, behavior: "instant" });
            const waiting = images.map(image => image.decode().catch(() => {}));
            await Promise.race([Promise.all([...waiting, document.fonts.ready]), pause(5000)]);
            await frame();
            return true;
        })()
        """

    /// The images, each with the number of its place, its width without padding and border, 0 if it
    /// is hidden, its natural width, 0 if it could not be shown, and what its attribute `width`
    /// counts besides.
    ///
    /// An image that covers a box of another ratio is as wide as it is drawn.
    static let widths = """
        (async () => {
            \(tools)
            await frame();
            await frame();
            const finite = value => Number.isFinite(value) ? Math.min(Math.max(value, 0), 1e6) : 0;
            const number = text => finite(parseFloat(text));
            return images.map(image => {
                const style = getComputedStyle(image);
                let width = image.getClientRects().length ? number(style.width) : 0;
                let height = number(style.height);
                let inset = 0;
                if (width && style.boxSizing === "border-box") {
                    inset = number(style.paddingLeft) + number(style.paddingRight)
                        + number(style.borderLeftWidth) + number(style.borderRightWidth);
                    width -= inset;
                    height -= number(style.paddingTop) + number(style.paddingBottom)
                        + number(style.borderTopWidth) + number(style.borderBottomWidth);
                }
                const natural = image.naturalWidth;
                if (width && natural && style.objectFit === "cover") {
                    width = Math.max(width, height * natural / image.naturalHeight);
                }
                const attribute = /^\\s*\\d+\\s*$/.test(image.getAttribute("width") || "");
                const place = Number(image.getAttribute("\(MeasuredSite.attribute)"));
                return {
                    place: Number.isSafeInteger(place) ? place : -1,
                    width: finite(width),
                    natural: natural && attribute
                        ? Math.max(1, number(image.getAttribute("width")) - inset) : natural,
                    inset: attribute ? inset : 0,
                };
            });
        })()
        """
}

/// An image of a page in one window.
struct ShownImage: Decodable, Sendable {
    /// The number of its place.
    var place: Int
    /// In pixels; 0 if it is hidden.
    var width: Double
    /// The width that it has where nothing makes it narrower or wider; 0 if it could not be loaded.
    var natural: Double
    /// The padding and border in its attribute `width`.
    var inset: Double
}
