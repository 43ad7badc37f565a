import { useState } from 'react'
import { request } from '../../../api/client.ts'
import { queries } from '../../../api/query-cache.ts'
import { useRole } from '../../../api/session.ts'
import { useQuery } from '../../../api/use-query.ts'
import { fileName } from '../../../chart/chart-series.ts'
import { Empty } from '../../../ui/empty.tsx'
import { zonedText } from '../../../ui/time/moment-text.ts'
import styles from './file-panel.module.css'
import { FilePreview } from './file-preview.tsx'
import { type FileTarget, fileAddress, filesPath } from './file-upload.ts'
import { FileUploads } from './file-uploads.tsx'

const SHOWN = 50

interface StoredFile {
  readonly time: number
  readonly data: string
}

/** The files of a stream: the newest with a preview, and uploads by button or by drag and drop. */
export function FilePanel({ timeZoneId, ...target }: FileTarget & { readonly timeZoneId: string }) {
  const isReader = useRole() === 'GUEST'
  const key = ['files', target.componentUid, target.streamUid]
  const { data, error } = useQuery(key, async (signal) => {
    const path = filesPath(target).replace(/\/file$/, '')
    return (await (await request(`${path}?limit=${SHOWN}`, { signal })).json()) as StoredFile[]
  })
  const [chosen, setChosen] = useState<number>()
  const files = data ?? []
  const shown = files.find(({ time }) => time === chosen) ?? files[0]
  return (
    <section className={styles.panel} aria-labelledby="files-heading">
      <h2 id="files-heading">Files</h2>
      {!isReader && <FileUploads target={target} onDone={() => queries.invalidate(key)} />}
      {error !== undefined && <Empty text={error.message} />}
      {data?.length === 0 && <Empty text="No files." />}
      {shown !== undefined && (
        <div className={styles.files}>
          <ul className={styles.list} aria-label="Files, newest first">
            {files.map((file) => (
              <li key={file.time}>
                <button
                  type="button"
                  className={styles.file}
                  aria-pressed={file === shown}
                  onClick={() => setChosen(file.time)}
                >
                  <span className={styles.name}>{nameOf(file)}</span>
                  <span className={styles.time}>{zonedText(timeZoneId, file.time)}</span>
                </button>
              </li>
            ))}
          </ul>
          <FilePreview
            key={shown.data}
            address={fileAddress(target, shown.time, shown.data)}
            name={nameOf(shown)}
          />
        </div>
      )}
    </section>
  )
}

const nameOf = ({ data }: StoredFile) => fileName(data)
