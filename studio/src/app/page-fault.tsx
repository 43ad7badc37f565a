import { Component, type ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { PageFrame } from '../ui/page-frame.tsx'

interface PageFaultProps {
  /** What broke at one path may work at another. */
  readonly path: string
  readonly children: ReactNode
}

interface PageFaultState {
  readonly error: Error | undefined
  readonly path: string
}

/** Shows what broke in the place of the page; the rest of the studio goes on. */
export class PageFault extends Component<PageFaultProps, PageFaultState> {
  override state: PageFaultState = { error: undefined, path: this.props.path }

  static getDerivedStateFromError(error: Error): Partial<PageFaultState> {
    return { error }
  }

  static getDerivedStateFromProps(
    { path }: PageFaultProps,
    state: PageFaultState,
  ): PageFaultState | null {
    return path === state.path ? null : { path, error: undefined }
  }

  override render() {
    const { error } = this.state
    if (error === undefined) return this.props.children
    // Files of a page that is not loaded yet go when the studio is rebuilt.
    const isUpdated = /dynamically imported module|Importing a module|preload/i.test(error.message)
    const text = isUpdated
      ? 'Cannot load this page. The studio was updated, or the service cannot be reached.'
      : `This page failed: ${error.message}`
    return (
      <PageFrame title="Something went wrong">
        <Empty text={text}>
          <Button onClick={() => location.reload()}>Reload</Button>
        </Empty>
      </PageFrame>
    )
  }
}
