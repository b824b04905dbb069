import { errors } from 'jose'
import * as client from 'openid-client'
import type { AuthorizationRequest } from '../authorization'

/** What the page says, by the code of the refusal. NAME is the provider. */
export const identityRefusals = {
  provider_unavailable: 'NAME does not answer. Try again in a few minutes',
  provider_refused: 'NAME did not sign you in',
  state_unknown: 'This sign-in has expired or was already completed. Start again',
  state_foreign: 'This sign-in was started in another browser, or cookies are disabled. Start again',
  issuer_wrong: 'The answer is not from NAME',
  issuer_missing: 'The answer does not say that it is from NAME',
  code_refused: 'NAME refused the code of this sign-in: it was used before or has expired. Start again',
  token_signature: 'The token is not signed by NAME',
  token_issuer: 'The token is not from NAME',
  token_audience: 'The token was issued for another application',
  token_expired: 'The token has expired',
  token_nonce: 'The token belongs to another sign-in',
  token_malformed: 'The answer of NAME is incomplete',
  token_replayed: 'The token was used before',
  address_missing: 'NAME did not name your e-mail address',
  address_unverified: 'NAME has not verified your e-mail address',
  address_not_allowed: 'Accounts of this e-mail domain cannot sign in here',
  identity_conflict: 'Your account is connected to another account of NAME. Disconnect that one under Account, Security first',
} as const

export type IdentityRefusalCode = keyof typeof identityRefusals

/** A refused sign-in with the provider. `reason` is for the log. */
export class IdentityRefusal extends Error {
  override name = 'IdentityRefusal'
  readonly code: IdentityRefusalCode
  /** Where the person continues after another try. */
  asked?: AuthorizationRequest

  constructor(code: IdentityRefusalCode, reason: string = identityRefusals[code]) {
    super(reason)
    this.code = code
  }
}

const byClaim: Readonly<Record<string, IdentityRefusalCode>> = {
  iss: 'token_issuer',
  aud: 'token_audience',
  azp: 'token_audience',
  nonce: 'token_nonce',
  exp: 'token_expired',
  nbf: 'token_expired',
  iat: 'token_expired',
}

const claimOf = (error: Error): string | undefined => {
  const cause: unknown = error.cause instanceof Error ? error.cause.cause : error.cause
  return typeof cause === 'object' && cause !== null && 'claim' in cause ? String(cause.claim) : undefined
}

const byCode: Readonly<Record<string, IdentityRefusalCode>> = {
  OAUTH_KEY_SELECTION_FAILED: 'token_signature',
  OAUTH_UNSUPPORTED_OPERATION: 'token_signature',
  OAUTH_TIMEOUT: 'provider_unavailable',
  OAUTH_RESPONSE_IS_NOT_CONFORM: 'provider_unavailable',
  OAUTH_RESPONSE_IS_NOT_JSON: 'provider_unavailable',
}

const isOfSignature = (text: string) => /signature|"alg"/.test(text)

const ofClient = (error: client.ClientError): IdentityRefusalCode | undefined => {
  const detail = error.cause instanceof Error ? error.cause.message : ''
  return byClaim[claimOf(error) ?? ''] ?? byCode[error.code ?? ''] ?? (isOfSignature(detail) ? 'token_signature' : undefined)
}

const ofToken = (error: errors.JOSEError): IdentityRefusalCode | undefined => {
  if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
    return error.reason === 'missing' ? 'token_malformed' : byClaim[error.claim]
  if (error instanceof errors.JWKSTimeout || error.code === 'ERR_JOSE_GENERIC') return 'provider_unavailable'
  const isForged =
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JOSEAlgNotAllowed
  return isForged ? 'token_signature' : undefined
}

const codeOf = (error: unknown): IdentityRefusalCode | undefined => {
  if (error instanceof client.AuthorizationResponseError) return 'provider_refused'
  if (error instanceof client.ResponseBodyError) return error.error === 'invalid_grant' ? 'code_refused' : 'provider_unavailable'
  if (error instanceof client.ClientError) return ofClient(error)
  if (error instanceof errors.JOSEError) return ofToken(error)
  // `fetch` names what it cannot reach so.
  return error instanceof TypeError ? 'provider_unavailable' : undefined
}

/** The refusal for an error of the libraries; their messages are kept for the log, their causes contain tokens. */
export const toIdentityRefusal = (error: unknown, otherwise: IdentityRefusalCode): IdentityRefusal => {
  if (error instanceof IdentityRefusal) return error
  const texts = error instanceof Error ? [error.message, error.cause instanceof Error ? error.cause.message : ''] : []
  return new IdentityRefusal(codeOf(error) ?? otherwise, texts.filter(Boolean).join(': '))
}
