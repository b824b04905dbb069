import type { Plugin } from 'vite'

const contract = /\/contract\/(?:[\w-]+\/)*[\w-]+\.ts$/
const summary = /^ {2}summary:\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`),$/gm
const endpoint = /\bendpoint\(\{$/gm
const lines = (text: string) => '\n'.repeat(text.split('\n').length - 1)

/** A module of the contract without the summaries of its endpoints; the lines keep their numbers. Throws if one has no summary. */
export const withoutSummaries = (source: string): string => {
  const found = source.match(summary)?.length ?? 0
  const expected = source.match(endpoint)?.length ?? 0
  if (found !== expected) throw new Error(`${expected} endpoints have ${found} summaries`)
  return source.replace(summary, lines)
}

/** The summaries describe the API to people and to its documents: the console never shows them, so its build drops them. */
export const dropSummaries = (): Plugin => ({
  name: 'drop-summaries',
  enforce: 'pre',
  apply: 'build',
  transform: {
    filter: { id: contract },
    handler: (source) => ({ code: withoutSummaries(source), map: null }),
  },
})
