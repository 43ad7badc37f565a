import { Component, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'

/** Shows what broke in the place of the page; the rest of the studio goes on. */
export class PageFault extends Component<
  { readonly children: ReactNode },
  { readonly error: Error | undefined }
> {
  override state = { error: undefined as Error | undefined }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    // Files of a page that is not loaded yet go when the studio is built anew.
    const isUpdated = /dynamically imported module|Importing a module|preload/i.test(error.message)
    const text = isUpdated
      ? 'This page cannot be loaded: the studio was updated, or the service cannot be reached.'
      : `This page does not work: ${error.message}`
    return (
      <Empty text={text}>
        <Button onClick={() => location.reload()}>Load it again</Button>
      </Empty>
    )
  }
}
