import type { Config } from '../core/config'
import { strictTransport } from '../core/http/origins'

// T-03: no inline code, no other origins; no code from strings, except worker URLs of the one named policy.
const policy = (config: Config) => {
  const api = config.urls.api
  return [
    "default-src 'none'",
    "script-src 'self'",
    "worker-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    `img-src 'self' ${api} data: blob:`,
    `connect-src ${["'self'", api, config.analytics?.host].filter(Boolean).join(' ')}`,
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types teasel',
  ].join('; ')
}

/** The headers of every answer of the console's host, refusals included (T-03, T-09, T-22). */
export const consoleHeaders = (config: Config): Record<string, string> => ({
  'content-security-policy': policy(config),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  ...(config.urls.console.startsWith('https:') ? strictTransport : {}),
})
