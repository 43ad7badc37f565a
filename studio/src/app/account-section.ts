/** The pages of one's own account, in every organization. */
export const ACCOUNT = {
  label: 'Account',
  places: [
    { to: '/account', label: 'Profile and password' },
    { to: '/account/second-factor', label: 'Second factor' },
    { to: '/account/sessions', label: 'Sessions' },
    { to: '/account/apps', label: 'Connected apps' },
  ],
} as const
