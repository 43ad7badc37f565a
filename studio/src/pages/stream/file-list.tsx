import { useState } from 'react'
import { inOrganization } from '../../api/organization.ts'
import { fileName, type Plot } from '../../chart/chart-series.ts'
import type { FoundStream } from '../../state/use-stream.ts'
import { momentText } from '../../ui/time/moment-text.ts'
import { fileAddress } from '../build/files/file-upload.ts'
import { PictureDialog } from './picture-dialog.tsx'
import styles from './stream.module.css'

/** Files that are shown; others are in the table, or nearer when one zooms in. */
const FILES_MAX = 60

const PICTURE = /\.(?:png|jpe?g|gif|webp|avif|svg|bmp)$/i
const SOUND = /\.(?:mp3|ogg|wav|flac|m4a)$/i
const FILM = /\.(?:mp4|webm|mov)$/i

interface FileListProps {
  readonly found: FoundStream
  readonly plot: Plot | undefined
  readonly zone: string
}

/** The files of a range, the latest first, each with a look at it where the browser can show it. */
export function FileList({ found, plot, zone }: FileListProps) {
  const [open, setOpen] = useState<string>()
  if (plot === undefined) return null
  const { form, time = [], value = [], end = [], last = [] } = plot
  const [times, addresses] = form === 'spans' ? [end, last] : [time, value]
  const files = addresses.map((address, index) => {
    const at = times[index]
    return { at, address: fileAddress(found, at, address) }
  })
  const shown = files.slice(-FILES_MAX).reverse()
  const pictures = shown.filter(({ address }) => PICTURE.test(fileName(address)))
  if (files.length === 0) return null
  return (
    <section aria-label="Files">
      <h2>Files</h2>
      <ul className={styles.files}>
        {shown.map(({ address, at }) => (
          <li key={address} className={styles.file}>
            <Preview address={address} onOpen={() => setOpen(address)} />
            <a href={inOrganization(address)}>{fileName(address)}</a>
            <span className={styles.when}>{momentText(zone, at)}</span>
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <PictureDialog
          pictures={pictures}
          first={open}
          zone={zone}
          onClose={() => setOpen(undefined)}
        />
      )}
    </section>
  )
}

interface PreviewProps {
  readonly address: string
  readonly onOpen: () => void
}

function Preview({ address, onOpen }: PreviewProps) {
  const name = fileName(address)
  const source = inOrganization(address)
  if (PICTURE.test(name)) {
    return (
      <button type="button" className={styles.open} onClick={onOpen} title={`Show ${name}`}>
        <img src={source} alt={name} loading="lazy" />
      </button>
    )
  }
  // biome-ignore lint/a11y/useMediaCaption: what devices record has no captions.
  if (SOUND.test(name)) return <audio src={source} controls preload="none" aria-label={name} />
  // biome-ignore lint/a11y/useMediaCaption: what devices record has no captions.
  if (FILM.test(name)) return <video src={source} controls preload="none" aria-label={name} />
  return <span className={styles.kind}>{name.split('.').at(-1)}</span>
}
