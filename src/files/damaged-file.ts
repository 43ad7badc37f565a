import { type EpochMs, epochMs } from '../base/index.ts'
import type { ScrubFinding, StreamHandle } from '../store/index.ts'
import type { FileRecord } from './file-record.ts'

/** The text for a file whose body is damaged. Its name stays with its stream. */
export function damagedFile(
  file: { readonly record: FileRecord; readonly handle: StreamHandle; readonly time: EpochMs },
  what: string,
): ScrubFinding {
  const { record, handle, time } = file
  return {
    part: 'files',
    what: `file body ${record.key}: ${what}`,
    handle,
    from: time,
    until: epochMs(time + 1),
  }
}
