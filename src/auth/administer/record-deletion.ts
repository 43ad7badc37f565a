import type { PutDocument } from '../../store/index.ts'
import type { Identity } from '../identity.ts'
import { type ActingCaller, actOf } from './acting-caller.ts'

/** What is deleted, for people who look for it later. */
interface Deletion {
  readonly act:
    | 'component_deleted'
    | 'connector_deleted'
    | 'dashboard_deleted'
    | 'folder_deleted'
    | 'stream_deleted'
    | 'samples_deleted'
  /** The UID of what goes, or of the stream whose samples go. */
  readonly target: string
  readonly detail: string
}

/** The entry of what another part deletes for a caller, for the commit that does. */
export function planDeletion(
  { audit }: Pick<Identity, 'audit'>,
  by: ActingCaller,
  deletion: Deletion,
): PutDocument {
  return audit.plan(actOf(by, deletion))
}

/** Writes down what another part is about to delete elsewhere than in the catalog: nothing goes before it is durable. */
export async function announceDeletion(
  { audit }: Pick<Identity, 'audit'>,
  by: ActingCaller,
  deletion: Deletion,
): Promise<void> {
  await audit.record(actOf(by, deletion))
}
