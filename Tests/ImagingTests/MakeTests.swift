import ImageFormats
import Imaging
import Recipes
import TestSupport
import Testing

/// Jobs that read the header, plan and make the variant at once.
@Suite struct MakeTests {
    @Test(arguments: ["jpg", "png", "webp"])
    func returnsHeaderAndVariant(format: String) throws {
        let scene = try Pictures.scene(as: format)
        let options = VariantOptions(maximumWidth: 200)
        let fixture = try ImageFixture()
        guard case .image(let image) = try fixture.answer(to: Job(.make(options)), scene),
            case .make(let recipe) = planVariant(of: image.header, options: options)
        else {
            Issue.record("a scene is made into a variant")
            return
        }
        #expect(try image.header == header(of: scene))
        #expect(image.made?.recipe == recipe)
        let bytes = try FileBytes.read(fixture.output)
        let other = try ImageFixture()
        #expect(try other.transform(scene, recipe).variant == image.made?.variant)
        #expect(try bytes == FileBytes.read(other.output))
    }

    @Test func planWithoutRecipeCreatesNoVariant() throws {
        let fixture = try ImageFixture()
        let icon = Array("<svg xmlns='http://www.w3.org/2000/svg' width='8' height='4'/>".utf8)
        let answer = try fixture.answer(to: Job(.make(VariantOptions())), icon)
        guard case .image(let image) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(image.header.width == 8)
        #expect(image.made == nil)
        #expect(!fixture.namesOfFiles.contains("output"))
    }

    @Test func damagedImageFails() throws {
        let fixture = try ImageFixture()
        let cut = Array(try Pictures.scene(as: "jpg").dropLast(2000))
        #expect(try fixture.answer(to: Job(.make(VariantOptions())), cut).failure != nil)
    }
}
