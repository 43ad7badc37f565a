/** What child processes of tests have of this one's environment; nothing else of it reaches them. */
export const childEnv: Readonly<Record<string, string | undefined>> = {
  PATH: process.env.PATH,
  // Where `npm test` keeps compiled sources, so that not every child compiles them again.
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
}
