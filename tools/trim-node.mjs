// Runs when npm has installed a clone or the package, on any Node: the packages that bring Node 26 carry 67 MB of C++
// headers, which only compilers of native add-ons read, and manuals. Nothing here compiles, so they do not stay on the disk.
import { readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const own = join(import.meta.dirname, '..')
/** The packages of a clone are in it; those of the package are beside it. */
const folders = [join(own, 'node_modules'), dirname(own)].filter(
  (path) => basename(path) === 'node_modules',
)
for (const modules of folders) {
  for (const name of namesIn(modules)) {
    if (!/^node-(bin-)?(linux|darwin|win)-/.test(name)) continue
    for (const part of ['include', 'share', 'CHANGELOG.md'])
      rmSync(join(modules, name, part), { recursive: true, force: true })
  }
}

function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
