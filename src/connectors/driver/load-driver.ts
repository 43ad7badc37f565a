import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { installationFolder } from '../../base/plain.ts'
import { DatabaseFailure } from '../database/database-port.ts'
import { type DriverName, driverPlace } from './driver-place.ts'

const WORDS: Readonly<Record<DriverName, string>> = {
  sqlserver: 'SQL Server',
  oracle: 'Oracle Database',
}

/**
 * The `require` of an add-on driver: from the folder of `weir add`, or from node_modules, where a development
 * installation has it. Throws a DatabaseFailure when the driver is not installed.
 */
export function loadDriver(name: DriverName, driversDir?: string): NodeJS.Require {
  const { folder, packageName } = driverPlace(name, driversDir)
  if (existsSync(folder)) return createRequire(join(folder, 'package.json'))
  const load = createRequire(join(installationFolder, 'package.json'))
  try {
    load.resolve(packageName)
    return load
  } catch {
    const what = `The driver for ${WORDS[name]} is not installed`
    throw new DatabaseFailure('no_driver', `${what}. Run weir add ${name}`)
  }
}
