import type { Section } from '../../app/section-frame.tsx'

/** The pages under /alerts. */
export const ALERTS: Section = {
  label: 'Alert',
  places: [
    { to: '/alerts', label: 'Alerts' },
    { to: '/alerts/channels', label: 'Channels' },
  ],
}
