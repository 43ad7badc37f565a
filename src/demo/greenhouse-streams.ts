/** Every stream of the greenhouse: where it is, what it is, how often it speaks, and what it says. */
import {
  climateAt,
  energyUntil,
  houses,
  irrigationAt,
  isLost,
  moistureAt,
  powerAt,
  rainUntil,
  weatherAt,
} from './greenhouse-model.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

/** A value as the feed takes it. */
export type DemoValue = number | string | boolean

/** A stream: its record, and its values. */
export interface DemoStream {
  readonly id: string
  readonly name: string
  readonly valueType: 'DOUBLE' | 'INTEGER' | 'BOOLEAN' | 'STRING' | 'FILE'
  readonly unitId?: string
  /** Intervals of an hour whose values add up. */
  readonly isHourly?: boolean
  /** How far apart its samples are. */
  readonly everyMs: number
  /** Only what differs from the sample before is sent. */
  readonly onChange?: boolean
  /** The value at a time, so long ago; undefined: there was none. */
  readonly valueAt?: (time: number, age: number) => DemoValue | undefined
}

/** A component with its streams. */
export interface DemoComponent {
  readonly id: string
  readonly name: string
  readonly folder: string
  readonly description: string
  readonly streams: readonly DemoStream[]
}

const number = { valueType: 'DOUBLE' as const, everyMs: MINUTE_MS }
const hourly = { valueType: 'DOUBLE' as const, everyMs: HOUR_MS, isHourly: true }

/** What every climate box has; also the template that further boxes are made of. */
export function climateStreams(house = houses['north-house']): DemoStream[] {
  const at = (time: number) => climateAt(house, time)
  return [
    {
      ...number,
      id: 'temp',
      name: 'Temperature',
      unitId: 'celsius',
      valueAt: (t) => at(t).temperature,
    },
    {
      ...number,
      id: 'humidity',
      name: 'Humidity',
      unitId: 'percent',
      valueAt: (t) => at(t).humidity,
    },
    {
      ...number,
      id: 'co2',
      name: 'Carbon dioxide',
      valueType: 'INTEGER',
      unitId: 'ppm',
      valueAt: (t) => at(t).co2,
    },
    {
      id: 'vent',
      name: 'Roof vent',
      valueType: 'BOOLEAN',
      unitId: 'open_closed',
      everyMs: 5 * MINUTE_MS,
      onChange: true,
      valueAt: (t) => at(t).isVentOpen,
    },
    {
      id: 'mode',
      name: 'Mode',
      valueType: 'STRING',
      everyMs: 5 * MINUTE_MS,
      onChange: true,
      valueAt: (t) => at(t).mode,
    },
  ]
}

const beds: DemoComponent = {
  id: 'beds',
  name: 'Beds',
  folder: '/Components/Greenhouse/North',
  description: 'Soil moisture of the four beds; the third probe was broken for half a day.',
  streams: [1, 2, 3, 4].map((bed) => ({
    id: `bed-${bed}`,
    name: `Bed ${bed}`,
    valueType: 'DOUBLE',
    unitId: 'percent',
    everyMs: 5 * MINUTE_MS,
    valueAt: (time, age) => (isLost(bed, age) ? undefined : moistureAt(bed, time)),
  })),
}

const irrigation: DemoComponent = {
  id: 'irrigation',
  name: 'Irrigation',
  folder: '/Components/Greenhouse/North',
  description: 'Pump and valves; a bed is watered for 20 minutes.',
  streams: [
    {
      ...number,
      id: 'flow',
      name: 'Flow',
      unitId: 'liter_per_minute',
      valueAt: (t) => irrigationAt(t).flow,
    },
    {
      id: 'pump',
      name: 'Pump',
      valueType: 'BOOLEAN',
      unitId: 'on_off',
      everyMs: 5 * MINUTE_MS,
      onChange: true,
      valueAt: (t) => irrigationAt(t).isOn,
    },
  ],
}

const weather: DemoComponent = {
  id: 'weather',
  name: 'Weather station',
  folder: '/Components/Outdoors',
  description: 'On the roof of the shed.',
  streams: [
    {
      ...number,
      id: 'temp',
      name: 'Temperature',
      unitId: 'celsius',
      valueAt: (t) => weatherAt(t).temperature,
    },
    {
      ...number,
      id: 'light',
      name: 'Sunlight',
      valueType: 'INTEGER',
      unitId: 'watt_per_square_meter',
      valueAt: (t) => weatherAt(t).light,
    },
    {
      ...number,
      id: 'wind',
      name: 'Wind',
      unitId: 'meter_per_second',
      valueAt: (t) => weatherAt(t).wind,
    },
    {
      ...number,
      everyMs: 10 * MINUTE_MS,
      id: 'pressure',
      name: 'Air pressure',
      unitId: 'hectopascal',
      valueAt: (t) => weatherAt(t).pressure,
    },
    { ...hourly, id: 'rain', name: 'Rain', unitId: 'millimeter', valueAt: (t) => rainUntil(t) },
  ],
}

const energy: DemoComponent = {
  id: 'energy',
  name: 'Energy',
  folder: '/Components/Outdoors',
  description: 'Solar panels on the shed, and what heating, pump and lights take.',
  streams: [
    {
      ...number,
      id: 'solar',
      name: 'Solar power',
      unitId: 'kilowatt',
      valueAt: (t) => powerAt(t).solar,
    },
    {
      ...number,
      id: 'used',
      name: 'Power used',
      unitId: 'kilowatt',
      valueAt: (t) => powerAt(t).used,
    },
    {
      ...hourly,
      id: 'energy',
      name: 'Energy used',
      unitId: 'kilowatt_hour',
      valueAt: (t) => energyUntil(t),
    },
  ],
}

const camera: DemoComponent = {
  id: 'camera',
  name: 'Camera, bed 1',
  folder: '/Components/Greenhouse/North',
  description: 'A picture four times a day.',
  streams: [{ id: 'picture', name: 'Picture', valueType: 'FILE', everyMs: 6 * HOUR_MS }],
}

/** The greenhouse. */
export const greenhouse: readonly DemoComponent[] = [
  ...Object.entries(houses).map(([id, house]) => ({
    id,
    name: id === 'north-house' ? 'North house' : 'South house',
    folder: `/Components/Greenhouse/${id === 'north-house' ? 'North' : 'South'}`,
    description: 'Climate box under the ridge.',
    streams: climateStreams(house),
  })),
  beds,
  irrigation,
  camera,
  weather,
  energy,
]

/** Units that an organization does not begin with. */
export const demoUnits = [
  { id: 'watt_per_square_meter', name: 'Watt per square meter', symbol: ' W/m²' },
  { id: 'open_closed', name: 'Open/Closed', booleanStyle: 'OPEN_CLOSE' },
]
