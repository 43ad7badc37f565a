import { type RefObject, useEffect, useRef } from 'react'
import { moved, type NextRange, type TimeRange, zoomed } from './time-range.ts'
import type { UplotView } from './uplot-view.ts'

/** What gestures do to the range. */
export interface GestureDeps {
  readonly range: TimeRange
  /** Shows a range at once; `isStep`: it is one to come back to, not a moment of a movement. */
  readonly onMove: (next: NextRange, options: { readonly isStep: boolean }) => void
  readonly onBack: () => void
}

/** Moves a chart by Shift and dragging, by fingers, and by the wheel over its time axis. */
export function useGestures(
  place: RefObject<HTMLElement | null>,
  view: RefObject<UplotView | null>,
  deps: GestureDeps,
): void {
  const latest = useRef(deps)
  latest.current = deps
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const gestures = new Gestures(element, view, () => latest.current)
    return () => gestures.stop()
  }, [place, view])
}

class Gestures {
  readonly #element: HTMLElement
  readonly #view: RefObject<UplotView | null>
  readonly #deps: () => GestureDeps
  readonly #stopped = new AbortController()
  /** Where each finger is. */
  readonly #fingers = new Map<number, { x: number; y: number }>()
  #panFrom: { x: number; range: TimeRange } | undefined
  /** Where one finger began to drag. */
  #dragFrom: { x: number; y: number } | undefined
  #pinchFrom: { distance: number; middle: number; range: TimeRange } | undefined

  constructor(element: HTMLElement, view: RefObject<UplotView | null>, deps: () => GestureDeps) {
    this.#element = element
    this.#view = view
    this.#deps = deps
    const { signal } = this.#stopped
    element.addEventListener('wheel', (event) => this.#wheel(event), { signal, passive: false })
    element.addEventListener('pointerdown', (event) => this.#down(event), { signal, capture: true })
    element.addEventListener('pointermove', (event) => this.#move(event), { signal })
    for (const name of ['pointerup', 'pointercancel', 'pointerleave'] as const) {
      element.addEventListener(name, (event) => this.#up(event), { signal })
    }
    element.addEventListener('dblclick', () => this.#deps().onBack(), { signal })
  }

  stop(): void {
    this.#stopped.abort()
  }

  #wheel(event: WheelEvent): void {
    const found = this.#view.current?.at(event.clientX, event.clientY)
    // Elsewhere the wheel scrolls the page; with Ctrl it is a pinch on a touchpad.
    if (found === undefined || !(found.isOverAxis || (found.isOverPlot && event.ctrlKey))) return
    event.preventDefault()
    const size = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY
    const factor = Math.exp(Math.min(Math.max(size, -300), 300) / 400)
    this.#deps().onMove((range) => zoomed(range, factor, found.time), { isStep: false })
  }

  #down(event: PointerEvent): void {
    if (event.pointerType === 'touch') {
      this.#fingers.set(event.pointerId, { x: event.clientX, y: event.clientY })
      if (this.#fingers.size === 2) this.#beginPinch()
      else this.#dragFrom = { x: event.clientX, y: event.clientY }
      return
    }
    if (event.button !== 0 || !event.shiftKey) return
    this.#element.setPointerCapture(event.pointerId)
    this.#panFrom = { x: event.clientX, range: this.#deps().range }
  }

  #move(event: PointerEvent): void {
    const finger = this.#fingers.get(event.pointerId)
    if (finger !== undefined) {
      Object.assign(finger, { x: event.clientX, y: event.clientY })
      if (this.#dragFrom !== undefined) {
        this.#view.current?.showSelection(this.#dragFrom.x, event.clientX)
      } else this.#pinch()
      return
    }
    if (this.#panFrom !== undefined) this.#pan(event.clientX)
  }

  #up(event: PointerEvent): void {
    const isFinger = this.#fingers.delete(event.pointerId)
    if (isFinger && this.#dragFrom !== undefined) {
      // A finger that scrolls the page is cancelled and means nothing here.
      this.#view.current?.endSelection(event.type === 'pointerup')
      this.#dragFrom = undefined
    }
    if (this.#fingers.size < 2) this.#pinchFrom = undefined
    if (this.#panFrom === undefined) return
    this.#panFrom = undefined
    this.#deps().onMove((range) => range, { isStep: true })
  }

  #pan(x: number): void {
    const width = this.#view.current?.plotWidth ?? 0
    if (this.#panFrom === undefined || width === 0) return
    const { x: start, range } = this.#panFrom
    this.#deps().onMove(moved(range, (start - x) / width), { isStep: false })
  }

  #beginPinch(): void {
    const [one, other] = [...this.#fingers.values()]
    this.#dragFrom = undefined
    this.#view.current?.endSelection(false)
    const distance = Math.max(Math.abs(one.x - other.x), 20)
    this.#pinchFrom = { distance, middle: (one.x + other.x) / 2, range: this.#deps().range }
  }

  /** Two fingers move what is between them, and stretch it when they part. */
  #pinch(): void {
    const view = this.#view.current
    if (this.#pinchFrom === undefined || this.#fingers.size !== 2 || view === null) return
    const [one, other] = [...this.#fingers.values()]
    const { distance, middle, range } = this.#pinchFrom
    const by = moved(range, (middle - (one.x + other.x) / 2) / Math.max(view.plotWidth, 1))
    const factor = distance / Math.max(Math.abs(one.x - other.x), 20)
    this.#deps().onMove(zoomed(by, factor, (by.from + by.until) / 2), { isStep: false })
  }
}
