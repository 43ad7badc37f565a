import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { inAddress } from '../api/organization.ts'
import { navigate, usePlace } from './place.ts'

interface LinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  readonly to: string
  /** Leaves no step to go back to. */
  readonly replace?: boolean
}

/** A link to a place of the studio: an ordinary one for new tabs and copying, without loading for a click. */
export function Link({ to, replace, onClick, ...rest }: LinkProps) {
  const { path } = usePlace()
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey
    if (event.defaultPrevented || !isPlain || event.altKey) return
    event.preventDefault()
    navigate(to, { replace })
  }
  const isHere = to.split('?')[0] === path
  return (
    <a href={inAddress(to)} onClick={follow} aria-current={isHere ? 'page' : undefined} {...rest} />
  )
}
