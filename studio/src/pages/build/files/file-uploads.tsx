import { type DragEvent, useRef, useState } from 'react'
import { asApiError } from '../../../api/api-error.ts'
import { Button } from '../../../ui/button.tsx'
import styles from './file-panel.module.css'
import { type FileTarget, uploadFile } from './file-upload.ts'
import { type Upload, UploadList } from './upload-list.tsx'

interface FileUploadsProps {
  readonly target: FileTarget
  /** Called when a file is stored. */
  readonly onDone: () => void
}

/** Takes files for a stream, dropped or chosen, and shows how far each is. */
export function FileUploads({ target, onDone }: FileUploadsProps) {
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
