import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as device from '../contract/device/endpoints'
import type { Endpoint } from '../contract/core/endpoint'
import { endpoints } from '../contract/endpoints'
import { emailForm } from '../contract/core/rules'
import { createLog } from '../server/core/log'
import { root } from '../server/core/root'
import { createToken, type TokenKind } from '../server/core/tokens/token'
import { asvs } from './support/asvs'

const docs = join(root, 'docs')
const page = readFileSync(join(docs, 'security.md'), 'utf8')

const linksOf = (text: string) =>
  [...text.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(([, label = '', target = '']) => ({
    target,
    title: /“(.+)”/.exec(label)?.[1],
  }))

/** The cells of the table rows whose first cell has this form. */
const rowsOf = (first: RegExp) =>
  page
    .split('\n')
    .filter((line) => first.test(line))
    .map((line) => line.replace(/^\| | \|$/g, '').split(' | '))

const answers = rowsOf(/^\| V\d/)
const requirements = answers
  .filter((cells) => cells.length === 4)
  .map(([id = '', level = '', , state = '']) => ({ id, level, state }))
const excluded = answers
  .filter((cells) => cells.length === 2)
  .map(([names = '', reason = '']) => ({ names: names.split(', '), reason }))
const threats = rowsOf(/^\| T-\d\d \|/).map(([number = '', , proof = '']) => ({ number, proof }))

const ids = (text: string) => text.trim().split(/\s+/)
const levels = new Map([...ids(asvs.level1).map((id) => [id, '1'] as const), ...ids(asvs.level2).map((id) => [id, '2'] as const)])

const isThere = (target: string) => existsSync(join(docs, target.split('#')[0] ?? ''))
/** A title is a complete string of the file, so that a renamed test is detected. */
const hasTitle = (target: string, title: string) => {
  const source = readFileSync(join(docs, target), 'utf8')
  return ["'", '"', '`'].some((quote) => source.includes(quote + title + quote))
}
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
const anchors = new Set([...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => `#${anchorOf(heading)}`))

const filesOf = async (folders: readonly string[], form: RegExp) => {
  const found = await Promise.all(
    folders.map(async (folder) => (await readdir(join(root, folder), { recursive: true })).map((file) => `${folder}/${file}`)),
  )
  return found.flat().filter((file) => form.test(file))
}

describe('the table of ASVS 5.0', () => {
  it('knows the 253 requirements of the levels 1 and 2', () => {
    expect([ids(asvs.level1).length, ids(asvs.level2).length, levels.size]).toEqual([70, 183, 253])
  })

  it('has one row for each requirement, or names it or its section among what does not apply', () => {
    const isExcluded = (id: string) => excluded.some((row) => row.names.some((name) => id === name || id.startsWith(`${name}.`)))
    const answered = requirements.map(({ id }) => id)
    expect([...levels.keys()].filter((id) => !answered.includes(id) && !isExcluded(id))).toEqual([])
    expect(answered.filter((id) => !levels.has(id) || isExcluded(id))).toEqual([])
    expect(new Set(answered).size).toBe(answered.length)
    expect(requirements.filter(({ id, level }) => levels.get(id) !== level)).toEqual([])
    expect(
      excluded.flatMap(({ names }) => names).filter((name) => ![...levels.keys()].some((id) => `${id}.`.startsWith(`${name}.`))),
    ).toEqual([])
  })

  it('gives for each row its proof, or why it is not met', () => {
    const proven = ({ state }: { state: string }) => state.startsWith('Met: ') && linksOf(state).length > 0
    const open = ({ state }: { state: string }) => /^Not met: .{10,}/.test(state)
    expect(requirements.filter((row) => !proven(row) && !open(row))).toEqual([])
    const met = requirements.filter(proven).length
    expect(page).toContain(`${met} met, ${requirements.length - met} not met, ${levels.size - requirements.length} do not apply`)
  })
})

describe('the page on security', () => {
  it('names only existing files, headings and tests', () => {
    const links = linksOf(page).filter(({ target }) => !target.startsWith('https:'))
    expect(links.length).toBeGreaterThan(200)
    expect(links.filter(({ target }) => (target.startsWith('#') ? !anchors.has(target) : !isThere(target)))).toEqual([])
    const titled = links.flatMap(({ target, title }) => (title !== undefined && isThere(target) ? [{ target, title }] : []))
    expect(titled.length).toBeGreaterThan(100)
    expect(titled.filter(({ target, title }) => !hasTitle(target, title))).toEqual([])
  })

  it('names for each threat the files whose tests carry its number', async () => {
    const tests = await filesOf(
      ['agent', 'contract', 'machines', 'server', 'src', 'tests'],
      /\.test\.tsx?$|^tests\/model\/behaviour\//,
    )
    const sources = await Promise.all(tests.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })))
    const numbered = (number: string) =>
      sources
        // The number is in a title: after a quote, and before another one on the line.
        .filter(({ text }) => new RegExp(`['"\`][^'"\`\\n]*\\b${number}\\b`).test(text.replace(/^\s*(\/\/|\*).*$/gm, '')))
        .map(({ file }) => `../${file}`)
    expect(threats.map(({ number }) => number)).toEqual(
      Array.from({ length: 34 }, (_, n) => `T-${String(n + 1).padStart(2, '0')}`),
    )
    for (const { number, proof } of threats) {
      const files = numbered(number)
      const named = linksOf(proof).map(({ target }) => target)
      expect(proof === 'none', `${number}: ${files.join(', ')}`).toBe(files.length === 0)
      expect(
        named.filter((file) => !files.includes(file)),
        number,
      ).toEqual([])
    }
  })
})

