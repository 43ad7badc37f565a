/** `weir add`: installs the driver of a database that is not part of every installation. */
import { Refusal, readConfig } from './base/index.ts'
import { type ParsedLine, printResult, UsageMistake } from './cli/index.ts'
import { DRIVER_NAMES, driverPlace } from './connectors/driver/driver-place.ts'
import { DriverMistake, installDriver } from './connectors/driver/install-driver.ts'

/** Installs a driver and reports where it is. */
export async function runAdd({ options, isJson }: ParsedLine): Promise<void> {
  const [name] = options.driver
  if (!DRIVER_NAMES.some((known) => known === name)) {
    throw new UsageMistake(`add takes ${DRIVER_NAMES.join(' or ')}, not "${name}"`)
  }
  const place = driverPlace(name, readConfig(process.env).driversDir)
  const { version, folder } = place
  try {
    if (!isJson) console.error(`Installing driver ${name} ${version} in ${folder}`)
    const isNew = await installDriver(place)
    const result = { driver: name, version, folder, status: isNew ? 'installed' : 'already there' }
    console.log(isJson ? JSON.stringify({ success: true, result }) : printResult(result))
  } catch (error) {
    if (!(error instanceof DriverMistake)) throw error
    throw new Refusal('bad_input', error.message)
  }
}
