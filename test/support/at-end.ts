/**
 * What is done once all tests of this process are over, whichever file began it. The entry of a group of files
 * imports this first, so that it belongs to none of them.
 */
import { after } from 'node:test'

const acts: Array<() => Promise<void>> = []
let isOver = false

/** Remembers something to be done at the end. */
export function atEnd(act: () => Promise<void>): void {
  acts.push(act)
}

after(async () => {
  isOver = true
  await Promise.all(acts.splice(0).map((act) => act()))
})

// A test that ends the process takes those behind it along, of other files too, and node:test finds nothing wrong with 0.
process.once('exit', () => {
  if (isOver) return
  console.error('The process of these tests ended before they did')
  process.exitCode = 1
})
