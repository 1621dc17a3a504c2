import Testing

@testable import FetchCache

struct IPAddressTests {
    @Test(arguments: [
        ("0.0.0.0", "unspecified"), ("0.1.2.3", "unspecified"),
        ("0.255.255.255", "unspecified"), ("10.255.255.255", "private"),
        ("127.255.255.255", "loopback"), ("169.254.255.255", "link-local"),
        ("192.168.255.255", "private"), ("192.0.0.255", "reserved"), ("192.0.2.255", "reserved"),
        ("192.88.99.255", "reserved"), ("198.51.100.255", "reserved"),
        ("203.0.113.255", "reserved"),
        ("10.0.0.1", "private"), ("172.16.0.1", "private"), ("172.31.255.255", "private"),
        ("192.168.1.1", "private"), ("127.0.0.1", "loopback"), ("127.255.255.254", "loopback"),
        ("169.254.169.254", "link-local"), ("100.64.0.1", "carrier-grade NAT"),
        ("100.127.255.255", "carrier-grade NAT"), ("224.0.0.1", "multicast"),
        ("239.255.255.255", "multicast"), ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"), ("192.0.0.1", "reserved"), ("192.0.2.1", "reserved"),
        ("198.18.0.1", "reserved"), ("198.19.255.255", "reserved"), ("198.51.100.7", "reserved"),
        ("203.0.113.9", "reserved"), ("192.88.99.1", "reserved"),
        ("::", "unspecified"), ("::1", "loopback"), ("::2", "unspecified"),
        ("fe80::1", "link-local"),
        ("fe80::1%eth0", "link-local"), ("febf::1", "link-local"), ("fc00::1", "private"),
        ("fdff::1", "private"), ("fec0::1", "private"), ("ff02::1", "multicast"),
        ("2001:db8::1", "reserved"), ("3fff::1", "reserved"), ("100::1", "reserved"),
        ("2001:10::1", "reserved"), ("2001:2::1", "reserved"), ("64:ff9b:1::1", "reserved"),
        ("4000::1", "reserved"), ("5f00::1", "reserved"), ("1fff::1", "reserved"),
        ("2001:db8:ffff::1", "reserved"), ("2001:1ff::1", "reserved"), ("3fff:fff::1", "reserved"),
        ("ffff::1", "multicast"), ("feff::1", "private"),
        // The embedded IPv4 address determines the kind.
        ("::ffff:127.0.0.1", "loopback"), ("::ffff:10.0.0.1", "private"),
        ("::ffff:0:10.0.0.1", "private"), ("::127.0.0.1", "loopback"), ("::10.1.2.3", "private"),
        ("64:ff9b::7f00:1", "loopback"), ("64:ff9b::169.254.169.254", "link-local"),
        ("2002:7f00:1::", "loopback"), ("2002:c0a8:101::1", "private"),
        // Teredo: 192.168.0.1 with inverted bits, and a public server
        ("2001:0:808:808::3f57:fffe", "private"), ("2001:0:a00:1::f7f7:f7f7", "private"),
    ])
    func recognizesSpecialAddresses(_ text: String, kind: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.specialKind == kind)
    }

    @Test(arguments: [
        "1.0.0.0", "169.255.0.0", "192.0.3.0", "192.88.98.255", "192.88.100.0", "198.51.99.255",
        "198.51.101.0", "203.0.112.255", "203.0.114.0", "2000::1", "3ffe:ffff::1", "3fff:1000::1",
        "2001:db7:ffff::1",
        "8.8.8.8", "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.1", "169.253.255.255", "172.15.255.255", "172.32.0.0",
        "191.255.255.255", "192.0.1.1", "192.167.255.255", "192.169.0.0", "198.17.255.255",
        "198.20.0.0", "223.255.255.255", "2606:4700:4700::1111", "2a00:1450::1", "2001:4860::8888",
        "2001:200::1", "2001:db9::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "64:ff9b::808:808",
        "2002:808:808::1", "2001:0:808:808::f7f7:f7f7",
    ])
    func recognizesPublicAddresses(_ text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.specialKind == nil)
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "::g", "[::1]"])
    func refusesInvalidAddresses(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: ["127.0.0.1", "::1", "2001:db8::1:2", "255.255.255.255"])
    func roundTrips(_ text: String) {
        #expect(IPAddress(text)?.description == text)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.255.255", true), ("10.0.0.0/8", "11.0.0.0", false),
        ("10.0.0.1/32", "10.0.0.1", true), ("10.0.0.1/32", "10.0.0.0", false),
        ("10.0.0.1", "10.0.0.1", true), ("10.0.0.1", "10.0.0.0", false),
        ("0.0.0.0/0", "255.1.1.1", true), ("0.0.0.0/0", "::1", false),
        ("::/0", "ffff::1", true), ("::/0", "10.0.0.1", false),
        ("2001:db8::/32", "2001:db8:ffff::1", true), ("2001:db8::/32", "2001:db9::", false),
        ("2001:db8::/64", "2001:db8::ffff:0:0:1", true),
        ("2001:db8::/64", "2001:db8:0:1::", false), ("2001:db8::/63", "2001:db8:0:1::", true),
        ("2001:db8::/65", "2001:db8::7fff:0:0:1", true),
        ("2001:db8::/65", "2001:db8::8000:0:0:0", false),
        ("2001:db8::/65", "2001:db8:0:1::", false), ("2001:db8::/128", "2001:db8:0:1::", false),
        ("::1/128", "::1", true), ("::1/128", "::", false), ("::1/127", "::", true),
        ("::1", "::1", true), ("::1", "::", false),
    ])
    func networkHasTheAddressesThatShareItsBits(_ text: String, address: String, isIn: Bool) throws
    {
        let network = try #require(IPAddress.network(text))
        #expect(network.contains(try #require(IPAddress(address))) == isIn)
    }

    @Test(arguments: [
        "", "/", "/8", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/x",
        "10.0.0.0/8/8", "10.0.0/8", "h/8", "10.0.0.0/", "10.0.0.0/+8", "::/",
    ])
    func refusesInvalidNetworks(_ text: String) {
        #expect(IPAddress.network(text) == nil)
    }
}
