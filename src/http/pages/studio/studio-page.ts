import { fileURLToPath } from 'node:url'

/** Where the build of the studio lies. */
export const studioFolder = fileURLToPath(new URL('../../../../studio/dist/', import.meta.url))

/**
 * Nothing but the studio's own files runs, styles or is asked for; pictures may also be made in the
 * page, files of streams are shown from it, and nobody may put it in a frame.
 */
export const studioHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** What people see where no studio was built: how to build one, and where the API is. */
export const unbuiltPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Weir</title>
<link rel="icon" href="data:,">
</head>
<body>
<main>
<h1>Weir is running</h1>
<p>Its web page, the studio, has not been built. In the folder of the service:</p>
<pre>npm ci &amp;&amp; npm run build</pre>
<p>Then load this page again; the service need not be restarted. <a href="/docs">The API</a> works without it.</p>
</main>
</body>
</html>
`
