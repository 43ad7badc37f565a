import { invariant } from '../base/index.ts'
import type { OneStreamPath } from '../feed/index.ts'
import type { BlobInfo } from '../store/index.ts'

/** What the sample of a file says about it; kept as the sample's text. */
export interface FileRecord extends BlobInfo {
  readonly name: string
  /** The content type that the uploader named. */
  readonly type: string
}

/** The text that a file's sample holds: compact JSON with the keys in this order. */
export function writeFileRecord({ key, name, type, bytes, sha256 }: FileRecord): string {
  return JSON.stringify({ key, name, type, bytes, sha256 })
}

/** Reads what writeFileRecord wrote. */
export function readFileRecord(text: string): FileRecord {
  const record = JSON.parse(text) as FileRecord
  invariant(typeof record.key === 'string', 'a file sample without a key')
  return record
}

/** Where the file of a sample can be fetched, as GET feed lists it; by UIDs where its stream is named by them. */
export function fileUrl(
  file: OneStreamPath & { readonly time: number; readonly name: string },
): string {
  const [component, stream] =
    'compId' in file
      ? [`comp/${encodeURIComponent(file.compId)}`, encodeURIComponent(file.streamId)]
      : [`component/${file.componentUid}`, file.streamUid]
  return `/api/${component}/stream/${stream}/feed/file/${file.time}/${encodeURIComponent(file.name)}`
}
