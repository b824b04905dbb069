/** What reads only a text of this length at most, and why. */
export type Bound = { why: string; where: string }

const line = { why: 'A log line has at most 8192 bytes', where: 'server/fleet/logs/log-lines.ts' }
const summary = {
  why: 'A stored message has at most 4096 bytes, and the thread that summarizes ends after its time (decision 78)',
  where: 'server/core/reading/reading-threads.ts',
}
const own = (where: string): Bound => ({ why: 'Nobody else writes what it reads', where })

/** Expressions that recheck does not call safe, or that are made at run time, with the bound of what they read and its file. */
export const harmless: ReadonlyMap<string, Bound> = new Map(
  (
    [
      // The command line, and the variables and files of the machine.
      [/\/+$/, own('server/core/config.ts')],
      [/^(.+?)=(\/.+?)(?::(0[0-7]{3}))?$/, own('cli/release/local-file.ts')],
      ['new RegExp(`^${key}="?([^"\\n]*)"?$`, \'m\')', own('agent/report/attributes.ts')],
      // The padding that btoa has added: two signs.
      [/=+$/, own('src/system/session/base64url.ts')],
      // Made of constants, without a part that repeats.
      ['new RegExp(`^${kind}_[0-9A-Za-z]{49}$`)', own('contract/device/config-fields.ts')],
      ['new RegExp(`^/${kind}/:\\\\w+$`)', own('server/core/http/route.ts')],
      ["new RegExp(`^${named}$`, 'i')", line],
      // Every log line of a device.
      [/\b(authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|digest)\s{1,4})[^\s"',;]+/gi, line],
      [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,128}:)[^\s/@]+(?=@)/gi, line],
      [/\beyJ[\w-]{8,1024}\.eyJ[\w-]{4,}\.[\w-]*/g, line],
      ["new RegExp(`(\\\\b${named}[\"']?\\\\s{0,2}[=:]\\\\s{0,2})(?:\"[^\"]*\"|'[^']*'|[^\\\\s\"',;&]+)`, 'gi')", line],
      // The findings of summaries.
      [/(\S{1,64})\[\d{1,10}\]: segfault (?:\(\d{1,2}\) )?at/, summary],
      [/hook\b.*\bfailed|(?:pre_install|post_install|post_reboot)\b.*\bfailed/i, summary],
      [/(?:clock|cpu|thermal).*throttl/i, summary],
    ] as const
  ).map(([expression, bound]) => [String(expression), bound]),
)
