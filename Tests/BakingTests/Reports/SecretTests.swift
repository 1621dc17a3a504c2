import Baking
import ImageFormats
import Secrets
import Sites
import Testing

/// URLs as they are shown.
struct SecretTests {
    private static let key = "q8Zt3kLw9XvB2nR7yPmD4sFh6JcT1gUa"
    private static let hash = "d41d8cd98f00b204e9800998ecf8427e"

    @Test(arguments: [
        "X-Amz-Signature", "x-amz-security-token", "X-Amz-Credential", "AWSAccessKeyId",
        "X-Goog-Signature", "GoogleAccessId", "sig", "Signature", "Policy", "Key-Pair-Id",
        "hdnea", "hdnts", "__gda__", "__token__", "hmac", "verify", "OSSAccessKeyId",
        "x-oss-security-token", "q-signature", "q-ak", "wsSecret", "txSecret", "auth_key",
        "private_token", "job_token", "jwt", "token", "access_token", "refresh_token", "id_token",
        "oauth_token", "oauth_signature", "client_secret", "client_assertion", "code", "ticket",
        "session", "sessionid", "PHPSESSID", "api-key", "apiKey", "subscription-key", "password",
        "passwd", "hm", "oh", "s", "rlkey", "tempauth", "SAMLResponse", "%74oken", "token[]",
        "csrf_token", "appsecret_proof", "secret", "sign",
    ])
    func valueOfSecretNameIsHidden(_ name: String) {
        for value in ["12_34", Self.key] {
            for (before, after) in [("?a=1&", "&b=2"), ("?", ""), ("#", ""), ("?a=1;", "")] {
                let shown = withoutSecrets("https://h/x.png\(before)\(name)=\(value)\(after)")
                #expect(!shown.contains("=\(value)"), "\(shown)")
                #expect(shown.hasPrefix("https://h/x.png\(before)\(name)=[hidden"), "\(shown)")
                #expect(shown.hasSuffix("]\(after)"), "\(shown)")
            }
        }
    }

    @Test(arguments: [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789", "glpat-abcdefghij0123456789",
        "xoxb-123456789012-abcdefghijkl", "AKIAIOSFODNN7EXAMPLE", key, key + "==",
        "sk_live_abcdefghijklmnop", "AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "d41d8cd98f00b204e9800998ecf8427e",
    ])
    func valueThatLooksLikeAKeyIsHidden(_ value: String) {
        let shown = withoutSecrets("https://h/x.png?any=\(value)&w=1")
        #expect(shown.hasPrefix("https://h/x.png?any=[hidden"), "\(shown)")
        #expect(shown.hasSuffix("]&w=1"), "\(shown)")
    }

    @Test(arguments: [
        "https://h/x.png?v=d41d8cd98f00b204e9800998ecf8427e", "https://h/x.png?w=1200&h=800&q=80",
        "https://h/x.png?id=550e8400-e29b-41d4-a716-446655440000", "https://h/x.png?t=1700000000",
        "https://h/x.png?d41d8cd98f00b204e9800998ecf8427e",
        "https://h/x.png?title=A-Long-Title-Of-2024-With-Many-Words",
        "https://h/x.png?auto=format&fit=crop&ixlib=rb-4.0.3", "https://h/x.png?author=me",
        "https://h/token/x.png", "https://h/d41d8cd98f00b204e9800998ecf8427e/x.png",
        "https://h/photo-1500000000000-0123456789ab", "https://h/x.png?signal=1&design=2",
        "https://h/x.png?hash=d41d8cd98f00b204e9800998ecf8427e", "/local/x.png?token=1",
        "https://h/x.png?a&b=&token", "https://h/x.png#top", "https://h/u/1?s=64&v=4",
        "https://h/x.png?s=612x612",
        "https://h/x.png?ixid=M3wxMjA3fDB8MHxwaG90by1wYWdlfHx8fGVufDB8fHx8fA%3D%3D",
    ])
    func otherValuesAreShown(_ url: String) {
        #expect(withoutSecrets(url) == url)
    }

