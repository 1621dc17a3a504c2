import Baking
import Measuring
import Testing
