/** Types of calls, from the service's own description. */
import type { components, paths } from './generated/weir.ts'

/** A record or body of the API by its name in /openapi.json, such as `Schema<'Component'>`. */
export type Schema<N extends keyof components['schemas']> = components['schemas'][N]

/** The methods of the API. */
export type Method = 'get' | 'put' | 'post' | 'delete'

/** The paths that have a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P][M] extends { responses: unknown } ? P : never
}[keyof paths]

type Operation<P extends keyof paths, M extends Method> = paths[P][M]

/** What a call answers when it succeeds. */
export type AnswerOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: { 200: { content: { 'application/json': infer A } } } }
    ? A
    : // What goes on in the background is accepted.
      Operation<P, M> extends { responses: { 202: { content: { 'application/json': infer A } } } }
      ? A
      : unknown

type ParameterOf<P extends keyof paths, M extends Method, Kind extends 'path' | 'query'> =
  Operation<P, M> extends { parameters: { [K in Kind]?: infer V } }
    ? Exclude<V, undefined> extends never
      ? undefined
      : Exclude<V, undefined>
    : undefined

/** The body of a call. */
export type BodyOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody?: { content: { 'application/json': infer B } } } ? B : never

/** Everything that goes into a call. */
export type CallOptions<P extends keyof paths, M extends Method> = {
  readonly signal?: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: ParameterOf<P, M, 'query'>
  readonly body?: BodyOf<P, M>
} & (ParameterOf<P, M, 'path'> extends undefined
  ? { readonly path?: undefined }
  : { readonly path: ParameterOf<P, M, 'path'> })
