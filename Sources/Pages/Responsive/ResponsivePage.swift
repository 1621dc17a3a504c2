import Documents
import Recipes
import Reports
import Sites
import StyleSizing

/// Whether the page preloads an image, with a `<link rel=preload>`.
enum Preload {
    case none
    /// It does, and the link gets the files that the image gets.
    case completed
    /// It does, and the link can get no other files.
    case ofOneFile
}

/// Decides for each `<img>` of a page how it becomes responsive.
///
/// An attribute `width` with the natural width of the file gives the same box as that width itself:
/// in flow, floats, tables, inline blocks and absolute positions, with `max-width` and `min-width`.
/// It does not where a style sheet gives a width, also `auto`; where the width follows from a
/// height; where `box-sizing` makes it include padding; where an alignment stretches boxes without
/// a width; and in flexible boxes and grids, whose smallest size of an item is its natural one.
/// Such images keep one file, and so do those of a page with a style sheet that is not known.
/// Without `max-width` the width is the same in every window, and a `srcset` would be useless.
///
/// `sizes` begins with `auto` only if both attributes have the ratio of the file: browsers then
/// decide the box by the attributes alone. Nothing may set `aspect-ratio` or `object-fit`.
struct ResponsivePage {
    /// The rules of the style sheets; nil if one of them is not known.
    private let rules: [SizingRules]?
    /// Whether the rules are not known because they are too many.
    private let isTooComplex: Bool
    /// Whether the style sheets certainly apply.
    private let appliesSheets: Bool
    /// Whether the page shows images in `data:` URLs.
    private let allowsDataImages: Bool
    /// How elements of the page get declarations.
    let styling: PageStyling
    /// The scripts in the page.
    private let scripts: SourceScripts
    /// The names of elements with a shadow tree in the page.
    private let hosts: Set<String>
    /// The measured widths; nil if there are none.
    private let measured: SizesFile?
    /// The numbers of the groups in ``measured`` that the page has images of.
    private(set) var usedGroups: Set<Int> = []
    /// The effects on the parents of images.
    private var known: [ObjectIdentifier: SizingEffects] = [:]
    /// The number of tests that may still be done, so that no page takes long.
    private var budget = 20_000_000

    /// The first images are most likely visible at once, so they load at once.
    private static let eagerCount = 2

    /// - Returns: nil if no image of the page can become responsive.
    init?(
        _ extraction: Extraction, _ reading: ReadingOptions, _ resolver: URLResolver,
        _ writer: ReferenceWriter
    ) {
        guard reading.describesImages, let styles = extraction.styles else {
            return nil
        }
        measured = reading.sizes
        switch reading.styles?.rules(of: styles, resolver) {
        case .known(let known): (rules, isTooComplex) = (known, false)
        case .unknown, nil: (rules, isTooComplex) = (nil, false)
        case .tooComplex: (rules, isTooComplex) = (nil, true)
        }
        let policy = reading.styles?.policy(of: styles) ?? styles.policy
        allowsDataImages = policy.allowsDataImages
        appliesSheets = !policy.mayForbidSheets
        styling = PageStyling(extraction, policy, rules, writer)
        (scripts, hosts) = (styles.scripts, styles.hosts)
    }

    /// How an element becomes responsive; nil if it stays as it is.
    mutating func image(
        _ element: ImageElement, _ choice: ResponsiveChoice, _ options: ResponsiveOptions,
        preload: Preload = .none
    ) -> ResponsiveImage? {
        if choice.isOff || !options.describesImages { return nil }
        var image = ResponsiveImage()
        if scripts.mayName(element) {
            // A `srcset` would hide the file that a script names.
            if options.isOn { image.missing = [KeptReason(.oneFile, .script)] }
            return image
        }
        if preload == .ofOneFile, options.isOn {
            // The file that is loaded early must be the one that is shown.
            image.missing = [KeptReason(.oneFile, .preloaded)]
        } else if options.isOn {
            image = several(element, choice, options)
            if preload == .completed { image.sharesPreload() }
        }
        image.usesClasses = styling.sheet != nil
        addPlaceholder(options.placeholder, to: &image, of: element)
        return image
    }

