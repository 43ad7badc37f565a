/**
 * A greenhouse as functions of time: history and live values come from the same, so that one goes on
 * where the other ends. No randomness but that of hashed times: two runs agree.
 */

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** The clocks in the greenhouse are one hour ahead of UTC; the sun does not know of summer time. */
const ZONE_MS = HOUR_MS

/** A number from 0 to 1 that only the two whole numbers decide. */
function hashed(seed: number, at: number): number {
  let mixed = (seed * 374_761_393 + (at | 0) * 668_265_263) | 0
  mixed = Math.imul(mixed ^ (mixed >>> 13), 1_274_126_177)
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 4_294_967_296
}

/** A line from -1 to 1 that wanders smoothly, about one turn each period. */
function wander(seed: number, time: number, periodMs: number): number {
  const place = time / periodMs
  const at = Math.floor(place)
  const part = place - at
  const smooth = part * part * (3 - 2 * part)
  return (hashed(seed, at) * (1 - smooth) + hashed(seed, at + 1) * smooth) * 2 - 1
}

function hourOf(time: number): number {
  return ((time + ZONE_MS) % DAY_MS) / HOUR_MS
}

function between(low: number, value: number, high: number): number {
  return Math.min(high, Math.max(low, value))
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}

/** From 0 (no sun) to 1 (none better), with clouds. */
function sunAt(time: number): number {
  const height = Math.max(0, Math.sin((Math.PI * (hourOf(time) - 5.5)) / 13))
  const days = between(0, 0.5 + 0.7 * wander(1, time, 1.7 * DAY_MS), 1)
  const minutes = between(0, 0.5 + 0.8 * wander(2, time, 23 * 60_000), 1)
  return height ** 1.2 * (1 - 0.75 * days * minutes)
}

function outsideAt(time: number): number {
  const day = 5.5 * Math.sin((Math.PI * (hourOf(time) - 9)) / 12)
  return 11 + day + 4.5 * wander(3, time, 3.1 * DAY_MS) + 0.5 * wander(4, time, 17 * 60_000)
}

/** The two houses differ a little in everything. */
interface House {
  readonly seed: number
  readonly warmth: number
}

/** The houses by the ID of their component. */
export const houses: Readonly<Record<string, House>> = {
  'north-house': { seed: 10, warmth: 0 },
  'south-house': { seed: 20, warmth: 1.4 },
}

interface Climate {
  readonly temperature: number
  readonly humidity: number
  readonly co2: number
  readonly isVentOpen: boolean
  readonly mode: 'heating' | 'venting' | 'night' | 'idle'
}

/** What the sensors and the controller of a house say. */
export function climateAt({ seed, warmth }: House, time: number): Climate {
  const hour = hourOf(time)
  const sun = sunAt(time - 20 * 60_000)
  // Walls and soil are slow: morning and evening take their time.
  const wanted = 16 + 3 * between(0, (hour - 5) / 1.5, 1) * between(0, (22 - hour) / 2.5, 1)
  const free = 0.4 * outsideAt(time) + 10 + 13 * sun + warmth + 0.6 * wander(seed, time, HOUR_MS)
  const isVentOpen = free > 25
  const isHeated = free < wanted
  const hunting = 0.35 * Math.sin(time / 540_000) + 0.15 * wander(seed + 1, time, 11 * 60_000)
  const held = isHeated ? wanted + hunting : free
  const temperature = isVentOpen ? 25 + (free - 25) * 0.4 : held
  const humidity =
    86 -
    1.7 * (temperature - 16) -
    8 * between(0, (free - 24) / 2, 1) +
    5 * wander(seed + 2, time, 2 * HOUR_MS)
  const isFed = hour > 7 && hour < 11 && !isVentOpen
  const co2 =
    430 +
    170 * (1 - sun) * (1 - 0.8 * between(0, (free - 24) / 2, 1)) +
    (isFed ? 310 : 0) +
    18 * wander(seed + 3, time, 9 * 60_000)
  const resting = hour >= 20 || hour < 6 ? 'night' : 'idle'
  return {
    temperature: rounded(temperature, 2),
    humidity: rounded(between(30, humidity, 99), 1),
    co2: Math.round(co2),
    isVentOpen,
    mode: isVentOpen ? 'venting' : isHeated ? 'heating' : resting,
  }
}

/** The weather above them. */
export function weatherAt(time: number) {
  const wind = Math.max(
    0,
    3.2 + 3 * wander(5, time, 7 * HOUR_MS) + 1.1 * wander(6, time, 4 * 60_000),
  )
  return {
    temperature: rounded(outsideAt(time), 2),
    light: Math.round(820 * sunAt(time)),
    wind: rounded(wind, 1),
    pressure: rounded(1014 + 11 * wander(7, time, 2.6 * DAY_MS), 1),
  }
}

/** Millimeters of rain in the hour that ends at a time. */
export function rainUntil(time: number): number {
  const clouds = wander(1, time, 1.7 * DAY_MS) + 0.7 * wander(8, time, 5 * HOUR_MS)
  return rounded(Math.max(0, clouds - 0.75) * 6, 1)
}

const BEDS = 4
const WATERING_MS = 20 * 60_000

/** How often a bed is watered: each in its own time. */
function bedPeriodMs(bed: number): number {
  return (30 + 7 * bed) * HOUR_MS
}

/** Moisture of the soil of a bed (1 to 4), in percent; it dries, then is watered. */
export function moistureAt(bed: number, time: number): number {
  const since = time % bedPeriodMs(bed)
  const rising = Math.min(1, since / WATERING_MS)
  const dried = (since / bedPeriodMs(bed)) ** 0.8
  const before = 24 + bed
  const value = before + 15 * rising * (1 - dried) + 0.4 * wander(30 + bed, time, 40 * 60_000)
  return rounded(value, 1)
}

/** What the pump does: it runs while any bed is watered. */
export function irrigationAt(time: number) {
  const running = Array.from({ length: BEDS }, (_, at) => time % bedPeriodMs(at + 1) < WATERING_MS)
  const open = running.filter(Boolean).length
  const flow = open === 0 ? 0 : 6.5 + 3.5 * open + 0.3 * wander(40, time, 60_000)
  return { isOn: open > 0, flow: rounded(flow, 2) }
}

/** What the sun gives and the greenhouse takes, in kilowatts. */
export function powerAt(time: number) {
  const heated = Object.values(houses).filter((house) => climateAt(house, time).mode === 'heating')
  const pump = irrigationAt(time).isOn ? 0.55 : 0
  const used = 0.42 + 1.9 * heated.length + pump + 0.12 * wander(50, time, 6 * 60_000)
  return {
    solar: rounded(5.8 * sunAt(time), 3),
    used: rounded(used, 3),
  }
}

/** Kilowatt hours that were used in the hour that ends at a time. */
export function energyUntil(time: number): number {
  const quarters = [0, 1, 2, 3].map((quarter) => powerAt(time - quarter * 900_000).used)
  return rounded(quarters.reduce((sum, used) => sum + used, 0) / 4, 3)
}

/** Whether a sensor was out of order: a gap is a gap. */
export function isLost(bed: number, age: number): boolean {
  return bed === 3 && age > 9 * DAY_MS && age < 9 * DAY_MS + 11 * HOUR_MS
}
