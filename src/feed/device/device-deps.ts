import type { TextMemory } from '../../store/index.ts'
import type { GetDeps } from '../get/get-feed.ts'
import type { LastContacts } from './last-contacts.ts'

/** What a list of devices works with. */
export interface DeviceDeps extends GetDeps {
  readonly contacts: LastContacts
  readonly now: number
  /** Where the texts of the answer are counted. */
  readonly memory?: TextMemory
}
