/**
 * The files that come with the service, such as the documentation and the studio. They are in the folder of the
 * installation, or inside a single executable.
 */
import { globSync, readFileSync, statSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, join, matchesGlob } from 'node:path'
import { getAssetKeys, getRawAsset, isSea } from 'node:sea'

/** Whether this process runs from a single executable. */
export const isSingleFile = isSea()

/** The folder of the installation. That of a single executable is where the executable is. */
export const installationFolder = isSingleFile
  ? dirname(process.execPath)
  : dirname(findPackageJSON(import.meta.url) ?? process.execPath)

/** Files by their names, with `/` between folders. */
export interface FileSource {
  /** The names that match one of the patterns. */
  list(...patterns: string[]): string[]
  /** Throws ENOENT where there is none. */
  read(name: string): Buffer
  /** Changes when the file is replaced; undefined where there is none. */
  mark(name: string): string | undefined
}

/** The files of the installation below a folder. */
export function installedFiles(folder = ''): FileSource {
  return isSingleFile ? filesInside(folder) : filesBelow(join(installationFolder, folder))
}

/** The files below a folder of the disk. */
export function filesBelow(folder: string): FileSource {
  return {
    list: (...patterns) => globSync(patterns, { cwd: folder }),
    read: (name) => readFileSync(join(folder, name)),
    mark: (name) => {
      const stats = statSync(join(folder, name), { throwIfNoEntry: false })
      return stats && `${stats.ino} ${stats.size} ${stats.mtimeMs}`
    },
  }
}

/** The files below a folder of the single executable. */
function filesInside(folder: string): FileSource {
  const prefix = folder === '' ? '' : `${folder}/`
  const names = new Set(
    getAssetKeys()
      .filter((key) => key.startsWith(prefix))
      .map((key) => key.slice(prefix.length)),
  )
  return {
    list: (...patterns) =>
      [...names].filter((name) => patterns.some((pattern) => matchesGlob(name, pattern))),
    read: (name) => {
      if (names.has(name)) return Buffer.from(getRawAsset(prefix + name) as ArrayBuffer)
      throw Object.assign(new Error(`ENOENT: no file ${name} in this executable`), {
        code: 'ENOENT',
      })
    },
    mark: (name) => (names.has(name) ? 'inside' : undefined),
  }
}
