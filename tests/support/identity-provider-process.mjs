// An identity provider (oidc-provider) in a process of its own. The paths below /test belong to the tests: they set accounts, rotate
// keys, and make the provider send tokens that no provider should send.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { decodeJwt, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { Provider } from 'oidc-provider'

const port = Number(process.env.PROVIDER_PORT)
const issuer = `http://localhost:${port}`
const clientId = 'teasel'

const createKey = async () => {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const kid = crypto.randomUUID()
  return { kid, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' } }
}

const state = {
  key: await createKey(),
  redirectUri: 'http://localhost:3000/signin/oidc/callback',
  logoutUri: 'http://localhost:3000/signin/oidc/logout',
  accounts: {},
  /** What is wrong with the next ID token. */
  fault: undefined,
  /** `refuse`: answers 503; `hang`: does not answer. */
  down: undefined,
}

const askToLogOut = (context, form) => {
  context.body = `<!doctype html><title>Hedgerow accounts</title>${form}<button form="op.logoutForm" name="logout" value="yes">Log out</button>`
}
const sayLoggedOut = (context) => {
  context.body = '<!doctype html><title>Hedgerow accounts</title><h1>Logged out</h1>'
}

const create = () =>
  new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: 'a secret of the tests',
        redirect_uris: [state.redirectUri],
        backchannel_logout_uri: state.logoutUri,
        backchannel_logout_session_required: true,
      },
    ],
    jwks: { keys: [state.key.jwk] },
    cookies: { keys: ['tests'] },
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { logoutSource: askToLogOut, postLogoutSuccessSource: sayLoggedOut },
    },
    // Without its dispatcher, which refuses loopback.
    fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined }),
    interactions: { url: (_context, { uid }) => `/login/${uid}` },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...state.accounts[id] }) }),
    // Nobody is asked for consent.
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  })

let provider = create()

const bodyOf = async (request) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

const sign = (claims, { privateKey, kid }, typ = 'JWT') =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid, typ }).sign(privateKey)

const past = () => Math.floor(Date.now() / 1000) - 3600
const faults = {
  forged: async (claims) => sign(claims, { ...(await createKey()), kid: state.key.kid }),
  unknown_key: async (claims) => sign(claims, await createKey()),
  none: (claims) => new UnsecuredJWT(claims).encode(),
  expired: (claims) => sign({ ...claims, iat: past() - 60, exp: past() }, state.key),
  audience: (claims) => sign({ ...claims, aud: 'another application' }, state.key),
  issuer: (claims) => sign({ ...claims, iss: 'http://localhost:1' }, state.key),
  nonce: (claims) => sign({ ...claims, nonce: 'of another sign-in' }, state.key),
  no_nonce: (claims) => sign({ ...claims, nonce: undefined }, state.key),
}

/** Replaces the ID token of an answer of the token endpoint. */
const tamper = (response, fault) => {
  const { end } = response
  const chunks = []
  response.write = (chunk) => chunks.push(Buffer.from(chunk)) > 0
  response.end = (chunk) => {
    if (chunk) chunks.push(Buffer.from(chunk))
    const answer = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    void Promise.resolve(faults[fault](decodeJwt(answer.id_token))).then((id_token) => {
      const text = JSON.stringify({ ...answer, id_token })
      response.setHeader('Content-Length', Buffer.byteLength(text))
      end.call(response, text)
    })
    return response
  }
}

const json = (response, value) => response.setHeader('Content-Type', 'application/json').end(JSON.stringify(value))

const tests = {
  '/test/set': async (given) => {
    const { rotate = false, ...changes } = given
    Object.assign(state, changes)
    if (rotate) state.key = await createKey()
    if (rotate || changes.redirectUri !== undefined) provider = create()
    return {}
  },
  '/test/logout-token': async ({ forged = false, claims }) => {
    const now = Math.floor(Date.now() / 1000)
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    const all = { iss: issuer, aud: clientId, iat: now, exp: now + 120, jti: crypto.randomUUID(), events, ...claims }
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
    return { token: await sign(given, forged ? { ...(await createKey()), kid: state.key.kid } : state.key, 'logout+jwt') }
  },
}

const login = async (request, response) => {
  if (request.method === 'POST') {
    const accountId = new URLSearchParams(await bodyOf(request)).get('login') ?? ''
    await provider.interactionFinished(request, response, { login: { accountId } })
    return
  }
  const form = '<form method="post"><label>Account <input name="login"></label> <button>Log in</button></form>'
  response
    .setHeader('Content-Type', 'text/html')
    .end(`<!doctype html><title>Hedgerow accounts</title><h1>Hedgerow accounts</h1>${form}`)
}

const server = createServer((request, response) => {
  void (async () => {
    const path = request.url ?? ''
    if (tests[path]) return json(response, await tests[path](JSON.parse(await bodyOf(request))))
    if (path === '/favicon.ico') return response.writeHead(204).end()
    if (state.down === 'hang') return undefined
    if (state.down === 'refuse') return response.writeHead(503).end()
    if (path.startsWith('/login/')) return login(request, response)
    const { fault } = state
    if (path === '/token' && fault !== undefined) {
      state.fault = undefined
      tamper(response, fault)
    }
    return provider.callback()(request, response)
  })()
})
server.listen(port, 'localhost')
await once(server, 'listening')
process.stdout.write(`${issuer}\n`)
