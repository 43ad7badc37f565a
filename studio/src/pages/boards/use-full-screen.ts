import { type RefObject, useEffect, useState } from 'react'

/** Showing an element on the whole screen, or over the whole page where the browser has no way to. */
export interface FullScreen {
  readonly isOn: boolean
  /** Whether it covers the page by itself. */
  readonly isCovering: boolean
  enter(): void
  leave(): void
}

/** Shows an element on the whole screen; Escape leaves it. */
export function useFullScreen(place: RefObject<HTMLElement | null>): FullScreen {
  const [isFull, setIsFull] = useState(false)
  const [isCovering, setIsCovering] = useState(false)
  useEffect(() => {
    const look = () => setIsFull(document.fullscreenElement === place.current)
    document.addEventListener('fullscreenchange', look)
    return () => document.removeEventListener('fullscreenchange', look)
  }, [place])
  useEffect(() => {
    if (!isCovering) return undefined
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') setIsCovering(false)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isCovering])
  return {
    isOn: isFull || isCovering,
    isCovering,
    enter: () => {
      const element = place.current
      if (element?.requestFullscreen === undefined) return setIsCovering(true)
      element.requestFullscreen().catch(() => setIsCovering(true))
    },
    leave: () => {
      setIsCovering(false)
      if (document.fullscreenElement !== null) void document.exitFullscreen()
    },
  }
}
