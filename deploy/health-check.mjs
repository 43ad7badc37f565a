// Ends with 0 when the service in this container answers. Its certificate is made out to a name that people
// use, not to 127.0.0.1, so it is not looked at here.
import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'

const get = process.env.WEIR_TLS_CERT ? getSecure : getPlain
const port = process.env.WEIR_PORT ?? 8080
get(
  { host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false, timeout: 2500 },
  ({ statusCode }) => {
    process.exit(statusCode === 200 ? 0 : 1)
  },
)
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1))
