import { useEffect } from 'react'

/** Opens the help wherever `?` is pressed and nobody types. */
export function useHelpKey(onHelp: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '?' || event.ctrlKey || event.metaKey || event.altKey) return
      const { target } = event
      const isTyping =
        target instanceof HTMLElement &&
        (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
      if (isTyping || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      onHelp()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [onHelp])
}