    /// What shows an element while its image loads, where nothing of it stays visible.
    private mutating func addPlaceholder(
        _ placeholder: LoadingPlaceholder, to image: inout ResponsiveImage, of element: ImageElement
    ) {
        guard placeholder != .none, !element.hasStyle else { return }
        if let cause = missingPlaceholder(of: element) {
            return image.missing.append(KeptReason(.noPlaceholder, cause))
        }
        // A style sheet for all sites can have colours, but no pictures.
        let takesPicture = allowsDataImages && styling == .attributes
        image.placeholder = takesPicture ? placeholder : .color
    }

    private mutating func missingPlaceholder(of element: ImageElement) -> KeptReason.Cause? {
        guard let rules else { return unknownSheet }
        switch styling {
        case .attributes: break
        case .classes: if element.hasClass { return .ownClass }
        case .forbidden: return .policy
        }
        let styled = element.styled
        guard canTest(styled, by: rules.flatMap { [$0.backgrounds, $0.watchers] }) else {
            return .complexSheet
        }
        let isSeen =
            element.hasEdge
            || rules.contains {
                $0.backgrounds.mayMatch(styled) || $0.watchers.mayAskForStyle(of: styled)
            }
        if isSeen { return .style }
        for ancestor in sequence(first: styled, next: \.parent).dropFirst() {
            guard canTest(ancestor, by: rules.map(\.edges)) else { return .complexSheet }
            if ancestor.changesEdges || rules.contains(where: { $0.edges.mayMatch(ancestor) }) {
                return .style
            }
        }
        return nil
    }

    /// The files of an element, and how it loads them.
    private mutating func several(
        _ element: ImageElement, _ choice: ResponsiveChoice, _ options: ResponsiveOptions
    ) -> ResponsiveImage {
        let place = choice.sizes == nil ? ImagePlace.text(of: element) : nil
        let group = place.flatMap(group(at:))
        var image = ResponsiveImage()
        if let objection = objection(to: element) {
            image.missing = [KeptReason(.oneFile, objection)]
            return image
        }
        let effects = self.effects(on: element)
        image.widths = choice.widths ?? options.widths
        image.sizes = options.sizes
        let attributes = element.attributes
        if options.loadsLazily {
            image.loadsLazily =
                attributes.loading == nil && !element.isUrgent
                && element.number >= Self.eagerCount
            image.decodesLater = attributes.decoding == nil
        }
        image.layout = layout(of: element, choice, effects)
        if let group {
            image.use(group, of: element, effects)
        } else if measured != nil {
            image.unmeasuredPlace = place
        }
        if image.layout == .unknown, let cause = missingWidths(of: element, effects) {
            image.missing.append(KeptReason(.oneFile, cause))
        }
        let formats = choice.formats ?? options.formats
        if !formats.isEmpty, element.takesPicture {
            if let cause = missingPicture(of: element) {
                image.missing.append(KeptReason(.noPicture, cause))
            } else {
                image.formats = formats
            }
        }
        image.height = attributes.height.flatMap(pixels)
        if effects?.contains(.ratio) == false {
            image.takesHeight = attributes.height == nil && isHeightFree(of: element, effects)
            image.mayBeAuto =
                group == nil && (image.loadsLazily || attributes.loading?.lowercased() == "lazy")
        }
        return image
    }

    /// What was measured in a place.
    private func group(at place: String) -> SizesFile.Group? {
        measured?.index(of: place).flatMap { measured?.groups[$0] }
    }

    /// The ratio of the box that an element covers; nil if it was not measured.
    func coverRatio(of element: ImageElement) -> CropRatio? {
        ImagePlace.text(of: element).flatMap(group(at:))?.cover.flatMap { CropRatio(measured: $0) }
    }

