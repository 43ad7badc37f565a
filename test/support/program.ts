/**
 * The program that process tests run: the sources, or an installed package whose folder WEIR_TEST_PACKAGE names, such as
 * `/opt/weir/node_modules/weir`.
 */
import { join, resolve } from 'node:path'

const { WEIR_TEST_PACKAGE: folder = '' } = process.env

/** Whether an installed package is tested. */
export const isPackage = folder !== ''

/** The file that `npm start` runs. */
export const SERVICE_FILE = isPackage ? join(folder, 'dist', 'main.js') : resolve('src/main.ts')

/** The file of the command `weir`. */
export const COMMAND_FILE = isPackage ? join(folder, 'dist', 'weir.js') : resolve('src/weir.ts')
