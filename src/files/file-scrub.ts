import { type EpochMs, epochMs } from '../base/index.ts'
import type {
  BlobCheck,
  BlobStore,
  SampleStore,
  Scrubbable,
  ScrubPass,
  StreamHandle,
} from '../store/index.ts'
import { damagedFile } from './damaged-file.ts'
import type { FileRecord } from './file-record.ts'
import { allOf, filesIn } from './files-in.ts'

export interface FileScrubDeps {
  readonly blobs: Pick<BlobStore, 'check'>
  readonly store: Pick<SampleStore, 'range'>
  /** Every stream that holds files. */
  readonly fileStreams: () => Iterable<StreamHandle>
}

interface StoredFile {
  readonly handle: StreamHandle
  readonly time: EpochMs
  readonly record: FileRecord
}

/**
 * Reads back the body of every file that a sample names. Bodies that none names are not read: nobody
 * can ask for them, and the sweep takes them.
 */
export class FileScrub implements Scrubbable {
  readonly #deps: FileScrubDeps

  constructor(deps: FileScrubDeps) {
    this.#deps = deps
  }

  async scrub(pass: ScrubPass): Promise<void> {
    // Streams that come later bring bodies that were checked on their way in.
    for (const handle of [...this.#deps.fileStreams()]) {
      try {
        if (!(await this.#scrubStream(handle, pass))) return
      } catch (cause) {
        // The files of other streams are read all the same.
        const what = `the files of a stream cannot be listed: ${(cause as Error).message}`
        pass.onDamage({ part: 'files', what, handle, from: undefined, until: undefined })
      }
    }
  }

  /** false: the pass has to end. */
  async #scrubStream(handle: StreamHandle, pass: ScrubPass): Promise<boolean> {
    for await (const { time, record } of filesIn(this.#deps.store, allOf(handle))) {
      if (!(await pass.mayGoOn())) return false
      const check = await this.#deps.blobs.check(record, pass)
      if (check.outcome === 'stopped') return false
      await this.#report(pass, { handle, time, record }, check)
    }
    return pass.mayGoOn()
  }

  async #report(pass: ScrubPass, file: StoredFile, check: BlobCheck): Promise<void> {
    if (check.outcome === 'damaged') pass.onDamage(damagedFile(file, check.what))
    // Its sample may have gone, and the body with it, since the page was read.
    if (check.outcome === 'missing' && (await this.#isStillNamed(file)))
      pass.onDamage(damagedFile(file, 'it is missing'))
  }

  async #isStillNamed({ handle, time, record }: StoredFile): Promise<boolean> {
    const removal = { handle, from: time, until: epochMs(time + 1) }
    for await (const { record: found } of filesIn(this.#deps.store, removal))
      return found.key === record.key
    return false
  }
}
