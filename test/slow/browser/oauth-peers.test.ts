import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as oauth from 'oauth4webapi'
import { AuthorizationCode } from 'simple-oauth2'
import { browserSkip } from '../../support/browser.ts'
import { answerPage, openPage, startCallbackServer } from '../../support/oauth-page.ts'
import {
  type OAuthService,
  registerClient,
  startOAuthService,
} from '../../support/oauth-service.ts'

const skip = browserSkip()
const modes = ['open', 'strict'] as const
/** Loopback addresses have no certificate. */
const insecure = { [oauth.allowInsecureRequests]: true }

async function discover(service: OAuthService): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(service.url)
  const response = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' })
  return oauth.processDiscoveryResponse(issuer, response)
}

for (const mode of modes) {
  test(`oauth4webapi with PKCE gets, uses, refreshes and revokes tokens in ${mode} mode`, {
    skip,
  }, async () => {
    await using service = await startOAuthService({ settings: { WEIR_OAUTH: mode } })
    await using callback = await startCallbackServer()
    await using tab = await openPage()
    const { redirectUri } = callback
    const registered = { type: 'public', redirectUris: [redirectUri] }
    const client_id =
      mode === 'open' ? 'my app' : (await registerClient(service, registered)).clientId
    const server = await discover(service)
    const client: oauth.Client = { client_id }
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const ask = new URL(server.authorization_endpoint ?? '')
    const params = {
      response_type: 'code',
      client_id,
      redirect_uri: redirectUri,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      scope: 'feed:read admin',
    }
    for (const [name, value] of Object.entries(params)) ask.searchParams.set(name, value)
    await tab.page.goto(ask.href)
    await answerPage(tab.page, service.owner)
    const answer = oauth.validateAuthResponse(server, client, await callback.next(), state)
    const authentication = oauth.None()
    const tokens = await oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        ...([server, client, authentication, answer, redirectUri, verifier, insecure] as const),
      ),
    )
    assert.equal(tokens.expires_in, 86_400)
    const use = async (token: string) => {
      const url = new URL(`${service.url}/api/oauth_grant`)
      const response = oauth.protectedResourceRequest(token, 'GET', url, undefined, null, insecure)
      return (await response).status
    }
    assert.equal(await use(tokens.access_token), 200)
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(
        ...([server, client, authentication, tokens.refresh_token ?? '', insecure] as const),
      ),
    )
    assert.equal(await use(refreshed.access_token), 200)
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(
        ...([server, client, authentication, refreshed.refresh_token ?? '', insecure] as const),
      ),
    )
    await assert.rejects(use(refreshed.access_token), oauth.WWWAuthenticateChallengeError)
  })

  test(`simple-oauth2 with a secret gets, refreshes and revokes tokens in ${mode} mode`, {
    skip,
  }, async () => {
    await using service = await startOAuthService({ settings: { WEIR_OAUTH: mode } })
    await using callback = await startCallbackServer()
    await using tab = await openPage()
    const { redirectUri: redirect_uri } = callback
    const registered = await registerClient(service, { redirectUris: [redirect_uri] })
    const { clientId: id, clientSecret: secret = '' } =
      mode === 'strict' ? registered : { clientId: 'my: app', clientSecret: 'an own+secret%' }
    const client = new AuthorizationCode({
      client: { id, secret },
      auth: {
        tokenHost: service.url,
        tokenPath: '/api/oauth_access_token',
        authorizePath: '/alt/',
        revokePath: '/api/oauth_revoke',
      },
    })
    await tab.page.goto(client.authorizeURL({ redirect_uri, state: 's' }))
    await answerPage(tab.page, service.owner)
    const code = (await callback.next()).searchParams.get('code') ?? ''
    const first = await client.getToken({ code, redirect_uri })
    assert.equal(first.expired(), false)
    const second = await first.refresh()
    assert.notEqual(second.token.access_token, first.token.access_token)
    const use = async () => {
      const headers = { authorization: `Bearer ${second.token.access_token}` }
      return (await service.send('GET', '/api/oauth_grant', undefined, headers)).status
    }
    assert.equal(await use(), 200)
    await second.revokeAll()
    assert.equal(await use(), 401)
    await assert.rejects(second.refresh(), /400/)
  })
}

test('oauth4webapi introspects a token as a registered client', async () => {
  await using service = await startOAuthService()
  const server = await discover(service)
  const { clientId: client_id, clientSecret = '' } = await registerClient(service, {})
  const { access_token } = await service.tokens()
  const client: oauth.Client = { client_id }
  const secret = oauth.ClientSecretBasic(clientSecret)
  const response = await oauth.introspectionRequest(server, client, secret, access_token, insecure)
  const reported = await oauth.processIntrospectionResponse(server, client, response)
  assert.equal(reported.active, true)
  assert.equal(reported.client_id, 'c1')
})
