import { type RefObject, useEffect, useRef } from 'react'

/** Calls back when the pointer or the focus goes elsewhere, while `isOn`. */
export function useLeave(
  place: RefObject<HTMLElement | null>,
  isOn: boolean,
  onLeave: () => void,
): void {
  const latest = useRef(onLeave)
  latest.current = onLeave
  useEffect(() => {
    if (!isOn) return undefined
    const leave = (event: Event) => {
      if (!place.current?.contains(event.target as Node)) latest.current()
    }
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
    }
  }, [place, isOn])
}
