/** Files on their way to a stream: XMLHttpRequest reports progress, fetch does not. */
import { ApiError } from '../../../api/api-error.ts'
import { noteFound, noteLost } from '../../../api/connection.ts'
import { inOrganization } from '../../../api/organization.ts'
import { whenSignedIn } from '../../../api/session.ts'
import { fileName, type PlotValue } from '../../../chart/chart-series.ts'

/** Where a file goes: by UIDs, which every stream has. */
export interface FileTarget {
  readonly componentUid: string
  readonly streamUid: string
}

interface UploadOptions {
  readonly signal: AbortSignal
  /** Called with the part of the file that is sent, from 0 to 1. */
  readonly onProgress: (part: number) => void
}

/** The address of the files of a stream. */
export function filesPath({ componentUid, streamUid }: FileTarget): string {
  return `/api/component/${componentUid}/stream/${streamUid}/feed/file`
}

/** The URL of one file. That in its sample has IDs, which a browser may not find. */
export function fileAddress(target: FileTarget, time: number, address: PlotValue): string {
  return `${filesPath(target)}/${time}/${encodeURIComponent(fileName(address))}`
}

/** Uploads a file; when the session has ended it waits for a sign-in and sends it again. */
export async function uploadFile(
  target: FileTarget,
  file: File,
  options: UploadOptions,
): Promise<void> {
  const address = inOrganization(`${filesPath(target)}/${encodeURIComponent(file.name)}`)
  for (;;) {
    const { status, code, message } = await send(address, file, options)
    if (status === 200) return
    if (status !== 401) throw new ApiError({ status, code, message })
    await whenSignedIn(options.signal)
  }
}

interface Sent {
  readonly status: number
  readonly code: string
  readonly message: string
}

function send(address: string, file: File, { signal, onProgress }: UploadOptions): Promise<Sent> {
  return new Promise((resolve, reject) => {
    const call = new XMLHttpRequest()
    const stop = () => call.abort()
    call.open('PUT', address)
    call.setRequestHeader('Content-Type', file.type || 'application/octet-stream')
    call.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total)
    call.onload = () => {
      noteFound()
      resolve(readAnswer(call))
    }
    call.onerror = () => {
      noteLost()
      const message =
        'Upload failed: the service cannot be reached. Nothing was stored. Try again later.'
      reject(new ApiError({ status: 0, code: 'connection', message }))
    }
    call.onabort = () =>
      reject(
        new ApiError({
          status: 0,
          code: 'stopped',
          message: 'Upload stopped. Nothing was stored.',
        }),
      )
    call.onloadend = () => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop)
    call.send(file)
  })
}

function readAnswer(call: XMLHttpRequest): Sent {
  const fallback = `The service answered ${call.status}.`
  try {
    const { code = '', message = fallback } = JSON.parse(call.responseText)
    return { status: call.status, code, message }
  } catch {
    return { status: call.status, code: '', message: fallback }
  }
}
