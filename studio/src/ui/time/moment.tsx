import { zonedText } from './moment-text.ts'
import { browserZone } from './zone-time.ts'

interface MomentProps {
  readonly time: number
  /** That of the browser by default. */
  readonly zone?: string
}

/** A moment in a table or a sentence, to the second, with its zone. */
export function Moment({ time, zone }: MomentProps) {
  const second = Math.floor(time / 1_000) * 1_000
  return (
    <time dateTime={new Date(time).toISOString()}>{zonedText(zone || browserZone(), second)}</time>
  )
}
