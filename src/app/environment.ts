import { billingPairs } from '../../contract/accounts/billing'
import type { Environment } from '../system/environment'

type Name = Environment['name']
type Constants = Omit<Environment, 'name' | 'build' | 'links'>

const { test, live } = billingPairs

/** The three environments of the console. */
const environments: Readonly<Record<Name, Constants>> = {
  local: { api: 'http://localhost:8080', signIn: 'http://localhost:3000', beta: true, ...test, analytics: null },
  staging: {
    api: 'https://api.staging.teasel.example',
    signIn: 'https://sign-in.staging.teasel.example',
    beta: true,
    ...test,
    analytics: null,
  },
  production: {
    api: 'https://api.teasel.example',
    signIn: 'https://sign-in.teasel.example',
    beta: false,
    ...live,
    analytics: null,
  },
}
const stagingOrigin = 'https://console.staging.teasel.example'

/** §1, R18, T-29: by the parsed origin, never by a prefix of its text. Anything else is production. */
export const environmentOf = (origin: string): Name => {
  if (!URL.canParse(origin)) return 'production'
  const { protocol, hostname } = new URL(origin)
  if (protocol === 'http:' && (hostname === 'localhost' || hostname === '127.0.0.1')) return 'local'
  return origin === stagingOrigin ? 'staging' : 'production'
}

const isName = (value: unknown): value is Name => typeof value === 'string' && Object.hasOwn(environments, value)
const isOrigin = (value: unknown): value is string => typeof value === 'string' && /^https?:\/\/[^/\s]+$/.test(value)
const isUrl = (value: unknown): value is string => typeof value === 'string' && /^https?:\/\//.test(value)
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const told = (text: string | undefined): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text ?? '')
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const analyticsOf = (value: unknown): Environment['analytics'] =>
  isObject(value) && typeof value.key === 'string' && isOrigin(value.host) ? { key: value.key, host: value.host } : null

const linkNames = ['docs', 'terminal', 'community', 'feedback'] as const
const linksOf = (value: unknown): Environment['links'] => {
  const given = isObject(value) ? value : {}
  return Object.fromEntries(linkNames.flatMap((name) => (isUrl(given[name]) ? [[name, given[name]]] : [])))
}

/** The settings that the console's host writes into the page replace the choice by origin, so that any port can be used. */
export const readEnvironment = (page: Document, origin: string): Environment => {
  const meta = told(page.querySelector<HTMLMetaElement>('meta[name=teasel]')?.content)
  const name = isName(meta.environment) ? meta.environment : environmentOf(origin)
  const constants = environments[name]
  return {
    ...constants,
    name,
    api: isOrigin(meta.api) ? meta.api : constants.api,
    signIn: isOrigin(meta.signIn) ? meta.signIn : constants.signIn,
    price: typeof meta.price === 'string' ? meta.price : constants.price,
    portal: isUrl(meta.portal) ? meta.portal : constants.portal,
    links: linksOf(meta.links),
    build: typeof meta.build === 'string' ? meta.build : import.meta.url,
    analytics: analyticsOf(meta.analytics),
  }
}
