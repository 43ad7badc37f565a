import { Button } from '../../../ui/button.tsx'
import styles from './file-panel.module.css'

/** An upload as a person sees it. */
export interface Upload {
  readonly id: number
  readonly name: string
  /** Which part has left, from 0 to 1. */
  readonly part: number
  readonly state: 'running' | 'done' | 'failed'
  readonly error?: string
  stop(): void
  retry?(): void
}

/** Uploads with their progress; those that failed can be sent again. */
export function UploadList({ uploads }: { readonly uploads: readonly Upload[] }) {
  if (uploads.length === 0) return null
  return (
    <ul className={styles.uploads} aria-label="Uploads">
      {uploads.map((upload) => (
        <li key={upload.id} className={styles.upload}>
          <span className={styles.name}>{upload.name}</span>
          {upload.state === 'running' && (
            <>
              <progress aria-label={`Upload of ${upload.name}`} value={upload.part} max={1} />
              <span className={styles.time}>{Math.floor(upload.part * 100)} %</span>
              <Button kind="plain" onClick={upload.stop}>
                Stop
              </Button>
            </>
          )}
          {upload.state === 'done' && <span role="status">Stored</span>}
          {upload.state === 'failed' && (
            <>
              <span role="alert" className={styles.wrong}>
                {upload.error}
              </span>
              <Button kind="plain" onClick={upload.retry}>
                Retry
              </Button>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}
