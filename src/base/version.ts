import { readFileSync } from 'node:fs'

const manifest = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string }

/** The version of the service, reported in the header Weir-Version. */
export const version = manifest.version
