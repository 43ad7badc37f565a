import fc from 'fast-check'
import { propertySeed } from './random.ts'

if (propertySeed !== undefined) {
  fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: propertySeed })
}

/** fast-check with seeds as testSeeds() gives them; a property that fails tells its own, for WEIR_TEST_SEED. */
export { fc }
