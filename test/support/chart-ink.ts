/** What a chart has drawn, read from its pixels. */
import type { Page } from 'playwright-core'

/** A part of the plot's box, from 0 to 1 in each direction, from the left and from the top. */
interface PlotPart {
  readonly left?: number
  readonly right?: number
  readonly top?: number
  readonly bottom?: number
}

/** The part of rows and of columns with a pixel that has a contrast of at least 3:1 to the card, from 0 to 1. */
export interface Ink {
  readonly rows: number
  readonly columns: number
}

const READ = `(part) => {
  const canvas = document.querySelector('.u-wrap canvas')
  const plot = document.querySelector('.u-over').getBoundingClientRect()
  const place = canvas.getBoundingClientRect()
  const scale = canvas.width / place.width
  const { left = 0, right = 1, top = 0, bottom = 1 } = part
  const x = Math.ceil((plot.left - place.left + plot.width * left) * scale)
  const y = Math.ceil((plot.top - place.top + plot.height * top) * scale)
  const width = Math.floor(plot.width * (right - left) * scale)
  const height = Math.floor(plot.height * (bottom - top) * scale)
  // A context writes every color in its long form.
  const pen = document.createElement('canvas').getContext('2d')
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--card').trim()
  const ground = pen.fillStyle
  const card = [1, 3, 5].map((at) => parseInt(ground.slice(at, at + 2), 16))
  const light = (parts) => {
    const [r, g, b] = parts.map((part) => {
      const share = part / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const base = light(card)
  const { data } = canvas.getContext('2d').getImageData(x, y, width, height)
  const [rows, columns] = [new Set(), new Set()]
  for (let at = 0; at < width * height; at++) {
    const alpha = data[at * 4 + 3] / 255
    if (alpha === 0) continue
    const seen = light(card.map((one, part) => data[at * 4 + part] * alpha + one * (1 - alpha)))
    const contrast = (Math.max(seen, base) + 0.05) / (Math.min(seen, base) + 0.05)
    if (contrast < 3) continue
    rows.add(Math.floor(at / width))
    columns.add(at % width)
  }
  return { rows: rows.size / height, columns: columns.size / width }
}`

/** Where the first chart of a page has visible ink, in a part of its plot. */
export async function inkOf(page: Page, part: PlotPart = {}): Promise<Ink> {
  return await page.evaluate<Ink>(`(${READ})(${JSON.stringify(part)})`)
}
