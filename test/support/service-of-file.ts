/** A service, and calls of its owner, that all tests of a file share. */
import { after, before } from 'node:test'
import { type Call, caller, signIn } from './caller.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'

/** Starts a service before the tests of the file, and closes it after them. Only hooks and tests can read its members. */
export function serviceOfFile(options: ServiceOptions = {}): Service {
  const service = {} as Service
  before(async () => become(service, await startService(options)))
  after(() => service.close())
  return service
}

/** Signs the owner in before the tests of the file; answers the owner's calls. */
export function ownerOfFile(service: Service): Call {
  let call: Call
  before(async () => {
    // Without a browser, no service was started, and all tests of the file are skipped.
    if (!('url' in service)) return
    call = caller(service, await signIn(service, service.ownerEmail, service.ownerPassword))
  })
  return (method, path, body) => call(method, path, body)
}

/** Calls with the feed key of the service, as devices make them. */
export function deviceOfFile(service: Service): Call {
  return (method, path, body) => caller(service, `api_key=${service.feedKey}`)(method, path, body)
}

/** Gives an object the members of a service. Its getters are copied as such, because they follow restarts. */
export function become(service: Service, started: Service): void {
  Object.defineProperties(service, Object.getOwnPropertyDescriptors(started))
}
