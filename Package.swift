// swift-tools-version: 6.1
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// For code that works on each byte of an image or a text.
///
/// Without optimisation it takes several times as long, and much of the time of tests. Nothing of
/// FetchCache has it, because a package with such flags cannot be a dependency.
let optimized = settings + [.unsafeFlags(["-O"], .when(configuration: .debug))]

// Everything runs on Linux only: Files/Platform.swift has what differs elsewhere.
let package = Package(
    name: "imgbake",
    products: [
        .library(name: "FetchCache", targets: ["FetchCache"]),
        .executable(name: "imgbake", targets: ["imgbake"]),
        .executable(name: "imgbake-worker", targets: ["imgbake-worker"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.1.0"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        // Only the test server uses it; no product depends on it.
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    ],
    targets: [
        .target(name: "CBoundedParsers", dependencies: ["CCmarkGFM"]),
        .systemLibrary(name: "CCmarkGFM", providers: [.apt(["libcmark-gfm-extensions-dev"])]),
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "CCurl"),
        // Only tests and measurements use it, for comparison.
        .systemLibrary(name: "CGumbo", pkgConfig: "gumbo", providers: [.apt(["libgumbo-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(
            name: "CLittleCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
        .target(name: "COpenedFiles"),
        .systemLibrary(name: "CSync"),
        .systemLibrary(name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        .target(
            name: "FetchCache",
            dependencies: [
                "CCurl", "Files", "Hashing", "ImageFormats", "Locks", "Secrets", "URLs",
                .product(name: "DequeModule", package: "swift-collections"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "Documents",
            dependencies: [
                "CBoundedParsers", "CCmarkGFM", "CSSSyntax", "DocumentSyntax", "ImageFormats",
                "Locks", "StyleSizing", "URLs",
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: optimized
        ),
        .target(
            name: "Files",
            dependencies: ["CSync", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: settings),
        .target(name: "Hashing", dependencies: ["CCrypto"], swiftSettings: settings),
        .target(name: "ImageFormats", dependencies: ["CZlib"], swiftSettings: settings),
        .target(name: "CSSSyntax", swiftSettings: optimized),
        .target(
            name: "DocumentSyntax", dependencies: ["URLs"],
            resources: [.embedInCode("HTML/named-characters.txt")], swiftSettings: optimized),
        .target(
            name: "StyleSizing", dependencies: ["CSSSyntax", "DocumentSyntax"],
            swiftSettings: optimized),
        .target(name: "Locks", dependencies: ["Files"], swiftSettings: settings),
        .target(name: "SafeSVG", dependencies: ["CSSSyntax", "URLs"], swiftSettings: optimized),
        .target(name: "URLs", dependencies: ["Files"], swiftSettings: settings),
        .target(
            name: "Secrets",
            dependencies: ["Hashing", "URLs"],
            swiftSettings: settings),
        .target(name: "Recipes", dependencies: ["ImageFormats"], swiftSettings: settings),
        .target(
            name: "Imaging",
            dependencies: [
                "CLittleCMS", "CVips", "CZlib", "ImageFormats", "Locks", "Recipes", "SafeSVG",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: optimized),
        .target(
            name: "WorkerSandbox",
            dependencies: ["COpenedFiles", "CLinux", "Files", "Locks", "Recipes"],
            swiftSettings: settings),
        .target(
            name: "DevTools", dependencies: ["Locks", "WorkerSandbox"],
            swiftSettings: settings),
        .target(
            name: "Measuring",
            dependencies: [
                "Baking", "DevTools", "FetchCache", "Locks", "Reports", "Sites",
            ],
            swiftSettings: settings),
        .target(
            name: "Records",
            dependencies: [
                "FetchCache", "Files", "Locks", "Recipes",
            ],
            swiftSettings: settings),
        .target(
            name: "Reports",
            dependencies: [
                "Documents", "FetchCache", "Files", "Locks", "Recipes", "Records", "Secrets",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            // A link to the page in docs.
            resources: [.embedInCode("diagnostics.md")],
            swiftSettings: settings),
        .target(
            name: "Sites",
            dependencies: [
                "Documents", "FetchCache", "Files", "ImageFormats", "Locks", "Recipes", "Records",
                "Reports", "Secrets", "StyleSizing", "URLs",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .target(
            name: "Pictures",
            dependencies: [
                "Documents", "FetchCache", "Files", "Hashing", "ImageFormats", "Locks", "Recipes",
                "Records", "Reports", "SafeSVG", "Secrets", "Sites", "StyleSizing", "URLs",
                "WorkerSandbox",
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: settings),
        .target(
            name: "Pages",
            dependencies: [
                "Documents", "FetchCache", "Files", "Hashing", "ImageFormats", "Locks", "Pictures",
                "Recipes", "Records", "Reports", "Secrets", "Sites", "StyleSizing", "URLs",
            ],
            swiftSettings: settings),
        .target(
            name: "Baking",
            dependencies: [
                "Documents", "FetchCache", "Files", "ImageFormats", "Locks", "Pages", "Pictures",
                "Recipes", "Records", "Reports", "Secrets", "Sites", "StyleSizing", "URLs",
                "WorkerSandbox",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .executableTarget(
            name: "imgbake",
            dependencies: [
                "Baking", "DevTools", "Documents", "FetchCache", "Files", "ImageFormats", "Locks",
                "Measuring", "Pages", "Pictures", "Recipes", "Records", "Reports", "Secrets",
                "Sites", "URLs",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "Yams", package: "Yams"),
            ],
            resources: [
                .embedInCode("Reports/report.css"), .embedInCode("Reports/report.html"),
                .embedInCode("Reports/report.js"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "imgbake-worker",
            dependencies: [
                "Imaging", "Recipes", "WorkerSandbox",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),

        .target(
            name: "TestSupport",
            dependencies: [
                "DevTools", "Locks",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/TestSupport",
            swiftSettings: optimized
        ),
        .executableTarget(
            name: "cache-probe", dependencies: ["FetchCache"], path: "Tests/CacheProbe",
            swiftSettings: settings),
        .executableTarget(
            name: "files-probe",
            dependencies: ["Files", .product(name: "SystemPackage", package: "swift-system")],
            path: "Tests/FilesProbe", swiftSettings: settings),
        .executableTarget(
            name: "worker-probe", dependencies: ["CLinux", "Recipes", "WorkerSandbox"],
            path: "Tests/WorkerProbe", swiftSettings: settings),
        .executableTarget(
            name: "documents-probe", dependencies: ["CCmarkGFM", "CGumbo", "Documents"],
            path: "Tests/DocumentsProbe", swiftSettings: settings),
        .executableTarget(
            name: "fetch-example", dependencies: ["FetchCache"], path: "examples/fetch-example",
            swiftSettings: settings),
        .testTarget(
            name: "FetchCacheTests",
            dependencies: [
                "FetchCache", "Files", "ImageFormats", "Locks", "TestSupport", "cache-probe",
                "fetch-example",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FilesTests",
            dependencies: [
                "Files", "Locks", "TestSupport", "files-probe",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DocumentsTests",
            dependencies: [
                "CCmarkGFM", "CGumbo", "CSSSyntax", "DocumentSyntax", "Documents", "StyleSizing",
                "TestSupport", "documents-probe",
            ],
            resources: [.copy("Resources")], swiftSettings: settings),
        .testTarget(
            name: "SafeSVGTests", dependencies: ["SafeSVG"], swiftSettings: settings),
        .testTarget(
            name: "ImagingTests",
            dependencies: [
                "ImageFormats", "Imaging", "Recipes", "SafeSVG", "TestSupport", "WorkerSandbox",
                "imgbake-worker", "worker-probe",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "BakingTests",
            dependencies: [
                "Baking", "Documents", "FetchCache", "Files", "ImageFormats", "Locks", "Pages",
                "Pictures", "Recipes", "Records", "Reports", "Secrets", "Sites", "StyleSizing",
                "TestSupport",
                "WorkerSandbox", "worker-probe",
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MeasuringTests",
            dependencies: [
                "Baking", "Measuring", "Reports", "Sites",
            ], swiftSettings: settings),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "Baking", "DevTools", "FetchCache", "Files", "Locks", "Recipes",
                "Reports", "Sites", "TestSupport", "imgbake",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Hashing", "TestSupport", "imgbake", "imgbake-worker", "worker-probe",
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "BrowserTests",
            dependencies: [
                "Baking", "DevTools", "Imaging", "Measuring", "Pictures", "Recipes",
                "Reports", "Sites", "TestSupport", "imgbake", "imgbake-worker",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
