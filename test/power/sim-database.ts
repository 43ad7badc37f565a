import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openSamplesFile } from '../../src/store/embedded/seal/open-samples-file.ts'
import type { Random } from '../support/random.ts'
import { PowerCut, type SimFiles } from './sim-files.ts'
import { tornBetween } from './surviving-bytes.ts'

/** The database and its log. */
interface Image {
  readonly db: Uint8Array | undefined
  readonly wal: Uint8Array
}

const NOTHING: Image = { db: undefined, wal: new Uint8Array(0) }
const CHECKPOINT = 'PRAGMA wal_checkpoint(TRUNCATE)'

function isSameFile(one: Image, other: Image): boolean {
  return Buffer.compare(one.db ?? NOTHING.wal, other.db ?? NOTHING.wal) === 0
}

/**
 * samples.db on a real file, because SQLite needs one. With synchronous=FULL SQLite promises that a
 * commit syncs the log. A checkpoint syncs the log, then the database, and then empties the log. A
 * power cut inside either may leave any subset of the pages that it writes.
 */
export class SimDatabase {
  readonly #files: SimFiles
  readonly #random: Random
  readonly #home: string
  #life = 0
  /** What is durable, while that is less than what the files show: a commit that was killed. */
  #durable: Image | undefined
  #atOff: { seen: Image; durable: Image } | undefined
  #db: DatabaseSync | undefined

  constructor(files: SimFiles, random: Random, home: string) {
    this.#files = files
    this.#random = random
    this.#home = home
    files.onOff = () => {
      const seen = this.#image()
      this.#atOff ??= { seen, durable: this.#durable ?? seen }
    }
    mkdirSync(this.folder)
  }

  /** Where samples.db lies: another folder for each life. */
  get folder(): string {
    return join(this.#home, `life-${this.#life}`)
  }

  /** Opens the one writing connection. */
  open(): DatabaseSync {
    const isCut = this.#files.step()
    const before = this.#image()
    const db = openSamplesFile(join(this.folder, 'samples.db'))
    this.#db = db
    // Only a checkpoint empties the log, and it syncs it before.
    if (this.#image().wal.length === 0) this.#durable = undefined
    if (isCut) this.#cutInside(before)
    const exec = db.exec.bind(db)
    const prepare = db.prepare.bind(db)
    db.exec = (sql) => this.#run(sql === 'COMMIT', () => exec(sql))
    db.prepare = (sql) => {
      const statement = prepare(sql)
      const all = statement.all.bind(statement)
      if (sql === CHECKPOINT) statement.all = () => this.#run(true, () => all())
      return statement
    }
    return db
  }

  /** Lets go of the writing connection of a process that is gone. */
  abandon(): void {
    if (this.#db?.isOpen) this.#db.close()
    this.#db = undefined
  }

  /** Starts again after a power cut with what survived, or after a kill with everything. */
  restart(hadPower: boolean): void {
    const { seen, durable } = this.#atOff ?? { seen: NOTHING, durable: NOTHING }
    this.#atOff = undefined
    const image = hadPower ? seen : this.#survivors(durable, seen)
    this.#durable = hadPower && durable !== seen ? durable : undefined
    rmSync(this.folder, { recursive: true })
    this.#life += 1
    mkdirSync(this.folder)
    if (image.db === undefined) return
    writeFileSync(join(this.folder, 'samples.db'), image.db)
    if (image.wal.length > 0) writeFileSync(join(this.folder, 'samples.db-wal'), image.wal)
  }

  #run<T>(isWrite: boolean, work: () => T): T {
    if (!isWrite) {
      if (this.#files.isOff) throw new PowerCut()
      return work()
    }
    const isCut = this.#files.step()
    const before = isCut ? this.#image() : NOTHING
    const result = work()
    if (isCut) this.#cutInside(before)
    this.#durable = undefined
    return result
  }

  /** A commit or checkpoint was under way: what a kill leaves to see, and what is durable of it. */
  #cutInside(before: Image): never {
    const after = this.#image()
    const unsynced = this.#durable ?? before
    // Before a page of the database is written the log is durable, and it is emptied last.
    const written = { db: after.db, wal: before.wal }
    const [durable, seen] = this.#random.pick<[durable: Image, seen: Image]>(
      isSameFile(before, after)
        ? [
            [unsynced, before],
            [unsynced, after],
            [unsynced, after],
            [after, after],
          ]
        : [
            [unsynced, before],
            [before, written],
            [written, written],
            [written, after],
          ],
    )
    this.#atOff = { seen, durable }
    this.#files.off()
  }

  #survivors(durable: Image, seen: Image): Image {
    if (durable === seen) return seen
    if (durable.db === undefined || seen.db === undefined) return this.#random.pick([durable, seen])
    if (isSameFile(durable, seen))
      return { db: seen.db, wal: tornBetween(durable.wal, seen.wal, this.#random) }
    return { db: tornBetween(durable.db, seen.db, this.#random), wal: durable.wal }
  }

  #image(): Image {
    const db = join(this.folder, 'samples.db')
    if (!existsSync(db)) return NOTHING
    const wal = `${db}-wal`
    return { db: readFileSync(db), wal: existsSync(wal) ? readFileSync(wal) : NOTHING.wal }
  }
}
