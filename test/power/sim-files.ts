import { dirname } from 'node:path/posix'
import type { Random } from '../support/random.ts'
import { survivingBytes, type Write } from './surviving-bytes.ts'

/** The power went, or the process was killed: nothing can be asked of the files any more. */
export class PowerCut extends Error {
  readonly code = 'EIO'

  constructor() {
    super('EIO: the power is off, as the test asked')
  }
}

/** A file's bytes as everybody sees them and as the platters hold them. */
export interface Inode {
  content: Uint8Array
  durable: Uint8Array
  /** What was written since the last sync, in order. */
  writes: Write[]
}

type Entry = Inode | 'folder'

interface Folder {
  readonly entries: Map<string, Entry>
  readonly durable: Map<string, Entry>
  /** Names made and taken away since the last sync, in order. */
  changes: Array<{ name: string; entry: Entry | undefined }>
}

const ROOT = '/'

function emptyFolder(): Folder {
  return { entries: new Map(), durable: new Map(), changes: [] }
}

function missing(path: string): Error {
  return Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
}

/**
 * Files in memory that keep over a power cut only what was synced: a file's bytes by a sync of the
 * file, its name by a sync of the folder. Of the rest each page and each name survives by chance.
 */
export class SimFiles {
  readonly #random: Random
  #folders = new Map<string, Folder>([[ROOT, emptyFolder()]])
  #stepsLeft = Number.POSITIVE_INFINITY
  #isOff = false
  /** Called when the power goes, before anybody can notice. */
  onOff: () => void = () => {}
  /** How often a sync is left undone although it is answered; a test of the test. */
  lostSyncs = 0

  constructor(random: Random) {
    this.#random = random
  }

  get isOff(): boolean {
    return this.#isOff
  }

  /** Lets the power go at the step after the next `steps`. */
  cutAfter(steps: number): void {
    this.#stepsLeft = steps
  }

  /** Counts a step; returns whether the power fails at it. The caller does its part, then calls off(). */
  step(): boolean {
    if (this.#isOff) throw new PowerCut()
    this.#stepsLeft -= 1
    return this.#stepsLeft < 0
  }

  /** Takes the power away. */
  off(): never {
    this.#isOff = true
    this.onOff()
    throw new PowerCut()
  }

  /** Starts again after a power cut with what survived, or after a kill with everything. */
  restart(hadPower: boolean): void {
    if (!hadPower) {
      const before = this.#folders
      this.#folders = new Map()
      this.#survive(ROOT, before)
    }
    this.#isOff = false
    this.#stepsLeft = Number.POSITIVE_INFINITY
  }

  makeFolder(path: string): void {
    if (this.#folders.has(path)) return
    const isCut = this.step()
    this.#folders.set(path, emptyFolder())
    this.#change(path, 'folder')
    if (isCut) this.off()
  }

  hasFolder(path: string): boolean {
    return this.#folders.has(path)
  }

  list(path: string): string[] {
    return [...this.#folder(path).entries.keys()].sort()
  }

  create(path: string): Inode {
    const isCut = this.step()
    const inode = { content: new Uint8Array(0), durable: new Uint8Array(0), writes: [] }
    this.#change(path, inode)
    if (isCut) this.off()
    return inode
  }

  find(path: string): Inode | undefined {
    if (this.#isOff) throw new PowerCut()
    const entry = this.#folders.get(dirname(path))?.entries.get(nameOf(path))
    return entry === 'folder' ? undefined : entry
  }

  open(path: string): Inode {
    const inode = this.find(path)
    if (inode === undefined) throw missing(path)
    return inode
  }

  write(inode: Inode, bytes: Uint8Array, at: number): void {
    const isCut = this.step()
    inode.writes.push({ at, bytes: bytes.slice() })
    if (at + bytes.length > inode.content.length) {
      const grown = new Uint8Array(at + bytes.length)
      grown.set(inode.content)
      inode.content = grown
    }
    inode.content.set(bytes, at)
    if (isCut) this.off()
  }

  sync(inode: Inode): void {
    if (this.step()) this.off()
    if (this.#random.next() < this.lostSyncs) return
    inode.durable = inode.content.slice()
    inode.writes = []
  }

  syncFolder(path: string): void {
    const folder = this.#folder(path)
    if (this.step()) this.off()
    if (this.#random.next() < this.lostSyncs) return
    for (const { name, entry } of folder.changes) setEntry(folder.durable, name, entry)
    folder.changes = []
  }

  /** Takes a name away; without power nothing happens, as in a process that is gone. */
  unlink(path: string): void {
    if (this.#isOff || this.find(path) === undefined) return
    const isCut = this.step()
    this.#change(path, undefined)
    if (isCut) this.off()
  }

  rename(from: string, to: string): void {
    const inode = this.open(from)
    const isCut = this.step()
    this.#change(to, inode)
    this.#change(from, undefined)
    if (isCut) this.off()
  }

  #folder(path: string): Folder {
    if (this.#isOff) throw new PowerCut()
    const folder = this.#folders.get(path)
    if (folder === undefined) throw missing(path)
    return folder
  }

  #change(path: string, entry: Entry | undefined): void {
    const folder = this.#folder(dirname(path))
    setEntry(folder.entries, nameOf(path), entry)
    folder.changes.push({ name: nameOf(path), entry })
  }

  #survive(path: string, before: ReadonlyMap<string, Folder>): void {
    const { durable, changes } = before.get(path) ?? emptyFolder()
    const entries = new Map(durable)
    // The changes of one name reach the disk in their order, those of different names in any.
    const luck = this.#random.pick([0, 0.5, 0.5, 1])
    const stuck = new Set<string>()
    for (const { name, entry } of changes) {
      if (stuck.has(name)) continue
      if (this.#random.next() < luck) setEntry(entries, name, entry)
      else stuck.add(name)
    }
    this.#folders.set(path, { entries, durable: new Map(entries), changes: [] })
    for (const [name, entry] of entries) {
      if (entry === 'folder') this.#survive(path === ROOT ? `/${name}` : `${path}/${name}`, before)
      else this.#tear(entry)
    }
  }

  #tear(inode: Inode): void {
    inode.durable = survivingBytes(inode.durable, inode.writes, this.#random)
    inode.content = inode.durable.slice()
    inode.writes = []
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function setEntry(entries: Map<string, Entry>, name: string, entry: Entry | undefined): void {
  if (entry === undefined) entries.delete(name)
  else entries.set(name, entry)
}
