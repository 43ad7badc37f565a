import { nextIteration } from '../../base/index.ts'
import type { LabelTable } from '../../catalog/index.ts'

/** A name of the characters that names had before they could be any UTF-8. */
export const CLASSIC_NAME = /^[a-zA-Z0-9_:]+$/

/** Names that are looked at before other calls may run. */
const PER_SLICE = 4_096

/** Names by the ones that they become, of the names that change; and how many were looked at. */
interface ChangedNames {
  count: number
  readonly byName: Map<string, string[]>
}

const changedNames = new WeakMap<LabelTable, ChangedNames>()

/** The names of series that become a name when each character that it could not have is replaced by `_`. */
export async function alikeNames(table: LabelTable, name: string): Promise<readonly string[]> {
  const texts = table.textsOf('__name__')
  if (texts === undefined) return []
  const known = changedNames.get(table) ?? { count: 0, byName: new Map<string, string[]>() }
  changedNames.set(table, known)
  if (known.count < texts.size) await readNames([...texts.keys()], known)
  return known.byName.get(name) ?? []
}

/** New names of a table come at the end. */
async function readNames(names: readonly string[], known: ChangedNames): Promise<void> {
  while (known.count < names.length) {
    const end = Math.min(names.length, known.count + PER_SLICE)
    for (const name of names.slice(known.count, end)) {
      const changed = classicName(name)
      if (changed === name) continue
      const others = known.byName.get(changed)
      if (others === undefined) known.byName.set(changed, [name])
      else others.push(name)
    }
    known.count = end
    await nextIteration()
  }
}

function classicName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_:]/gu, '_')
}
