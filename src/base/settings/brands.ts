import { SettingMistake } from './setting-readers.ts'

/** Branding that pages show under a host name. */
export interface Brand {
  readonly name: string
  /** An https address or a data: image; '' shows the mark of Weir. */
  readonly logo: string
}

/** Brands by host name, in lower case and without a port. */
export type Brands = ReadonlyMap<string, Brand>

const EXAMPLE = '{"energy.example.com": {"name": "Acme Energy", "logo": "https://…"}}'

/** Reads the JSON object of WEIR_BRANDS. */
export function readBrands(text: string): Brands {
  const parsed = parseObject(text)
  const brands = new Map<string, Brand>()
  for (const [host, value] of Object.entries(parsed)) {
    if (!/^[A-Za-z0-9.-]+$|^\[[0-9a-f:]+\]$/i.test(host)) {
      throw new SettingMistake(`must have host names without a port as keys, got "${host}"`)
    }
    brands.set(host.toLowerCase(), readBrand(host, value))
  }
  return brands
}

function readBrand(host: string, value: unknown): Brand {
  const { name, logo = '' } = (value ?? {}) as { name?: unknown; logo?: unknown }
  if (typeof name !== 'string' || name.trim() === '' || name.length > 100) {
    throw new SettingMistake(`must give ${host} a name of 1 to 100 characters`)
  }
  const isLogo = typeof logo === 'string' && /^$|^https:\/\/\S+$|^data:image\/\S+$/.test(logo)
  if (!isLogo) {
    throw new SettingMistake(`must give ${host} a logo that is an https URL or a data:image URL`)
  }
  return { name, logo }
}

function parseObject(text: string): object {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  } catch {
    // Said below, together with what would be right.
  }
  throw new SettingMistake(`must be a JSON object such as ${EXAMPLE}`)
}
