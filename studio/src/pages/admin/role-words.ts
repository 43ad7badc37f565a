/** Roles, from the one that may most, as people say them. */
export const ROLE_WORDS = {
  OWNER: { name: 'Owner', may: 'full access, manages owners' },
  ADMIN: { name: 'Admin', may: 'full access except managing owners' },
  MEMBER: { name: 'Member', may: 'can view and change data, components, and settings of streams' },
  GUEST: {
    name: 'Guest',
    may: 'can view all data and records except keys, refused points, and the audit log',
  },
} as const

/** A role's name in the API. */
export type Role = keyof typeof ROLE_WORDS

/** Choices of roles that say what each may. */
export const ROLE_CHOICES = (Object.keys(ROLE_WORDS) as Role[]).map((value) => ({
  value,
  label: `${ROLE_WORDS[value].name}: ${ROLE_WORDS[value].may}`,
}))
