/** What the camera sees, drawn: a bed whose plants grow by the day, in the light of the hour. */
import { crc32, deflateSync } from 'node:zlib'

const WIDTH = 240
const HEIGHT = 160
const GROUND = 112
const PLANTS = 7

type Colour = readonly [red: number, green: number, blue: number]

/** A PNG of the bed, `day` days after planting, at an hour of the day. */
export function drawBed(day: number, hour: number): Buffer {
  const light = Math.max(0.18, Math.sin((Math.PI * (hour - 5)) / 15))
  const rows = Buffer.alloc(HEIGHT * (1 + WIDTH * 3))
  for (let y = 0; y < HEIGHT; y += 1) {
    for (let x = 0; x < WIDTH; x += 1) {
      const [red, green, blue] = colourAt(x, y, day).map((part) => Math.round(part * light))
      const at = y * (1 + WIDTH * 3) + 1 + x * 3
      rows.set([red, green, blue], at)
    }
  }
  return encodePng(rows)
}

function colourAt(x: number, y: number, day: number): Colour {
  const plant = Math.floor((x / WIDTH) * PLANTS)
  const middle = ((plant + 0.5) * WIDTH) / PLANTS
  const size = Math.min(44, 6 + day * (1.1 + 0.15 * ((plant * 5) % 4)))
  const above = GROUND - y
  const side = Math.abs(x - middle)
  if (above > 0 && above < size && side < 1.6) return [78, 120, 52]
  // Leaves in pairs, smaller towards the top.
  const leaf = above % 12
  const reach = (size - above) * 0.42
  if (above > 3 && above < size && side < reach && Math.abs(leaf - 5 - side * 0.25) < 2.4)
    return plant % 2 === 0 ? [88, 156, 66] : [70, 140, 74]
  if (above <= 0) return (x * 7 + y * 13) % 23 < 4 ? [84, 58, 40] : [102, 72, 50]
  if (x % 60 < 2 || y === 20) return [222, 230, 232]
  const sky = Math.floor(y / 14) * 5
  return [168 + sky, 204 + sky / 2, 224]
}

function encodePng(rows: Buffer): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(WIDTH, 0)
  head.writeUInt32BE(HEIGHT, 4)
  // Eight bits for each of red, green and blue.
  head.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
