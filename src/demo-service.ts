/** The service of the demonstration, on the first free port. */
import { openApp } from './app.ts'
import { createLog, readConfig } from './base/index.ts'
import type { DemoPlace } from './demo/index.ts'

const PORT_FIRST = 8080
const PORTS_TRIED = 10

interface DemoService extends DemoPlace {
  close(): Promise<void>
}

/** Where the demonstration keeps its data, and the account that it signs in with. */
interface DemoHome extends Omit<DemoPlace, 'url'> {
  readonly dataDir: string
  /** The one port to use, if the user named one. */
  readonly port: string | undefined
}

/** Opens the service; without a port of the user's it passes over those that other programs use. */
export async function openDemoService(home: DemoHome): Promise<DemoService> {
  if (home.port !== undefined) return await openOn(home, home.port)
  for (let port = PORT_FIRST; port < PORT_FIRST + PORTS_TRIED - 1; port += 1) {
    try {
      return await openOn(home, String(port))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      console.log(`Port ${port} is in use. Trying ${port + 1}.`)
    }
  }
  return await openOn(home, String(PORT_FIRST + PORTS_TRIED - 1))
}

async function openOn(home: DemoHome, port: string): Promise<DemoService> {
  const { dataDir, email, password } = home
  const config = readConfig({
    WEIR_DATA_DIR: dataDir,
    WEIR_RATE_LIMITS: 'off',
    WEIR_PORT: port,
    WEIR_OWNER_EMAIL: email,
    WEIR_OWNER_PASSWORD: password,
  })
  const app = await openApp(config, { log: createLog({ level: 'warn' }) })
  try {
    return { url: await app.listen(), email, password, close: () => app.close() }
  } catch (error) {
    await app.close()
    throw error
  }
}
