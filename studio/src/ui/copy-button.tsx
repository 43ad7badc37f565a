import { useState } from 'react'
import { Button } from './button.tsx'

const DONE_MS = 2_000

/** Copies a text; says so in its own words for a moment. */
export function CopyButton({
  text,
  label = 'Copy',
  what = '',
}: {
  readonly text: string
  readonly label?: string
  /** What is copied, for screen readers. */
  readonly what?: string
}) {
  const [done, setDone] = useState<'' | 'Copied' | 'Cannot copy'>('')
  const copy = async () => {
    setDone((await copyText(text)) ? 'Copied' : 'Cannot copy')
    setTimeout(() => setDone(''), DONE_MS)
  }
  return (
    <Button icon={done === 'Copied' ? 'check' : 'copy'} onClick={copy}>
      <span aria-live="polite">{done || label}</span>
      {what !== '' && <span className="visually-hidden">{what}</span>}
    </Button>
  )
}

/** Whether the text is on the clipboard; without TLS browsers have only the old way. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.style.position = 'fixed'
    area.style.opacity = '0'
    // Inside an open dialog only what is in it can be selected.
    const place = document.querySelector('dialog[open]') ?? document.body
    place.append(area)
    area.select()
    const isDone = document.execCommand('copy')
    area.remove()
    return isDone
  }
}
