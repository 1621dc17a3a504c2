/// Groups the `<meta>` elements of a page that describe one image.
///
/// In the Open Graph protocol (https://ogp.me/#structured), properties such as `og:image:width`
/// belong to the `og:image` before them. Properties before any image belong to the first one.
struct MetaImages {
    private struct Image {
        var labels: Set<String> = []
        /// The slots with the image's URLs, such as `og:image` and `og:image:secure_url`.
        var slots: [Int] = []
        var claims: [Int] = []
    }

    /// The images by vocabulary, such as `og` and `twitter`.
    private var images: [Substring: [Image]] = [:]
    private var early: [Substring: [Int]] = [:]

    /// Adds the slot of a `<meta>` element.
    mutating func add(_ content: HTMLValue, slot: Int) {
        switch content {
        case .url(let attribute) where attribute.name.contains(":"): addURL(attribute.name, slot)
        case .claim(_, let attribute): addClaim(attribute.name, slot)
        default: break
        }
    }

    private static func vocabulary(_ label: String) -> Substring { label.prefix { $0 != ":" } }

    private mutating func addURL(_ label: String, _ slot: Int) {
        let vocabulary = Self.vocabulary(label)
        // Taken out of the dictionary, so that it is not copied when it changes.
        var list = images.removeValue(forKey: vocabulary) ?? []
        let isRoot = label == "\(vocabulary):image"
        if isRoot || list.last?.labels.contains(label) != false {
            list.append(Image(claims: early.removeValue(forKey: vocabulary) ?? []))
        }
        list[list.count - 1].labels.insert(label)
        list[list.count - 1].slots.append(slot)
        images[vocabulary] = list
    }

    private mutating func addClaim(_ label: String, _ slot: Int) {
        let vocabulary = Self.vocabulary(label)
        guard let count = images[vocabulary]?.count else {
            early[vocabulary, default: []].append(slot)
            return
        }
        images[vocabulary]?[count - 1].claims.append(slot)
    }

    /// Calls `body` with each image slot and the slots of its claims.
    func forEach(_ body: (_ slot: Int, _ claims: [Int]) -> Void) {
        for image in images.values.joined() {
            for slot in image.slots { body(slot, image.claims) }
        }
    }
}
