/** The line that calls a sink. */
interface CurlText {
  readonly url: string
  readonly key: string
  /** What is sent; without, a file. */
  readonly call:
    | { readonly method: string; readonly query: string; readonly body: string | null }
    | undefined
}

/** A call of a sink by curl, as a shell takes it. */
export function curlOf({ url, key, call }: CurlText): string {
  if (call === undefined) return `curl -u "${key}:" --data-binary @payload.json \\\n  "${url}"`
  const { method, query, body } = call
  if (body === null) return `curl "${url}?api_key=${key}${query === '' ? '' : `&${query}`}"`
  const verb = method === 'POST' ? '' : ` -X ${method}`
  const target = query === '' ? url : `${url}?${query}`
  return `curl -u "${key}:"${verb} "${target}" \\\n  --data-binary '${body.replaceAll("'", "'\\''")}'`
}
