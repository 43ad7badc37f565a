import { newUid } from '../../base/index.ts'
import type { PutDocument } from '../../store/index.ts'
import { recordWrite } from './simple-records.ts'
import { type UnitBody, unitRules } from './unit.ts'

/** ID, name and symbol of each unit; IDs are the words people write. */
const UNITS: readonly (readonly [id: string, name: string, symbol: string])[] = [
  ['celsius', 'Celsius', '°C'],
  ['fahrenheit', 'Fahrenheit', '°F'],
  ['kelvin', 'Kelvin', 'K'],
  ['percent', 'Percent', '%'],
  ['volt', 'Volt', 'V'],
  ['ampere', 'Ampere', 'A'],
  ['milliampere', 'Milliampere', 'mA'],
  ['ohm', 'Ohm', 'Ω'],
  ['hertz', 'Hertz', 'Hz'],
  ['watt', 'Watt', 'W'],
  ['kilowatt', 'Kilowatt', 'kW'],
  ['watt_hour', 'Watt hour', 'Wh'],
  ['kilowatt_hour', 'Kilowatt hour', 'kWh'],
  ['pascal', 'Pascal', 'Pa'],
  ['hectopascal', 'Hectopascal', 'hPa'],
  ['bar', 'Bar', 'bar'],
  ['meter', 'Meter', 'm'],
  ['millimeter', 'Millimeter', 'mm'],
  ['kilometer', 'Kilometer', 'km'],
  ['meter_per_second', 'Meter per second', 'm/s'],
  ['kilometer_per_hour', 'Kilometer per hour', 'km/h'],
  ['degree', 'Degree', '°'],
  ['lux', 'Lux', 'lx'],
  ['ppm', 'Parts per million', 'ppm'],
  ['microgram_per_cubic_meter', 'Microgram per cubic meter', 'µg/m³'],
  ['decibel', 'Decibel', 'dB'],
  ['gram', 'Gram', 'g'],
  ['kilogram', 'Kilogram', 'kg'],
  ['liter', 'Liter', 'L'],
  ['cubic_meter', 'Cubic meter', 'm³'],
  ['liter_per_minute', 'Liter per minute', 'L/min'],
  ['millisecond', 'Millisecond', 'ms'],
  ['second', 'Second', 's'],
  ['minute', 'Minute', 'min'],
  ['hour', 'Hour', 'h'],
]

const ON_OFF: UnitBody = {
  ...unitRules.defaults,
  id: 'on_off',
  name: 'On/Off',
  booleanStyle: 'ON_OFF',
}

/** The writes that give a new organization the units people reach for; they are its own records. */
export function planStarterUnits(orgUid: string): PutDocument[] {
  const bodies = UNITS.map(([id, name, symbol]) => ({ ...unitRules.defaults, id, name, symbol }))
  return [...bodies, ON_OFF].map((body) =>
    recordWrite({ orgUid, kind: unitRules.kind, uid: newUid() }, body, 0),
  )
}