    /// They were public in a document, and `restore` puts them back.
    @Test(arguments: [
        "https://h/avatar.php?s=366761", "https://secure.gravatar.com/avatar/\(hash)?s=80&d=mm&r=g",
        "https://res.cloudinary.com/demo/image/upload/s--Ab12Cd34--/v1/a.png",
        "https://pbs.example.org/a.jpg?rid=\(key)", "https://h/a.png?v=\(hash)",
        "https://h/a.png?oh=\(hash)", "https://h/a.imgix.net/a.png?w=100&s=\(hash)",
        "https://h/o/a.png?alt=media&token=550e8400-e29b-41d4-a716-446655440000",
        "https://raw.githubusercontent.com/o/r/main/a.png?token=AAB4\(key)",
        "https://api.mapbox.com/styles/v1/mapbox/a/static/1,2?access_token=pk.eyJ1Ijoi.abc.def",
        "https://h/staticmap?key=AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
        "https://h/a.png?sig=\(hash)", "https://h/a.png?key=\(key)", "https://h/a.png?nonce=\(key)",
        "https://h/a.png?code=1234&session=5", "https://h/a.png?any=\(key)",
        "https://lh3.googleusercontent.com/\(key)=s0-d-e1-ft", "https://h/token/\(key)/a.png",
        "https://h/secret_garden_in_the_summer_of_2019/a.png",
        "https://h/a.png#access_token=\(key)",
        "https://h/p?url=https%3A%2F%2Fi%2Fa%3Ftoken%3D1", "https://h/a.png?e=soon&s=\(hash)",
        "https://dropbox.com/scl/fi/x/a.png?rlkey=\(key)&raw=1", "//h/a.png?s=366761",
        "https://codecov.io/gh/o/r/graph/badge.svg?token=MXT6227EXW",
        "https://images.unsplash.com/photo-15?ixid=M3wxMjA3fDB8MHxwaG90by1wYWdlfHx8&exp=8&sat=-75",
        "https://h/a.png?_ex=1000x1000&s=2&token=\(key)",
        "https://h/a.png?token=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.\(key)",
        "https://h/a.png?token=1700000000",
    ])
    func whatWasPublicIsShownToTheAuthor(_ url: String) {
        #expect(withoutSecrets(url, for: .author) == url)
    }

    @Test(arguments: [
        "https://user:KEY@h/a.png", "https://h/a.png?password=KEY",
        "https://h/a.png?passphrase=KEY",
        "https://h/a.png?X-Amz-Date=20240101T000000Z&X-Amz-Expires=60&X-Amz-Signature=KEY",
        "https://h/a.png?X-Goog-Expires=604800&X-Goog-Signature=KEY",
        "https://h/a.png?Expires=1700000000&Signature=KEY&Key-Pair-Id=APKA1",
        "https://h/a.png?Policy=eyJTdGF0ZW1lbnQiOlt7fV19&Signature=KEY&Key-Pair-Id=APKA1",
        "https://h/a.png?sv=2022-11-02&se=2030-01-01T00%3A00%3A00Z&sr=b&sp=r&sig=KEY",
        "https://scontent.example.org/a.jpg?_nc_cat=1&oh=KEY&oe=65F0A1B2",
        "https://cdn.discordapp.com/a.png?ex=65f0a1b2&is=65e0a1b2&hm=KEY",
        "https://h/a.png?OSSAccessKeyId=x&Expires=1700000000&Signature=KEY",
        "https://h/a.png?x-oss-expires=60&x-oss-signature=KEY",
        "https://h/a.png?auth_key=1700000000-0-0-KEY", "https://h/a.png?sign=1700000000-KEY-0-x",
        "https://h/a.png?q-sign-time=1700000000;1700000060&q-signature=KEY",
        "https://h/a.png?AccessKeyId=x&Expires=1700000000&Signature=KEY",
        "https://h/a.png?X-Tos-Expires=60&X-Tos-Signature=KEY",
        "https://h/a.png?wsSecret=KEY&wsTime=65f0a1b2",
        "https://h/a.png?txSecret=KEY&txTime=65f0a1b2",
        "https://h/a.png?hdnts=exp=1700000000~acl=*~hmac=KEY",
        "https://h/hdnts=exp=1700000000~acl=*~hmac=KEY/a.png",
        "https://h/a.png?verify=1700000000-KEY", "https://h/a.png?e=1700000000&token=KEY",
        "https://h/a.png?md5=KEY&expires=1700000000", "https://h/a.png?expires=1700000000&s=KEY",
        "https://h/a.png?any=ghp_KEY0123", "https://h/ghp_KEY0123/a.png",
        "https://h/a.png?jwt=eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjE3MDAwMDAwMDB9.KEY",
        "https://h/a.png?token=5261006__eyJzY29wZSI6IlIiLCJleHBpcmVzIjoxfQ--KEY",
        "https://h/a.png?token=exp=1654498348~hmac=KEY",
        "https://h/a.png?auth_key=2147483647-KEY-0-x",
        "https://h/p?url=https%3A%2F%2Fi%2Fa%3Fse%3D2030-01-01%26sig%3DKEY",
        "https://h/a.png#e=1700000000&token=KEY",
    ])
    func whatExpiresIsHiddenFromTheAuthor(_ url: String) {
        let shown = withoutSecrets(url.replacing("KEY", with: Self.key), for: .author)
        #expect(!shown.contains(Self.key), "\(shown)")
    }

