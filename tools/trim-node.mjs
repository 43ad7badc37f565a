// Runs after "npm ci", on any Node: the packages that bring Node 26 carry 67 MB of C++ headers, which only
// compilers of native add-ons read, and manuals. Nothing here compiles, so they do not stay on the disk.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const modules = join(import.meta.dirname, '..', 'node_modules')
for (const name of readdirSync(modules)) {
  if (!/^node-(bin-)?(linux|darwin|win)-/.test(name)) continue
  for (const part of ['include', 'share', 'CHANGELOG.md'])
    rmSync(join(modules, name, part), { recursive: true, force: true })
}
