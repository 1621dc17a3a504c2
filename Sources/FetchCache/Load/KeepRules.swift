/// Decides whether and how a new response is stored (RFC 9111, sections 3 and 4.3).
///
/// The decisions are functions of the response, the request and the stored response.
struct KeepRules: Sendable {
    /// The treatment of the body of a new response.
    enum Action: Sendable, Hashable {
        /// Store it under the key of the request.
        case store
        /// Store it as a part of a resource.
        case storePart
        /// Pass it on to the callers only.
        ///
        /// If `drops` is true, the response that is stored under the key is removed. If `erases` is
        /// true, all stored responses of the target are removed, with their blobs and variants.
        case pass(drops: Bool, erases: Bool)
    }

    let builder: RequestBuilder
    let rules: LoadRules

    /// Decides how the body of a response is treated.
    func action(
        on head: ResponseHead, isNoStore: Bool, for target: LoadTarget
    ) -> Action {
        let isStored = !isNoStore && mayStore(head, target)
        if head.status == 206 { return isStored ? .storePart : .pass(drops: false, erases: false) }
        if isStored { return .store }
        let drops = !target.control.noStore && target.request.method.isStored
        return .pass(drops: drops, erases: drops && isNoStore)
    }

    /// Whether a response may be stored (RFC 9111, section 3).
    private func mayStore(_ head: ResponseHead, _ target: LoadTarget) -> Bool {
        let control = CacheControl(head.fields)
        if control.noStore || target.control.noStore || !target.request.method.isStored {
            return false
        }
        return Freshness.heuristicStatuses.contains(head.status) || control.maxAge != nil
            || control.isPublic || control.isPrivate || head.fields["Expires"] != nil
            || rules.timeToLive(of: target.request) != nil
    }

    /// Whether a 304 response is about the stored response (RFC 9111, section 4.3.4).
    func confirms(_ download: Download, _ match: StoredMatch) -> Bool {
        guard let new = Validators(download.response.head.fields).strongETag,
            let old = Validators(match.fields).strongETag
        else { return true }
        return new == old
    }

    /// Whether a HEAD response is about the stored representation (RFC 9111, section 4.3.5).
    func describes(_ download: Download, _ entry: Entry) -> Bool {
        guard download.finalURL == entry.finalURL else { return false }
        let (new, old) = (download.response.head.fields, entry.fields)
        for name in ["ETag", "Last-Modified"] {
            if let value = new[name], value != old[name] { return false }
        }
        guard let length = new["Content-Length"] else { return true }
        return length == old["Content-Length"] ?? String(entry.byteCount)
    }

    /// The stored head of an entry, updated by the head of a 304 or HEAD response.
    func renewed(_ entry: Entry, by download: Download, for target: LoadTarget) -> StoredResponse {
        var head = download.response.head
        var fields = entry.fields
        fields.update(from: head.fields)
        (head.version, head.status, head.fields) = (
            entry.response.version, entry.response.status, fields
        )
        return headToStore(head, of: download, for: target)
    }

    /// The head to store.
    ///
    /// It stays fresh no longer than the redirects that led to it.
    func headToStore(_ head: ResponseHead, of download: Download, for target: LoadTarget)
        -> StoredResponse
    {
        let control = CacheControl(head.fields)
        let response = download.response
        let freshness = Freshness(
            head, control, requestTime: response.requestTime,
            responseTime: response.responseTime)
        let limit = download.redirectsFreshUntil
        let age = Freshness.initialAge(
            head.fields, requestTime: response.requestTime, responseTime: response.responseTime)
        let fields = head.fields.storable(keepsCookies: builder.configuration.keepsCookies)
        return StoredResponse(
            version: head.version, status: head.status, fieldText: fields.text,
            arrival: response.responseTime, expiry: min(freshness.freshUntil, limit),
            backgroundLimit: min(freshness.revalidateUntil, limit),
            vary: builder.selector(head.fields, control, to: download.request, of: target),
            initialAge: age)
    }
}
