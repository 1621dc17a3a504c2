package import FetchCache
package import Recipes
import Records
package import Sites

/// The options of a bake that concern its images.
package struct PictureOptions: Sendable {
    /// How stored entries are used.
    package var mode: FetchRequest.Mode
    /// Whether to retry URLs that failed in an earlier run.
    package var retryFailed: Bool
    /// Whether levels of other machines are used.
    package var usesOtherMachines: Bool
    /// The time for which a failure is remembered, in seconds.
    package var failureLifetime: Int64
    /// The images that URLs must give; nil for any.
    package var lock: Lockfile?
    /// Upper limits for each image.
    package var limits: Limits
    /// Whether images are written to the site.
    package var publishes: Bool
    /// Whether a ``SiteIndex`` is written.
    package var writesIndex: Bool
    /// The part of the site that is baked; nil for all of it.
    package var shard: Shard?
    /// The keys of results.
    package var keys: ResultKeys

    package init(
        mode: FetchRequest.Mode, retryFailed: Bool, usesOtherMachines: Bool,
        failureLifetime: Int64, lock: Lockfile? = nil, limits: Limits, publishes: Bool,
        writesIndex: Bool, shard: Shard? = nil, keys: ResultKeys
    ) {
        self.mode = mode
        self.retryFailed = retryFailed
        self.usesOtherMachines = usesOtherMachines
        self.failureLifetime = failureLifetime
        self.lock = lock
        self.limits = limits
        self.publishes = publishes
        self.writesIndex = writesIndex
        self.shard = shard
        self.keys = keys
    }
}