    /// Whether the height of an element follows from its width, also with an attribute `height`.
    private mutating func isHeightFree(
        of element: ImageElement, _ effects: SizingEffects?
    ) -> Bool {
        guard let effects, effects.isDisjoint(with: [.height, .other]), appliesSheets, let rules
        else { return false }
        let styled = element.styled
        guard canTest(styled, by: rules.map(\.freeHeights)) else { return false }
        // The style sheets of the page do not reach into a shadow tree.
        let isInTemplate = sequence(first: styled, next: \.parent).contains {
            $0.name == "template"
        }
        return !isInTemplate && rules.contains { $0.freeHeights.mayMatch(styled) }
    }

    /// Why the element gets no attributes; nil if no style sheet shows it, or another element, in
    /// another way because of them.
    private mutating func objection(to element: ImageElement) -> KeptReason.Cause? {
        guard let rules else { return nil }
        guard canTest(element.styled, by: rules.map(\.watchers)) else { return .complexSheet }
        return rules.contains { $0.watchers.mayAsk(element.styled) } ? .selector : nil
    }

    /// Records that the page has an image of a group, whether it is baked or not.
    mutating func note(_ element: ImageElement) {
        guard let measured, let place = ImagePlace.text(of: element),
            let index = measured.index(of: place)
        else { return }
        usedGroups.insert(index)
    }

    /// The widths to add to a `srcset`; none that is near one that the author states.
    func missingWidths(
        besides stated: [Int], _ choice: ResponsiveChoice, _ options: ResponsiveOptions
    ) -> [Int] {
        if choice.isOff || !options.isOn { return [] }
        let widest = stated.max() ?? 0
        return Set(choice.widths ?? options.widths).sorted().filter { width in
            // As with bytes, 15 % are worth a file.
            width < widest && !stated.contains { $0 * 100 >= width * 85 && width * 100 >= $0 * 85 }
        }
    }

    private mutating func layout(
        of element: ImageElement, _ choice: ResponsiveChoice, _ effects: SizingEffects?
    ) -> ResponsiveImage.Layout {
        let attributes = element.attributes
        let isInBox = isInFlexibleBox(element)
        let takesWidth = effects.map { Self.takesWidth(element, $0) && !isInBox } ?? false
        let countsWidth = effects?.isDisjoint(with: [.width, .other]) ?? false
        let written = attributes.sizes.flatMap { ImageSizes($0) }
        if attributes.sizes != nil, written == nil { return .unknown }
        let lacksSize = attributes.width == nil && attributes.height == nil
        if let sizes = written ?? choice.sizes {
            // Without a `srcset`, the author's `sizes` has no effect yet.
            let hasWidth = attributes.width.flatMap(pixels) != nil && countsWidth
            guard choice.sizes != nil || hasWidth || takesWidth && lacksSize else {
                return .unknown
            }
            return .stated(
                sizes, isWritten: written != nil, takesWidth: takesWidth && lacksSize)
        }
        // Without a width that counts, the natural one does.
        guard let effects, countsWidth else { return .unknown }
        let isFluid = effects.contains(.maximumWidth) && !isInBox
        if let text = attributes.width {
            guard let width = Int(text), (1...65_535).contains(width) else { return .unknown }
            return .attribute(width, isFluid: isFluid)
        }
        return takesWidth && isFluid && attributes.height == nil ? .natural : .unknown
    }

    /// Why the element gets no `srcset`; nil if one file is enough.
    private mutating func missingWidths(
        of element: ImageElement, _ effects: SizingEffects?
    ) -> KeptReason.Cause? {
        guard let effects else { return budget < 0 ? .complexSheet : unknownSheet }
        guard effects.contains(.maximumWidth) || !effects.isDisjoint(with: [.width, .other]) else {
            return nil
        }
        return Self.takesWidth(element, effects) && isInFlexibleBox(element) ? .box : .size
    }

    /// Why the element gets no `<picture>`; nil if one around it changes nothing.
    private mutating func missingPicture(of element: ImageElement) -> KeptReason.Cause? {
        guard let rules else { return unknownSheet }
        if styling == .forbidden { return .policy }
        guard canTest(element.styled, by: rules.map(\.pictures), times: 2) else {
            return .complexSheet
        }
        let isNoticed =
            element.styled.ownEffects.contains(.inherited)
            || rules.contains { $0.pictures.mayNoticePicture(around: element.styled) }
        return isNoticed ? .pictureSelector : nil
    }

