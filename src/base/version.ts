import { installedFiles } from './installation.ts'

const manifest = JSON.parse(installedFiles().read('package.json').toString()) as {
  readonly version: string
  readonly commit?: string
}

/** The version of the service, reported in the header Weir-Version. */
export const version = manifest.version

/** The commit that a release was built from; undefined in a clone. */
export const releaseCommit = manifest.commit
