import { Type } from '../../base/index.ts'

/** Body of POST /api/login. */
export const loginBody = Type.Object(
  {
    email: Type.String({ maxLength: 320, description: 'The account, whatever the case' }),
    password: Type.String({ maxLength: 4_096 }),
    otp: Type.Optional(
      Type.String({
        maxLength: 64,
        description: 'A code of the second factor, where there is one',
      }),
    ),
  },
  {
    title: 'LoginBody',
    examples: [{ email: 'ada@example.com', password: 'correct horse battery' }],
  },
)
