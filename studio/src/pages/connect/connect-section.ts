import { ADMINS, type Section, WRITERS } from '../../app/section-frame.tsx'

/** The pages under /connect. */
export const CONNECT: Section = {
  label: 'Connect',
  places: [
    { to: '/connect', label: 'Connectors' },
    { to: '/connect/connections', label: 'Connections' },
    { to: '/connect/send', label: 'Send data', roles: WRITERS },
    { to: '/connect/refused', label: 'Refused points', roles: ADMINS },
  ],
}
