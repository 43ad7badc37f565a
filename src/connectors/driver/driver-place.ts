/** Add-on drivers: which there are, and where they are installed. They take 60 MB that most installations do not need. */
import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import {
  type FileSource,
  installationFolder,
  installedFiles,
  isSingleFile,
} from '../../base/plain.ts'

/** The names of the drivers, as `weir add` takes them. */
export const DRIVER_NAMES = ['sqlserver', 'oracle'] as const
export type DriverName = (typeof DRIVER_NAMES)[number]

/** A driver in the version that this release of the service uses. */
export interface DriverPlace {
  readonly name: string
  /** The npm package. */
  readonly packageName: string
  readonly version: string
  /** The package.json that names the package. */
  readonly manifest: Buffer
  /** The package-lock.json that pins every package by its hash. */
  readonly lock: Buffer
  /** The folder where the driver is installed. It appears complete or not at all. */
  readonly folder: string
}

/** The folder of drivers unless a setting names another: beside the installation, so that an upgrade keeps them. */
function defaultDriversDir(): string {
  // npm removes folders that it does not know from node_modules.
  const [project] = installationFolder.split(/[\\/]node_modules[\\/]/)
  const isWithinProject = project !== installationFolder || isSingleFile
  return join(isWithinProject ? project : dirname(project), 'weir-drivers')
}

/** Where a driver is installed; the name of the folder changes with every pinned package. */
export function driverPlace(
  name: string,
  driversDir = defaultDriversDir(),
  sources: FileSource = installedFiles('drivers'),
): DriverPlace {
  const manifest = sources.read(`${name}/package.json`)
  const { dependencies } = JSON.parse(manifest.toString()) as {
    dependencies: Record<string, string>
  }
  const [[packageName, version]] = Object.entries(dependencies)
  const lock = sources.read(`${name}/package-lock.json`)
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 8)
  return {
    name,
    packageName,
    version,
    manifest,
    lock,
    folder: join(driversDir, `${name}-${version}-${hash}`),
  }
}
