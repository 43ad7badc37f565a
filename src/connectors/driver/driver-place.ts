/** Add-on drivers: which there are, and where they are installed. They take 60 MB that most installations do not need. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The names of the drivers, as `weir add` takes them. */
export const DRIVER_NAMES = ['sqlserver', 'oracle'] as const
export type DriverName = (typeof DRIVER_NAMES)[number]

/** A driver in the version that this release of the service uses. */
export interface DriverPlace {
  readonly name: string
  /** The npm package. */
  readonly packageName: string
  readonly version: string
  /** The folder with package.json and package-lock.json, which pins every package by its hash. */
  readonly source: string
  /** The folder where the driver is installed. It appears complete or not at all. */
  readonly folder: string
}

const INSTALLATION = join(import.meta.dirname, '..', '..', '..')
/** Beside the installation, so that an upgrade that replaces the installation keeps it. */
const DEFAULT_DRIVERS_DIR = join(INSTALLATION, '..', 'weir-drivers')

/** Where a driver is installed; the name of the folder changes with every pinned package. */
export function driverPlace(
  name: string,
  driversDir = DEFAULT_DRIVERS_DIR,
  sources = join(INSTALLATION, 'drivers'),
): DriverPlace {
  const source = join(sources, name)
  const { dependencies } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const [[packageName, version]] = Object.entries(dependencies)
  const lock = readFileSync(join(source, 'package-lock.json'))
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 8)
  return {
    name,
    packageName,
    version,
    source,
    folder: join(driversDir, `${name}-${version}-${hash}`),
  }
}