    /// Why a `<picture>` of the author gets no sources; nil if new ones change nothing.
    mutating func missingSources(of picture: AuthorPicture) -> KeptReason.Cause? {
        guard let image = picture.image else { return .pictureSelector }
        guard let rules else { return unknownSheet }
        if styling == .forbidden { return .policy }
        guard canTest(image, by: rules.map(\.pictures)) else { return .complexSheet }
        let isNoticed = rules.contains {
            $0.pictures.mayNoticeSources(before: image, followsSource: picture.members.count > 1)
        }
        return isNoticed ? .pictureSelector : nil
    }

    /// Why the rules of the style sheets are not known.
    private var unknownSheet: KeptReason.Cause { isTooComplex ? .complexSheet : .unknownSheet }

    /// Counts the tests of an element, and tells whether they may be done.
    private mutating func canTest(
        _ element: StyledElement, by groups: [SizingGroup], times: Int = 1
    ) -> Bool {
        let depth = sequence(first: element, next: \.parent).reduce(0) { count, _ in count + 1 }
        budget -= times * depth * groups.reduce(1) { $0 + $1.weight }
        return budget >= 0
    }

    /// Whether an attribute `width` with the natural width would change nothing.
    private static func takesWidth(_ element: ImageElement, _ effects: SizingEffects) -> Bool {
        guard effects.isDisjoint(with: [.width, .height, .other]) else { return false }
        return !effects.contains(.borderBox) || !effects.contains(.edge) && !element.hasEdge
    }

    /// Whether the element may be an item of a flexible box or of a grid.
    private mutating func isInFlexibleBox(_ element: ImageElement) -> Bool {
        guard let parent = element.styled.parent else { return false }
        // A slot may be in a flexible box.
        guard let rules, !hosts.contains(parent.name) else { return true }
        let key = ObjectIdentifier(parent)
        guard let effects = known[key] ?? self.effects(on: parent, by: rules.map(\.containers))
        else {
            return true
        }
        known[key] = effects
        return effects.contains(.container)
    }

    /// What style sheets may do to an image; nil if that is not known.
    private mutating func effects(on element: ImageElement) -> SizingEffects? {
        guard let rules else { return nil }
        return effects(on: element.styled, by: rules.map(\.images))
    }

    /// What style sheets may do to an element; nil if that takes too long to find out.
    private mutating func effects(
        on element: StyledElement, by groups: [SizingGroup]
    ) -> SizingEffects? {
        guard canTest(element, by: groups) else { return nil }
        return groups.reduce(into: element.ownEffects) { $0.formUnion($1.effects(on: element)) }
    }
}

/// The number of a `width` or `height`; nil if no picture is that large.
private func pixels(_ text: String) -> Int? {
    Int(text).flatMap { (1...65_535).contains($0) ? $0 : nil }
}

extension ResponsiveImage {
    /// Leaves out what a link that preloads the image cannot have too.
    fileprivate mutating func sharesPreload() {
        if !formats.isEmpty { missing.append(KeptReason(.noPicture, .preloaded)) }
        (formats, mayBeAuto, loadsLazily) = ([], false, false)
    }

    /// Takes the measured width of its group.
    ///
    /// It also tells the width where style sheets decide it: then the box does not follow from
    /// `sizes`, or is as wide as it was measured. That does not hold where style sheets ask for the
    /// natural size itself.
    fileprivate mutating func use(
        _ group: SizesFile.Group, of element: ImageElement, _ effects: SizingEffects?
    ) {
        measured = group.widths
        inset = Int(group.inset.rounded())
        guard layout == .unknown, group.isEven, let effects, !effects.contains(.other),
            !effects.isDisjoint(with: [.width, .height, .maximumWidth])
        else { return }
        let attribute = element.attributes.width.flatMap(pixels)
        layout = .measured(
            group.widths,
            limit: group.stretches ? .none : attribute.map { .attribute($0) } ?? .natural)
    }
}
