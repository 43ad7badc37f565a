/** A process that salvages a samples.db and kills itself on the way: file, and at which call of which kind. */
import { openSamplesFile } from '../../src/store/embedded/seal/open-samples-file.ts'
import { salvageRows } from '../../src/store/embedded/seal/salvage-table.ts'

const [, , file, kind, count] = process.argv
let left = Number(count)

function die(): void {
  process.kill(process.pid, 'SIGKILL')
}

function pass(here: string): void {
  if (here !== kind) return
  left -= 1
  if (left === 0) die()
}

const db = openSamplesFile(file)
// Little memory, so that the log has much of what is not committed.
db.exec('PRAGMA cache_size = -300')
salvageRows(db, { segment: 99, onRows: () => pass('row'), onLost: () => pass('lost') })
if (kind === 'end') die()
throw new Error(`${kind} ${count} was not reached`)
