import Foundation
import Testing

@testable import FetchCache

/// Times and durations in milliseconds, which are clamped to a range without overflow.
struct TimestampTests {
    /// A sum of it and a time of the clock is not too large.
    @Test(
        arguments: [
            (Duration.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), 0),
            (.microseconds(999), 1),
            (.microseconds(1_999), 1), (.milliseconds(-1_500), -1_500), (.seconds(61), 61_000),
            (.milliseconds(Int64.max / 2 - 1), Int64.max / 2 - 1),
            (.seconds(Int64.max), Int64.max / 2),
            (.milliseconds(Int64.max), Int64.max / 2), (.seconds(Int64.min), -Int64.max / 2),
            (.milliseconds(Int64.min), -Int64.max / 2),
        ] as [(Duration, Int64)])
    func durationsAreMillisecondsOfHalfTheRange(_ duration: Duration, milliseconds: Int64) {
        #expect(duration.milliseconds == milliseconds)
    }

    @Test(
        arguments: [
            (Duration.zero, "0 s"), (.seconds(15), "15 s"), (.milliseconds(250), "250 ms"),
            (.milliseconds(1_001), "1001 ms"),
        ] as [(Duration, String)])
    func wordsOfADurationAreSecondsIfItIsWhole(_ duration: Duration, words: String) {
        #expect(duration.words == words)
    }

    @Test(arguments: [(0, 999_999, 0), (5, 1_000_000, 5_001), (1, 999_999_999, 1_999)])
    func timesOfAClockAreWholeMilliseconds(seconds: Int, nanoseconds: Int, expected: Int64) {
        #expect(Timestamp((seconds, nanoseconds)).milliseconds == expected)
    }

    @Test(
        arguments: [
            (0, 5, 5_000), (7, -5, 0), (7_000, -5, 2_000), (1 << 53, 1, 1 << 53),
            (1, .max, 1 << 53), (1, .min, 0), (.max, 1, 1 << 53),
        ] as [(Int64, Int64, Int64)])
    func timesStayInTheirRange(_ start: Int64, seconds: Int64, expected: Int64) {
        let time = Timestamp(milliseconds: start).advanced(bySeconds: seconds)
        #expect(time.milliseconds == expected)
    }

    @Test(
        arguments: [(5_999, 0, 5), (0, 5_999, -5), (.max, -1, .max), (.max, 1, .max / 1000)]
            as [(Int64, Int64, Int64)])
    func secondsBetweenTimesAreWhole(_ time: Int64, since other: Int64, expected: Int64) {
        let seconds = Timestamp(milliseconds: time).seconds(since: Timestamp(milliseconds: other))
        #expect(seconds == expected)
    }

    @Test(
        arguments: [
            (0.0, 0), (1.0006, 1_001), (-1, 0), (1e300, 1 << 53), (-1e300, 0),
            (1e9, 1_000_000_000_000),
        ] as [(Double, Int64)])
    func datesAreTimesInTheirRange(_ seconds: Double, milliseconds: Int64) {
        let time = Timestamp(Date(timeIntervalSince1970: seconds))
        #expect(time.milliseconds == milliseconds)
    }
}
