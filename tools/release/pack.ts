/** `npm run pack`: builds the package weir-<version>.tgz in build/. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stagePackage } from './stage-package.ts'

/** Packs into a folder; returns the path of the package. */
export async function pack(folder: string): Promise<string> {
  const staged = join(folder, 'package')
  await stagePackage(staged)
  mkdirSync(folder, { recursive: true })
  const words = ['pack', staged, '--pack-destination', folder, '--ignore-scripts', '--json']
  const [{ filename }] = JSON.parse(execFileSync('npm', words, { encoding: 'utf8' })) as [
    { filename: string },
  ]
  return join(folder, filename)
}

if (import.meta.main) {
  const path = await pack(resolve(process.argv[2] ?? 'build'))
  console.log(`${path} (${(statSync(path).size / 1e6).toFixed(1)} MB)`)
}
