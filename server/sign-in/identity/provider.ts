import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose'
import * as client from 'openid-client'
import type { Deps } from '../../core/deps'
import type { IdentityProvider } from '../../core/identity-provider'
import { lifetimes } from '../../core/lifetimes'
import { loopbackHosts } from '../../core/loopback'
import { IdentityRefusal, toIdentityRefusal } from './refusals'

/** Time limit of a request to the provider: a person waits for several in a row. */
const REQUEST_S = 5
/** Difference that is accepted between the clocks of provider and server. */
const TOLERANCE_S = 30

export type Claims = Readonly<Record<string, unknown>>

type Way = { state: string; nonce: string; verifier: string }

const isHere = (issuer: string) => new URL(issuer).protocol === 'http:' && loopbackHosts.includes(new URL(issuer).hostname)

/** A provider that names no method takes `client_secret_basic` (OpenID Connect Discovery 1.0, 3). */
const authenticationOf = ({ token_endpoint_auth_methods_supported: methods }: client.ServerMetadata, secret: string) =>
  methods === undefined || methods.includes('client_secret_basic')
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret)

/** The identity provider as the relying party sees it. Its tokens are verified and dropped. */
export const createProvider = ({ config, clock }: Deps, settings: IdentityProvider) => {
  const { issuer, clientId, clientSecret } = settings
  const readsGroups = Object.keys(settings.groupRoles).length > 0
  const insecure = isHere(issuer) ? [client.allowInsecureRequests] : []
  const redirectUri = `${config.urls['sign-in']}/signin/oidc/callback`
  let known: { at: number; metadata: Promise<client.ServerMetadata> } | undefined

  const discover = async (): Promise<client.ServerMetadata> => {
    const found = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      timeout: REQUEST_S,
      execute: insecure,
    })
    const metadata = { ...found.serverMetadata() }
    // The metadata of several tenants (`common`) has a pattern for an issuer: anyone's tenant could sign in.
    if (new URL(metadata.issuer).href !== new URL(issuer).href)
      throw new IdentityRefusal('provider_unavailable', `the provider names the issuer ${metadata.issuer}`)
    return metadata
  }

  /** Read again after a minute, so that a provider that is down is noticed before a person is sent there. */
  const metadataOf = async (): Promise<client.ServerMetadata> => {
    const at = clock().getTime()
    if (known === undefined || at - known.at >= lifetimes.providerMetadataS * 1000) known = { at, metadata: discover() }
    const read = known
    try {
      return await read.metadata
    } catch (error) {
      if (known === read) known = undefined
      throw toIdentityRefusal(error, 'provider_unavailable')
    }
  }

  /** Its keys are those of now: a configuration of its own has no cache of keys, which the provider may have changed. */
  const configure = (metadata: client.ServerMetadata): client.Configuration => {
    const made = new client.Configuration(metadata, clientId, clientSecret, authenticationOf(metadata, clientSecret))
    made.timeout = REQUEST_S
    for (const extend of [...insecure, client.enableNonRepudiationChecks]) extend(made)
    return made
  }

  const keys = new Map<string, ReturnType<typeof createRemoteJWKSet>>()
  const keysOf = (uri: string) => {
    const made = keys.get(uri) ?? createRemoteJWKSet(new URL(uri), { timeoutDuration: REQUEST_S * 1000 })
    keys.set(uri, made)
    return made
  }

  return {
    ...settings,
    /** The address at the provider that asks the person to sign in. */
    authorizationUrl: async ({ state, nonce, verifier }: Way): Promise<string> => {
      const code_challenge = await client.calculatePKCECodeChallenge(verifier)
      return client.buildAuthorizationUrl(configure(await metadataOf()), {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        code_challenge,
        code_challenge_method: 'S256',
        state,
        nonce,
      }).href
    },

    /** The verified claims for the way back of a browser. */
    claimsOf: async (search: string, { state, nonce, verifier }: Way): Promise<Claims> => {
      const metadata = await metadataOf()
      const url = new URL(redirectUri)
      url.search = search
      const issuers = url.searchParams.getAll('iss')
      // RFC 9207: the answer of another provider.
      if (issuers.some((one) => one !== metadata.issuer)) throw new IdentityRefusal('issuer_wrong')
      if (issuers.length === 0 && metadata.authorization_response_iss_parameter_supported === true)
        throw new IdentityRefusal('issuer_missing')
      try {
        const configuration = configure(metadata)
        const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true }
        const tokens = await client.authorizationCodeGrant(configuration, url, checks)
        const claims = { ...tokens.claims() }
        const complete = claims.email !== undefined && (!readsGroups || claims[settings.groupClaim] !== undefined)
        if (metadata.userinfo_endpoint === undefined || complete) return claims
        return { ...claims, ...(await client.fetchUserInfo(configuration, tokens.access_token, String(claims.sub))) }
      } catch (error) {
        throw toIdentityRefusal(error, 'token_malformed')
      }
    },

    /** The verified claims of a logout token (OpenID Connect Back-Channel Logout 1.0, 2.6). */
    logoutClaimsOf: async (token: string): Promise<JWTPayload> => {
      const metadata = await metadataOf()
      if (metadata.jwks_uri === undefined) throw new IdentityRefusal('provider_unavailable', 'the provider has no keys')
      try {
        const { payload } = await jwtVerify(token, keysOf(metadata.jwks_uri), {
          issuer: metadata.issuer,
          audience: clientId,
          currentDate: clock(),
          clockTolerance: TOLERANCE_S,
          maxTokenAge: lifetimes.logoutTokenS,
          requiredClaims: ['iat', 'jti', 'events'],
        })
        return payload
      } catch (error) {
        throw toIdentityRefusal(error, 'token_malformed')
      }
    },
  }
}

export type Provider = ReturnType<typeof createProvider>
