import { Refusal } from '../../base/index.ts'
import type { Documents } from './documents.ts'

/** Which refusals may come of what another process has made, and this one does not know yet. */
export type MayBeMade = (refusal: Refusal) => boolean

const isNotFound: MayBeMade = ({ status }) => status === 404

/** Refusals that were given after all that others have committed was taken over. */
const looked = new WeakSet<Refusal>()

/**
 * Runs what looks for records and changes nothing when it is refused. Where it is refused as something is not there,
 * what other processes have committed is taken over, and it runs once more if there was anything.
 */
export async function lookAgain<T>(
  documents: Documents,
  look: () => T | Promise<T>,
  mayBeMade: MayBeMade = isNotFound,
): Promise<T> {
  const { takenOver } = documents
  try {
    return await look()
  } catch (error) {
    if (!documents.catchUps.isShared || !(error instanceof Refusal)) throw error
    if (looked.has(error) || !mayBeMade(error)) throw error
    await documents.catchUps.lookAgain()
    if (documents.takenOver !== takenOver) return await look()
    looked.add(error)
    throw error
  }
}
