import { readFileSync } from 'node:fs'
import type { Brand } from '../../../base/index.ts'

const STYLE = readFileSync(new URL('authorize.css', import.meta.url), 'utf8')
const SCRIPT = readFileSync(new URL('authorize.js', import.meta.url), 'utf8')

/** The page's own script and style, the same for everyone. */
export const authorizeAssets = {
  'authorize.css': { type: 'text/css; charset=utf-8', text: STYLE },
  'authorize.js': { type: 'text/javascript; charset=utf-8', text: SCRIPT },
} as const

/**
 * Only files of this service run or style the page. It cannot be framed, and its URL, which may hold a code, is
 * never sent as a referrer.
 */
export const authorizeHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data: https:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin-allow-popups',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The authorization page; `posted` are the parameters of a POSTed form, as a query string. */
export function renderAuthorizePage(brand: Brand, posted: string): string {
  const name = escapeHtml(brand.name)
  const logo =
    brand.logo === ''
      ? MARK
      : `<img class="brand-logo" src="${escapeHtml(brand.logo)}" alt="" referrerpolicy="no-referrer">`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Sign in – ${name}</title>
<link rel="stylesheet" href="authorize.css">
<link rel="icon" href="data:,">
<script src="authorize.js" defer></script>
</head>
<body data-brand="${name}" data-posted="${escapeHtml(posted)}">
<main>
<div class="brand">${logo}<span>${name}</span></div>
${SECTIONS.replaceAll('{{brand}}', () => name)}
</main>
</body>
</html>
`
}

/** A text as HTML shows it, in elements and in attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const MARK = `<svg class="brand-logo" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
<path d="M2 12c4.7-5 9.3-5 14 0s9.3 5 14 0" fill="none" stroke="currentColor" stroke-width="3.5" stroke-linecap="round"/>
<path d="M2 22c4.7-5 9.3-5 14 0s9.3 5 14 0" fill="none" stroke="currentColor" stroke-width="3.5" stroke-linecap="round" opacity=".5"/>
</svg>`

const SECTIONS = `<section id="loading" class="card">
<p class="soft" role="status">Loading…</p>
<noscript><p>This page needs JavaScript to read the request from its URL.</p></noscript>
</section>
<section id="sign-in" class="card" aria-labelledby="sign-in-title" hidden>
<h1 id="sign-in-title">Sign in to {{brand}}</h1>
<p class="soft">to continue to <strong id="sign-in-client"></strong>, which will not see your password.</p>
<p class="alert" role="alert" id="sign-in-problem"></p>
<form id="sign-in-form" method="post" action="./">
<label for="email">Email</label>
<input id="email" type="email" autocomplete="username" autocapitalize="none" spellcheck="false" required>
<label for="password">Password</label>
<div class="password">
<input id="password" type="password" autocomplete="current-password" required aria-describedby="sign-in-problem">
<button class="peek" id="peek" type="button" aria-label="Show password">Show</button>
</div>
<div id="otp-part" hidden>
<label for="otp">Code from your authenticator app, or a recovery code</label>
<input id="otp" inputmode="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" aria-describedby="sign-in-problem">
</div>
<button class="primary" id="sign-in-button" type="submit">Sign in</button>
</form>
</section>
<section id="consent" class="card" aria-labelledby="consent-title" hidden>
<img class="client-logo" id="client-logo" alt="" referrerpolicy="no-referrer" hidden>
<h1 id="consent-title" tabindex="-1"></h1>
<p class="soft">You are signed in to {{brand}} as <strong id="consent-user"></strong>.
<button class="link" id="other-account" type="button">Use another account</button></p>
<p class="alert" role="alert"></p>
<h2 id="rights-title">This app will be able to</h2>
<ul id="rights" aria-labelledby="rights-title"></ul>
<dl>
<dt>Organization</dt><dd id="consent-organizations"></dd>
<dt>Redirects to</dt><dd id="consent-host"></dd>
</dl>
<p class="note" id="unregistered" hidden>Your administrators have not registered this app, so its name is not verified.
Allow it only if you started this sign-in yourself and know the site it redirects to.</p>
<div class="answers">
<button id="refuse" type="button">Deny</button>
<button class="primary" id="allow" type="button">Allow</button>
</div>
</section>
<section id="leave" class="card" aria-labelledby="leave-title" hidden>
<h1 id="leave-title" tabindex="-1">Redirecting…</h1>
<p class="soft">If nothing happens, <a id="leave-link" rel="noreferrer">continue here</a>.</p>
</section>
<section id="error" class="card" aria-labelledby="error-title" hidden>
<h1 id="error-title" tabindex="-1">This request cannot be used</h1>
<p class="alert" role="alert" id="problem"></p>
<p class="soft" id="nowhere">Nothing was shared and you were not redirected. Report this message to the site that sent you here.</p>
<p class="soft" id="back" hidden>Nothing was shared. <a id="back-link" rel="noreferrer"></a></p>
</section>`
