import type { Identity } from '../identity.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'

/** What was deleted, for people who look for it later. */
interface Deletion {
  readonly act: 'component_deleted' | 'folder_deleted' | 'stream_deleted' | 'samples_deleted'
  /** The UID of what is gone, '' where samples were named by a range. */
  readonly target: string
  readonly detail: string
}

/** Writes down what other parts have deleted for a caller, before the caller is told. */
export async function recordDeletion(
  { audit }: Pick<Identity, 'audit'>,
  by: ActingCaller,
  deletion: Deletion,
): Promise<void> {
  await audit.record(actOf(by, deletion))
}
