import { Type } from '../../base/index.ts'

/** Body of POST /api/login. */
export const loginBody = Type.Object(
  {
    email: Type.String({ maxLength: 320, description: 'Email address, case-insensitive' }),
    password: Type.String({ maxLength: 4_096 }),
    otp: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'Code of the second factor, if the account has one',
      }),
    ),
  },
  {
    title: 'LoginBody',
    examples: [{ email: 'ada@example.com', password: 'correct horse battery' }],
  },
)