describe('rules for the sources', () => {
  it('no source turns the check of certificates off', async () => {
    const files = await filesOf(['agent', 'contract', 'server', 'src'], /\.(tsx?|mjs)$/)
    const sources = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
    expect(files.length).toBeGreaterThan(500)
    expect(
      files.filter((_, n) => /rejectUnauthorized|NODE_TLS_REJECT|checkServerIdentity|sslmode|no-verify/.test(sources[n] ?? '')),
    ).toEqual([])
  })

  it('no source of the hosts passes text to a shell', async () => {
    const files = (await filesOf(['server', 'contract'], /\.(ts|mjs)$/)).filter((file) => !file.endsWith('.test.ts'))
    const sources = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
    const shell = /\bshell:|(?<!#!)\/bin\/(ba)?sh|import \{[^}]*\b(exec|execSync)\b[^}]*\} from 'node:child_process'/
    expect(files.filter((_, n) => shell.test(sources[n] ?? ''))).toEqual([])
  })
})

it('no endpoint with GET or HEAD records a change', () => {
  const all: Endpoint[] = [...Object.values(endpoints), ...Object.values(device as Record<string, unknown>).filter(isEndpoint)]
  const reads = all.filter(({ method }) => method === 'GET' || method === 'HEAD')
  expect(reads.length).toBeGreaterThan(50)
  // An export or a download is recorded in the audit log, and changes nothing else.
  expect(
    reads
      .filter(
        ({ audit }) => audit !== 'none' && !/^(audit\.(read|export)|asset\.link|bundle\.download|user\.export)$/.test(audit),
      )
      .map(({ path }) => path),
  ).toEqual([])
})

const isEndpoint = (value: unknown): value is Endpoint => typeof value === 'object' && value !== null && 'needs' in value

it.each([
  'a,b@example.com',
  'a;b@example.com',
  'group:a@example.com',
  'a@example.com;',
  '(x)a@example.com',
  'a@example.com(x)',
  'a@[10.0.0.1].example',
  'a\\@example.com',
  'a@example.com\r\nBcc: b@example.com',
  'a@example.com, b@example.com',
  '"a"@example.com',
  '<a@example.com>',
])('an address of a mail is one address: not %j', (text) => {
  expect(emailForm.test(text)).toBe(false)
})
it.each(["o'neil+teasel@sub.example.com", 'ünï.cödé@exämple.de', 'a/b=c@example.com', 'x@y.example'])(
  'an address of a mail may be %j',
  (text) => {
    expect(emailForm.test(text)).toBe(true)
  },
)

it('a line break in a value is no new line of the log, and its time is UTC', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line: string) => void lines.push(line) })
  log.info({ user_agent: 'x\n{"level":50,"msg":"forged"}\r\n', name: 'a\u001b[31mb' }, 'a\nmessage')
  expect(lines).toHaveLength(1)
  for (const sign of ['\r', '\n', '\u001b']) expect(lines[0]?.trimEnd()).not.toContain(sign)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ user_agent: 'x\n{"level":50,"msg":"forged"}\r\n', msg: 'a\nmessage' })
  expect(JSON.parse(lines[0] ?? '').time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
})

describe('the expression for scanners of secrets', () => {
  const source = /^Scanners for secrets.*?```\n(.+?)\n```/ms.exec(page)?.[1] ?? ''
  const scanner = new RegExp(source, 'g')
  const kinds = ['ses', 'pat', 'enr', 'dvc', 'dvs', 'ens'] as const satisfies readonly TokenKind[]

  it('is the one of the rule of gitleaks, which has all prefixes as its keywords', () => {
    const rule = /^```toml\n(.*?)^```/ms.exec(page)?.[1] ?? ''
    expect(/^regex = '''(.+)'''$/m.exec(rule)?.[1]).toBe(source)
    const keywords = JSON.parse(/^keywords = (.+)$/m.exec(rule)?.[1] ?? '[]') as string[]
    expect(keywords.toSorted()).toEqual(kinds.map((kind) => `${kind}_`).toSorted())
  })

  it.each(kinds)('finds each token of the kind %s in a text, and no text that is nearly one', (kind) => {
    for (let n = 0; n < 200; n++) {
      const token = createToken(kind)
      const texts = [`TEASEL_TOKEN=${token}`, `{"token":"${token}"}`, `Authorization: Bearer ${token}\n`, `a ${token}, and more`]
      expect(texts.flatMap((text) => text.match(scanner) ?? [])).toEqual(texts.map(() => token))
      const near = [
        token.slice(0, -1),
        `${token}0`,
        `x${token}`,
        token.replace('_', '-'),
        token.toUpperCase(),
        `abc${token.slice(3)}`,
      ]
      const broken = `${token.slice(0, 20)}.${token.slice(21)}`
      expect([...near, broken].filter((text) => text.match(scanner))).toEqual([])
    }
  })
})
