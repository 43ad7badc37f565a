import { type DragEvent, useRef, useState } from 'react'
import { asApiError } from '../../api/api-error.ts'
import { request } from '../../api/client.ts'
import { queries } from '../../api/query-cache.ts'
import { useRole } from '../../api/session.ts'
import { useQuery } from '../../api/use-query.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import styles from './file-panel.module.css'
import { FilePreview } from './file-preview.tsx'
import { type FileTarget, filesPath, uploadFile } from './file-upload.ts'
import { type Upload, UploadList } from './upload-list.tsx'

const SHOWN = 50

interface StoredFile {
  readonly time: number
  readonly data: string
}

/** The files of a stream: the newest with a preview, and uploads by button or by drag and drop. */
export function FilePanel({ timeZoneId, ...target }: FileTarget & { readonly timeZoneId: string }) {
  const isReader = useRole() === 'GUEST'
  const key = ['files', target.compId, target.streamId]
  const { data, error } = useQuery(key, async (signal) => {
    const path = filesPath(target).replace(/\/file$/, '')
    return (await (await request(`${path}?limit=${SHOWN}`, { signal })).json()) as StoredFile[]
  })
  const [chosen, setChosen] = useState<number>()
  if (target.compId === '' || target.streamId === '') {
    return <Empty text="Files are sent by IDs: give the component and the stream an ID first." />
  }
  const files = data ?? []
  const shown = files.find(({ time }) => time === chosen) ?? files[0]
  return (
    <section className={styles.panel} aria-labelledby="files-heading">
      <h2 id="files-heading">Files</h2>
      {!isReader && <Uploads target={target} onDone={() => queries.invalidate(key)} />}
      {error !== undefined && <Empty text={error.message} />}
      {data?.length === 0 && <Empty text="No file has arrived yet." />}
      {shown !== undefined && (
        <div className={styles.files}>
          <ul className={styles.list} aria-label="Files, the latest first">
            {files.map((file) => (
              <li key={file.time}>
                <button
                  type="button"
                  className={styles.file}
                  aria-pressed={file === shown}
                  onClick={() => setChosen(file.time)}
                >
                  <span className={styles.name}>{nameOf(file)}</span>
                  <span className={styles.time}>{timeText(file.time, timeZoneId)}</span>
                </button>
              </li>
            ))}
          </ul>
          <FilePreview key={shown.data} address={shown.data} name={nameOf(shown)} />
        </div>
      )}
    </section>
  )
}

function Uploads({ target, onDone }: { readonly target: FileTarget; readonly onDone: () => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const [isOver, setIsOver] = useState(false)
  const count = useRef(0)
  const change = (id: number, more: Partial<Upload>) =>
    setUploads((now) => now.map((one) => (one.id === id ? { ...one, ...more } : one)))
  const start = async (file: File) => {
    const stop = new AbortController()
    const id = count.current++
    const upload = { id, name: file.name, part: 0, state: 'running', stop: () => stop.abort() }
    setUploads((now) => [...now.filter(({ state }) => state !== 'done'), upload as Upload])
    try {
      const onProgress = (part: number) => change(id, { part })
      await uploadFile(target, file, { signal: stop.signal, onProgress })
      change(id, { part: 1, state: 'done' })
      onDone()
    } catch (thrown) {
      const retry = () => {
        setUploads((now) => now.filter((one) => one.id !== id))
        void start(file)
      }
      change(id, { state: 'failed', error: asApiError(thrown).message, retry })
    }
  }
  // One after another: the line is shared, and each has its bar.
  const startAll = async (files: Iterable<File>) => {
    for (const file of files) await start(file)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    void startAll([...event.dataTransfer.files])
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same by keyboard. */}
      <div
        className={styles.drop}
        data-over={isOver || undefined}
        onDragOver={(event) => {
          event.preventDefault()
          setIsOver(true)
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={drop}
      >
        <span>Drop files here, or</span>
        <Button icon="upload" onClick={() => input.current?.click()}>
          Choose files
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files to upload"
          onChange={(event) => {
            const files = [...(event.currentTarget.files ?? [])]
            event.currentTarget.value = ''
            void startAll(files)
          }}
        />
      </div>
      <UploadList uploads={uploads} />
    </>
  )
}

/** The name at the end of a file's address. */
function nameOf({ data }: StoredFile): string {
  const last = data.split('?')[0].split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

function timeText(time: number, timeZone: string): string {
  const format = { dateStyle: 'medium', timeStyle: 'medium', timeZone } as const
  return `${new Intl.DateTimeFormat(undefined, format).format(time)}, ${timeZone}`
}
