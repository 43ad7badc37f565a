import { readFileSync } from 'node:fs'

const STYLE = readFileSync(new URL('docs.css', import.meta.url), 'utf8')
const SCRIPT = readFileSync(new URL('docs.js', import.meta.url), 'utf8')

/** What the page loads beside the explorer's own files. */
export const docsFiles = [
  { name: 'docs.css', type: 'text/css; charset=UTF-8', text: STYLE },
  { name: 'docs.js', type: 'application/javascript; charset=utf-8', text: SCRIPT },
]

/**
 * Only our own files run here. The page comes over whatever the service speaks, so nothing asks for
 * TLS on its behalf; calls are tried at this address and at the public one.
 */
export function docsPolicy(publicOrigin: string | undefined): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    // Swagger UI writes style attributes into what it draws.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    `connect-src 'self'${publicOrigin === undefined ? '' : ` ${publicOrigin}`}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** The page that shows the API; `base` leads from its address to the files below it. */
export function renderDocsPage(base: string): string {
  const at = `${base}/static`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Weir API</title>
<link rel="icon" href="${MARK}">
<link rel="stylesheet" href="${at}/swagger-ui.css">
<link rel="stylesheet" href="${at}/theme/docs.css">
<script src="${at}/swagger-ui-bundle.js" defer></script>
<script src="${at}/theme/docs.js" defer></script>
</head>
<body>
<noscript>This page needs JavaScript: <a href="${base}/../openapi.json">the description itself</a> does not.</noscript>
<main id="docs" data-base="${base}"></main>
</body>
</html>
`
}

const MARK = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="#2b8ca3" stroke-width="3.5" stroke-linecap="round">' +
    '<path d="M2 12c4.7-5 9.3-5 14 0s9.3 5 14 0"/><path d="M2 22c4.7-5 9.3-5 14 0s9.3 5 14 0" opacity=".5"/></svg>',
)}`
