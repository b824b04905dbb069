import { product } from '../../contract/core/limits'

type Rules = { createScriptURL: (url: string) => string }
type Factory = { createPolicy: (name: string, rules: Rules) => { createScriptURL: (url: string) => string } }

const rules: Rules = {
  createScriptURL: (url) => {
    if (new URL(url, location.href).origin !== location.origin) throw new TypeError('A worker of another origin')
    return url
  },
}

// The only Trusted Types policy that the console's host allows; a page can create it once.
const { trustedTypes } = globalThis as typeof globalThis & { trustedTypes?: Factory }
const policy = trustedTypes?.createPolicy(product.slug, rules) ?? rules

/** Starts a script of this console, named by `import url from '….ts?worker&url'`, in a thread of its own. */
export const startWorker = (url: string): Worker => new Worker(policy.createScriptURL(url), { type: 'module' })
