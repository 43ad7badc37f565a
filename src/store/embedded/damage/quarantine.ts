import { join } from 'node:path'
import type { Damage } from '../../ports/sample-port.ts'
import type { Disk } from '../disk/disk.ts'
import type { FoundDamage } from './found-damage.ts'

const NOTE_ENDING = '.json'

/** Damages are shown from memory; beyond this number only the files have them. */
const DAMAGES_MAX = 1_000

/**
 * Bytes that did not check, each kept beside a note of what it was: nothing is thrown away that
 * someone may still make sense of. A damage found twice is kept once.
 */
export class Quarantine {
  readonly #disk: Disk
  readonly #folder: string
  readonly #damages = new Map<string, Damage>()
  readonly #onDamage: (damage: Damage) => void

  /** Calls `onDamage` with each new damage, not with damage of earlier starts. */
  constructor(disk: Disk, folder: string, onDamage: (damage: Damage) => void = () => {}) {
    this.#disk = disk
    this.#folder = folder
    this.#onDamage = onDamage
    disk.makeFolder(folder)
    for (const name of disk.list(folder)) {
      if (!name.endsWith(NOTE_ENDING) || this.#damages.size >= DAMAGES_MAX) continue
      const note = Buffer.from(disk.readWhole(join(folder, name))).toString('utf8')
      const key = name.slice(0, -NOTE_ENDING.length)
      this.#damages.set(key, readNote(note) ?? unreadableNote(name))
    }
  }

  get damages(): Damage[] {
    return [...this.#damages.values()]
  }

  /** Keeps the bytes and the note. */
  add({ damage, bytes }: FoundDamage): void {
    const key = `${damage.file}-${damage.offset}`
    if (this.#damages.has(key)) return
    if (this.#damages.size < DAMAGES_MAX) this.#damages.set(key, damage)
    this.#disk.writeWhole(join(this.#folder, `${key}.bytes`), bytes)
    const note = Buffer.from(JSON.stringify(damage, null, 2))
    this.#disk.writeWhole(join(this.#folder, `${key}${NOTE_ENDING}`), note)
    this.#onDamage(damage)
  }
}

/** A note as it was written, or undefined: notes are files like any other and can be damaged too. */
function readNote(text: string): Damage | undefined {
  try {
    return JSON.parse(text) as Damage
  } catch {
    return undefined
  }
}

function unreadableNote(file: string): Damage {
  const nowhere = { offset: 0, bytes: 0, handles: [], from: undefined, until: undefined }
  return { file, ...nowhere, what: 'this note of an earlier damage cannot be read' }
}
