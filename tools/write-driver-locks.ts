/** Writes drivers/<name>/package-lock.json: the part of package-lock.json that a driver needs, with the same versions and hashes. */
import { readFileSync, writeFileSync } from 'node:fs'

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly dev?: boolean
}

type Packages = Readonly<Record<string, LockedPackage>>

/** The add-on drivers; each has a folder with a package.json. */
export const DRIVER_FOLDERS = ['sqlserver', 'oracle'] as const

/** The text of a driver's lock file. */
export function driverLock(folder: (typeof DRIVER_FOLDERS)[number]): string {
  const read = (file: string) =>
    JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'))
  const { packages } = read('package-lock.json') as { packages: Packages }
  const own = read(`drivers/${folder}/package.json`)
  const { name, version, dependencies } = own
  const found = new Set<string>()
  for (const one of Object.keys(dependencies)) collect(packages, `node_modules/${one}`, found)
  const locked = [...found].sort().map((place) => {
    const { dev: _dev, ...rest } = packages[place]
    return [place, rest] as const
  })
  const all = { '': { name, version, dependencies }, ...Object.fromEntries(locked) }
  const lock = { name, version, lockfileVersion: 3, requires: true, packages: all }
  return `${JSON.stringify(lock, undefined, 2)}\n`
}

function collect(packages: Packages, place: string, found: Set<string>): void {
  if (found.has(place)) return
  found.add(place)
  const { dependencies, optionalDependencies } = packages[place]
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    collect(packages, placeOf(packages, place, name), found)
  }
}

/** Where a package that another one needs lies: in the nearest folder above. */
function placeOf(packages: Packages, from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, folder.lastIndexOf('/node_modules/'))) {
    const place = `${folder}/node_modules/${name}`
    if (packages[place] !== undefined) return place
    if (!folder.includes('/node_modules/')) break
  }
  const top = `node_modules/${name}`
  if (packages[top] === undefined) throw new Error(`${name} of ${from} is not in package-lock.json`)
  return top
}

if (import.meta.main) {
  for (const folder of DRIVER_FOLDERS) {
    const file = new URL(`../drivers/${folder}/package-lock.json`, import.meta.url)
    writeFileSync(file, driverLock(folder))
  }
}
