const mask = '[masked]'

// Each repeats only classes of characters that end at the next separator, so that a long line takes linear time.
const named =
  '(?:password|passwd|passphrase|pwd|secret|client_secret|token|access_token|refresh_token|api[_-]?key|access[_-]?key)'
// `has`: texts of which each match contains one; they are found many times faster.
const rules: readonly { form: RegExp; by: string; has?: readonly string[] }[] = [
  {
    form: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/gs,
    by: mask,
    has: ['-----BEGIN '],
  },
  // Tokens of this server, and of services that mark theirs.
  { form: /\b(?:ses|pat|enr|dvc)_[0-9A-Za-z]{49}\b/g, by: mask, has: ['_'] },
  // One form for all of them: a token may contain the beginning of another one.
  {
    form: /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk_live_|rk_live_|whsec_)[\w-]{16,}/g,
    by: mask,
    has: ['gh', 'github_', 'glpat-', 'xox', '_live_', 'whsec_'],
  },
  { form: /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, by: mask, has: ['IA'] },
  // A JSON Web Token. Without a limit of its header each `eyJ` of a line would search the rest of it.
  { form: /\beyJ[\w-]{8,1024}\.eyJ[\w-]{4,}\.[\w-]*/g, by: mask, has: ['.eyJ'] },
  { form: /\b(authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|digest)\s{1,4})[^\s"',;]+/gi, by: `$1${mask}` },
  // The password of a URL.
  { form: /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,128}:)[^\s/@]+(?=@)/gi, by: `$1${mask}`, has: ['://'] },
  {
    form: new RegExp(`(\\b${named}["']?\\s{0,2}[=:]\\s{0,2})(?:"[^"]*"|'[^']*'|[^\\s"',;&]+)`, 'gi'),
    by: `$1${mask}`,
  },
]

/** Text in which secrets of known forms are replaced (T-33). Whoever may see a device may read its log. */
export const maskSecrets = (text: string): string =>
  rules.reduce((masked, { form, by, has }) => {
    const isPossible = has === undefined || has.some((part) => masked.includes(part))
    return isPossible ? masked.replace(form, by) : masked
  }, text)

const secretName = new RegExp(`^${named}$`, 'i')

/** The value of a field of a log line: all of it, if its name says that it is a secret. */
export const maskField = (name: string, value: string): string => (secretName.test(name) ? mask : maskSecrets(value))
