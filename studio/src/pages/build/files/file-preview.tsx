import { useEffect, useState } from 'react'
import { request } from '../../../api/client.ts'
import { inOrganization } from '../../../api/organization.ts'
import { useQuery } from '../../../api/use-query.ts'
import styles from './file-panel.module.css'

/** As much of a text as a person looks at. */
const TEXT_BYTES = 64 * 1024
/** Larger pictures are downloaded rather than held in the page. */
const PICTURE_BYTES_MAX = 32 * 1024 * 1024

interface Preview {
  readonly kind: 'picture' | 'text' | 'other'
  readonly type: string
  readonly bytes: number
  readonly text?: string
  readonly blob?: Blob
}

/** What a file looks like: pictures and texts in the page, others by their type and size. */
export function FilePreview({
  address,
  name,
}: {
  readonly address: string
  readonly name: string
}) {
  const { data, error } = useQuery(['file-preview', address], (signal) => look(address, signal))
  return (
    <figure className={styles.preview}>
      <figcaption>
        <span className={styles.name}>{name}</span>
        {data !== undefined && (
          <span className={styles.time}>
            {data.type}, {bytesText(data.bytes)}
          </span>
        )}
        <a
          href={inOrganization(
            `${address}${address.includes('?') ? '&' : '?'}disposition=attachment`,
          )}
          download
        >
          Download
        </a>
      </figcaption>
      {error !== undefined && <p className={styles.wrong}>{error.message}</p>}
      {data?.kind === 'picture' && data.blob !== undefined && (
        <Picture blob={data.blob} name={name} />
      )}
      {data?.kind === 'text' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        <pre className={styles.text} tabIndex={0}>
          {data.text}
        </pre>
      )}
      {data?.kind === 'other' && <p>No preview for this file type.</p>}
    </figure>
  )
}

function Picture({ blob, name }: { readonly blob: Blob; readonly name: string }) {
  const [source, setSource] = useState<string>()
  useEffect(() => {
    const made = URL.createObjectURL(blob)
    setSource(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return source === undefined ? null : <img className={styles.picture} src={source} alt={name} />
}

async function look(address: string, signal: AbortSignal): Promise<Preview> {
  const first = await request(address, { signal, headers: { Range: `bytes=0-${TEXT_BYTES - 1}` } })
  const type = (first.headers.get('content-type') ?? '').split(';')[0].trim()
  const range = /\/(\d+)$/.exec(first.headers.get('content-range') ?? '')
  const bytes = Number(range?.[1] ?? first.headers.get('content-length') ?? 0)
  if (/^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(type) && bytes <= PICTURE_BYTES_MAX) {
    const whole = await request(address, { signal })
    return { kind: 'picture', type, bytes, blob: await whole.blob() }
  }
  if (/^text\/|[/+](?:json|xml)$|^application\/(?:javascript|x-yaml)$/.test(type)) {
    return { kind: 'text', type, bytes, text: await first.text() }
  }
  return { kind: 'other', type, bytes }
}

function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  const steps = ['kB', 'MB', 'GB']
  const at = Math.min(steps.length - 1, Math.floor(Math.log10(bytes) / 3) - 1)
  return `${(bytes / 1_000 ** (at + 1)).toFixed(1)} ${steps[at]}`
}
