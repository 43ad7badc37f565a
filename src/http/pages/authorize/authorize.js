// The authorization page: asks the server what comes next and shows that one step. Texts from
// outside are only ever put in as text, never as markup.

const RIGHTS = {
  'feed:read': 'Read samples, statistics, files, and properties',
  'feed:write': 'Send samples and files, change properties, delete samples',
  admin: 'Manage components, streams, and settings that you can manage',
}

const query = [
  location.search.slice(1),
  location.hash.replace(/^#\/?(?:signinoauth)?\/?[?&]?/, ''),
  document.body.dataset.posted ?? '',
]
  .filter((part) => part !== '')
  .join('&')

const find = (id) => document.getElementById(id)
const brand = document.body.dataset.brand
let ticket = ''

/** Sends one step to the server and shows its answer; a problem is shown where the user is. */
async function send(path, body) {
  const problem = document.querySelector('section:not([hidden]) .alert') ?? find('problem')
  setBusy(true)
  problem.textContent = ''
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = await response.json()
    if (response.ok) show(answer)
    else if (answer.code === 'second_factor') askForCode(problem, answer.message)
    else complain(problem, answer.message)
  } catch {
    complain(problem, 'The service cannot be reached. Check your connection and try again.')
  } finally {
    setBusy(false)
  }
}

/** The password was right and stays; only the code is asked for. */
function askForCode(problem, message) {
  const field = find('otp')
  problem.textContent = find('otp-part').hidden ? '' : message
  find('otp-part').hidden = false
  field.value = ''
  field.focus()
}

/** A code belongs to one account. Another account is asked again, if at all. */
function forgetCode() {
  find('otp').value = ''
  find('otp-part').hidden = true
}

function complain(problem, message) {
  problem.textContent = message
  if (!find('sign-in').hidden) {
    find('password').value = ''
    find('password').focus()
  } else if (find('consent').hidden) open('error', 'This request cannot be used')
}

/** Buttons stay focusable while a step is under way, so that the keyboard does not lose its place. */
function setBusy(isBusy) {
  for (const button of document.querySelectorAll('button')) {
    button.setAttribute('aria-disabled', String(isBusy))
  }
}

function isBusy(button) {
  return button.getAttribute('aria-disabled') === 'true'
}

function show(answer) {
  switch (answer.step) {
    case 'sign_in':
      return showSignIn(answer)
    case 'consent':
      return showConsent(answer)
    case 'redirect':
      return leave(answer.to)
    default:
      return showError(answer)
  }
}

function showError({ message, back }) {
  find('problem').textContent = message
  find('nowhere').hidden = back !== undefined
  find('back').hidden = back === undefined
  if (back !== undefined) {
    find('back-link').href = back.to
    find('back-link').textContent = `Go back to ${back.host}`
  }
  open('error', 'This request cannot be used')
}

function showSignIn({ email, client }) {
  find('sign-in-client').textContent = client.name
  if (find('email').value === '') find('email').value = email
  open('sign-in', 'Sign in')
  find(find('email').value === '' ? 'email' : 'password').focus()
}

function showConsent(answer) {
  ticket = answer.ticket
  const { client, user, organizations, scopes, isNarrowed } = answer
  const logo = find('client-logo')
  logo.hidden = client.logo === ''
  if (client.logo !== '') logo.src = client.logo
  find('consent-title').textContent = `Allow “${client.name}” to use your account?`
  const hasName = user.name !== '' && user.name !== user.email
  find('consent-user').textContent = hasName ? `${user.name} (${user.email})` : user.email
  find('consent-organizations').textContent = organizations.join(', ')
  find('consent-host').textContent = client.redirectHost
  find('unregistered').hidden = client.isVouchedFor
  const rights = isNarrowed
    ? scopes.map((scope) => RIGHTS[scope])
    : ['Do everything that you can do']
  find('rights').replaceChildren(...rights.map(listItem))
  open('consent', find('consent-title').textContent)
  find('consent-title').focus()
}

function listItem(text) {
  const item = document.createElement('li')
  item.textContent = text
  return item
}

/** The address was checked by the server; a link stays for browsers that ask before opening an app. */
function leave(to) {
  find('leave-link').href = to
  open('leave', 'Redirecting')
  find('leave-title').focus()
  location.replace(to)
}

function open(id, title) {
  for (const section of document.querySelectorAll('section')) section.hidden = section.id !== id
  document.title = `${title} – ${brand}`
  if (id === 'error') find('error-title').focus()
}

find('sign-in-form').addEventListener('submit', (event) => {
  event.preventDefault()
  if (isBusy(event.submitter ?? find('sign-in-button'))) return
  const [email, password, otp] = ['email', 'password', 'otp'].map((id) => find(id).value)
  send('sign_in', { query, email, password, ...(otp === '' ? {} : { otp }) })
})

find('peek').addEventListener('click', () => {
  const field = find('password')
  const isShown = field.type === 'text'
  field.type = isShown ? 'password' : 'text'
  find('peek').textContent = isShown ? 'Show' : 'Hide'
  find('peek').setAttribute('aria-label', isShown ? 'Show password' : 'Hide password')
})

for (const [id, isAllowed] of [
  ['allow', true],
  ['refuse', false],
]) {
  find(id).addEventListener('click', (event) => {
    if (!isBusy(event.currentTarget)) send('decide', { ticket, isAllowed })
  })
}

find('other-account').addEventListener('click', () => {
  find('email').value = ''
  find('password').value = ''
  forgetCode()
  send('begin', { query })
})

find('email').addEventListener('input', forgetCode)

// A page restored from the browser's cache holds an answered question: ask again.
addEventListener('pageshow', (event) => {
  if (event.persisted) location.reload()
})

send('begin', { query })