    @Test func digestsOfContentAreHiddenInASignedURL() {
        let url = "https://h/x.png?md5=d41d8cd98f00b204e9800998ecf8427e&expires=1700000000"
        let shown = withoutSecrets(url)
        #expect(shown.hasPrefix("https://h/x.png?md5=[hidden:"))
        #expect(shown.hasSuffix("]&expires=1700000000"))
    }

    @Test(arguments: [
        ("https://h/token/\(key)/x.png", "https://h/token/[hidden", "/x.png"),
        ("https://h/access_token/1234/x.png", "https://h/access_token/[hidden", "/x.png"),
        ("https://h/ghp_abcdefghijklmnopqrstuvwxyz0123456789/x.png", "https://h/[hidden", "/x.png"),
        ("https://h/x.png;jsessionid=\(key)?w=1", "https://h/x.png;jsessionid=[hidden", "?w=1"),
        ("https://h/hdnts=exp=1~acl=*~hmac=ab/x.png", "https://h/hdnts=[hidden", "/x.png"),
        ("https://h/c/s--Ab12Cd34--/x.png", "https://h/c/[hidden", "/x.png"),
        ("https://h/p?url=https%3A%2F%2Fi%2Fa%3Ftoken%3D1&w=1", "https://h/p?url=[hidden", "&w=1"),
        ("https://h/p?url=https%3A%2F%2Fu:p@i%2Fa&w=1", "https://h/p?url=[hidden", "&w=1"),
    ])
    func secretsElsewhereAreHidden(_ url: String, start: String, end: String) {
        let shown = withoutSecrets(url)
        #expect(shown.hasPrefix(start) && shown.hasSuffix("]" + end), "\(shown)")
    }

    /// A combining mark makes `?`, `@` and `=` other characters, but not other bytes.
    @Test(arguments: ["\u{301}", "\u{200D}"]) func charactersAreComparedAsBytes(_ mark: String) {
        #expect(!withoutSecrets("https://h/x?\(mark)&token=abc").contains("abc"))
        #expect(!withoutSecrets("https://h/x?token=\(mark)abc").contains("abc"))
        #expect(!withoutSecrets("https://u:pw@\(mark)h/x").contains("pw"))
    }

    @Test func digestIdentifiesARandomValue() {
        let url = "https://h/x?token=\(Self.key)"
        let other = "https://h/x?token=\(Self.key.reversed().map(String.init).joined())"
        #expect(
            withoutSecrets(url).wholeMatch(of: /https:\/\/h\/x\?token=\[hidden:[0-9a-f]{8}\]/)
                != nil)
        #expect(withoutSecrets(url) == withoutSecrets(url))
        #expect(withoutSecrets(url) != withoutSecrets(other))
    }

    /// With a digest, each of them could be found by trying.
    @Test(arguments: [
        "code=1234", "token=1234", "password=correcthorsebatterystaple", "pin=0000",
        "password=\(key)", "ticket=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "session=12345678901234567890",
    ])
    func valueThatCouldBeGuessedHasNoDigest(_ parameter: String) {
        let name = parameter.prefix { $0 != "=" }
        #expect(withoutSecrets("https://h/x?\(parameter)") == "https://h/x?\(name)=[hidden]")
    }

    @Test func hidingTwiceChangesNothing() {
        for url in [
            "https://h/token/\(Self.key)/x?token=\(Self.key)&code=12#sig=\(Self.key)",
            "https://h/p?url=https%3A%2F%2Fi%2Fa%3Ftoken%3D1",
        ] {
            #expect(withoutSecrets(withoutSecrets(url)) == withoutSecrets(url))
        }
    }

    @Test func urlsInATextAreHidden() {
        let text = "a redirect to 'https://u:pw@h/a(1)?token=1234' and http://i/?sig=abc, twice"
        let shown = textWithoutSecrets(text)
        for secret in ["pw", "12_34", "abc"] { #expect(!shown.contains(secret)) }
        #expect(shown.hasPrefix("a redirect to 'https://h/a(1)?token=[hidden"))
        #expect(shown.hasSuffix(" twice"))
        #expect(textWithoutSecrets("no URL: a//b?token=1") == "no URL: a//b?token=1")
    }

    @Test func nameOfAFileIsNotASecret() {
        let name = imageFileName(
            url: "https://h/ghp_abcdefghijklmnopqrstuvwxyz0123456789", digest: "0123456789abcdef",
            format: .png)
        #expect(name == "image-0123456789abcdef.png")
    }
}
