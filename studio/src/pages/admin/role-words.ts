/** Roles, from the one that may most, as people say them. */
export const ROLE_WORDS = {
  OWNER: { name: 'Owner', may: 'everything, and decides about other owners' },
  ADMIN: { name: 'Admin', may: 'everything but deciding about owners' },
  MEMBER: { name: 'Member', may: 'see and change data and what describes it' },
  GUEST: { name: 'Guest', may: 'look at data' },
} as const

/** A role's name in the API. */
export type Role = keyof typeof ROLE_WORDS

/** Choices of roles that say what each may. */
export const ROLE_CHOICES = (Object.keys(ROLE_WORDS) as Role[]).map((value) => ({
  value,
  label: `${ROLE_WORDS[value].name}: may ${ROLE_WORDS[value].may}`,
}))
