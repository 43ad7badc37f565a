import { useEffect, useState } from 'react'
import { inOrganization } from '../../api/organization.ts'
import { fileName } from '../../chart/chart-series.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { zonedText } from '../../ui/time/moment-text.ts'
import styles from './stream.module.css'

interface Picture {
  readonly address: string
  readonly at: number
}

interface PictureDialogProps {
  /** The latest first. */
  readonly pictures: readonly Picture[]
  /** The address of the one that is shown first. */
  readonly first: string
  readonly zone: string
  readonly onClose: () => void
}

/** A picture in full, with the way to those before and after it, also by the arrow keys. */
export function PictureDialog({ pictures, first, zone, onClose }: PictureDialogProps) {
  const [shown, setShown] = useState(first)
  const at = Math.max(
    0,
    pictures.findIndex(({ address }) => address === shown),
  )
  const { address, at: time } = pictures[at]
  const [later, earlier] = [pictures[at - 1], pictures[at + 1]]
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      const next = key === 'ArrowLeft' ? earlier : key === 'ArrowRight' ? later : undefined
      if (next !== undefined) setShown(next.address)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [earlier, later])
  const name = fileName(address)
  return (
    <Dialog title={name} isWide onClose={onClose}>
      <img className={styles.picture} src={inOrganization(address)} alt={name} />
      <div className={styles.pictureBar}>
        <Button
          icon="left"
          disabled={earlier === undefined}
          onClick={() => earlier !== undefined && setShown(earlier.address)}
        >
          Previous
        </Button>
        <span className={styles.when}>{zonedText(zone, time)}</span>
        <Button
          icon="right"
          disabled={later === undefined}
          onClick={() => later !== undefined && setShown(later.address)}
        >
          Next
        </Button>
      </div>
      <p>
        <a href={inOrganization(address)} download={name}>
          Download
        </a>
      </p>
    </Dialog>
  )
}
