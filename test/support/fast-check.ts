import fc from 'fast-check'
import { propertySeed } from './random.ts'

if (propertySeed !== undefined) {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: propertySeed })
}

/** fast-check with seeds as testSeeds() gives them; a failing property prints its own, for WEIR_TEST_SEED. */
export { fc }

/** Any character but halves of pairs: what the unit `binary` of fc.string() gives after a second of preparation. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ffff - 0x800 })
  .map((at) => String.fromCodePoint(at < 0xd800 ? at : at + 0x800))
