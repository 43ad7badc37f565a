import { BUILD_COMMAND } from './studio-build.ts'

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
<p>Its web page, the studio, is not built. Stop the service, run this in its folder, and start it again:</p>
<pre>${BUILD_COMMAND.replaceAll('&', '&amp;')}</pre>
<p><a href="/docs">The API</a> works without the studio.</p>
</main>
</body>
</html>
`
