import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { preProcessFile } from 'typescript'
import { describe, expect, it } from 'vitest'
import { product } from '../contract/core/limits'
import { applicationOptions } from '../contract/accounts/profile'
import { root } from '../server/core/root'
import { broken, circles, type Import, importRules, isQueryOutsideRepository, targetOf } from './support/import-rules'

const tops = ['contract', 'machines', 'src', 'server', 'agent', 'cli']

const sources = async () => {
  const found = await Promise.all(
    tops.map(async (top) => (await readdir(join(root, top), { recursive: true })).map((file) => `${top}/${file}`)),
  )
  return found.flat().filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|\.gen\.ts$/.test(file))
}

const importsOf = async (file: string) => {
  const { importedFiles } = preProcessFile(await readFile(join(root, file), 'utf8'))
  return importedFiles.map(({ fileName }) => fileName)
}

const all = async () => {
  const files = await sources()
  return Promise.all(files.map(async (file) => ({ file, specifiers: await importsOf(file) })))
}

const allImports = async (): Promise<Import[]> =>
  (await all()).flatMap(({ file, specifiers }) =>
    specifiers.filter((it) => it.startsWith('.')).map((it) => ({ file, target: targetOf(file, it) })),
  )

describe('the import rules', () => {
  it('are broken by no file', async () => {
    const imports = await allImports()
    expect(imports.length).toBeGreaterThan(100)
    expect(broken(imports), importRules).toEqual([])
  })

  it('let no noun folders of a domain import each other in a circle', async () => {
    expect(circles(await allImports()), importRules).toEqual([])
  })

  it('let only repositories, schema files and core of the server query the database', async () => {
    const imports = (await all()).flatMap(({ file, specifiers }) =>
      specifiers.map((it) => ({ file, target: it.startsWith('.') ? targetOf(file, it) : it })),
    )
    expect(imports.filter(({ target }) => target === 'drizzle-orm').length).toBeGreaterThan(30)
    expect(imports.filter(isQueryOutsideRepository)).toEqual([])
  })

  it.each([
    ['server/fleet/tags/routes.ts', 'drizzle-orm'],
    ['server/updates/rollouts/tick.ts', 'server/updates/schema/rollouts'],
    ['server/sign-in/signin.ts', 'drizzle-orm/node-postgres'],
    ['server/jobs.ts', 'server/fleet/schema/devices'],
  ])('do not let %s query through %s', (file, target) => {
    expect(isQueryOutsideRepository({ file, target })).toBe(true)
  })

  it.each([
    ['server/fleet/tags/repository.ts', 'drizzle-orm'],
    ['server/fleet/devices/list/list.repository.ts', 'server/fleet/schema/devices'],
    ['server/core/http/idempotency.ts', 'drizzle-orm'],
    ['server/fleet/tags/routes.ts', 'server/fleet/tags/repository'],
  ])('let %s import %s', (file, target) => {
    expect(isQueryOutsideRepository({ file, target })).toBe(false)
  })

  it('let no folder of contract, server and src have more than 40 source files of its own', async () => {
    const counts = new Map<string, number>()
    for (const file of await sources()) {
      const folder = file.split('/').slice(0, -1).join('/')
      counts.set(folder, (counts.get(folder) ?? 0) + 1)
    }
    const full = [...counts].filter(([folder, count]) => /^(contract|server|src)\b/.test(folder) && count > 40)
    expect(full, 'Move files into folders by what they are about.').toEqual([])
  })

  it('find a circle of noun folders', () => {
    const imports = [
      { file: 'server/accounts/users/routes.ts', target: 'server/accounts/sessions/repository' },
      { file: 'server/accounts/sessions/routes.ts', target: 'server/accounts/credentials/attempts' },
      { file: 'server/accounts/credentials/second-factor/totp.ts', target: 'server/accounts/users/repository' },
      { file: 'server/accounts/members/routes.ts', target: 'server/accounts/users/repository' },
      { file: 'server/accounts/users/routes.ts', target: 'server/accounts/users/repository' },
    ]
    expect(circles(imports)).toEqual([
      'server/accounts/users → server/accounts/sessions',
      'server/accounts/sessions → server/accounts/credentials',
      'server/accounts/credentials → server/accounts/users',
    ])
    expect(circles(imports.slice(1))).toEqual([])
  })

  it('let contract and machines import only their own packages', async () => {
    const own: Record<string, RegExp> = { contract: /^(superstruct|canonicalize)$/, machines: /^(xstate|@xstate\/test)(\/|$)/ }
    const foreign = (await all()).flatMap(({ file, specifiers }) => {
      const allowed = own[file.split('/')[0] ?? '']
      if (allowed === undefined || /^machines\/draw[./]/.test(file)) return []
      return specifiers.filter((it) => !it.startsWith('.') && !allowed.test(it)).map((it) => `${file} → ${it}`)
    })
    expect(foreign).toEqual([])
  })

  it.each([
    ['contract/fleet/tags.ts', 'machines/auth/auth.machine'],
    ['src/ui/dialog.ts', 'src/api/client'],
    ['src/lib/bytes.ts', 'src/theme/tokens'],
    ['src/features/tags/page.tsx', 'src/features/devices/row'],
    ['src/features/tags/page.tsx', 'src/routes/tags'],
    ['src/app/router.ts', 'src/main'],
    ['machines/auth/auth.machine.ts', 'machines/organization/organization.machine'],
    ['server/core/http/route.ts', 'server/accounts/sessions/repository'],
    ['server/accounts/projects/routes.ts', 'server/fleet/devices/repository'],
    ['server/fleet/tags/routes.ts', 'server/updates/rollouts/repository'],
    ['server/updates/rollouts/routes.ts', 'server/overview/overview'],
    ['server/device-api/routes.ts', 'server/overview/overview'],
    ['server/overview/overview.ts', 'server/device-api/routes'],
    ['server/sign-in/signin.ts', 'server/fleet/devices/repository'],
    ['server/console/headers.ts', 'server/sign-in/page'],
    ['server/fleet/tags/routes.ts', 'server/api'],
    ['server/fleet/tags/routes.ts', 'server/seed/demo'],
    ['server/fleet/tags/routes.ts', 'src/lib/bytes'],
    ['agent/main.ts', 'server/core/config'],
    ['agent/main.ts', 'cli/core/api'],
    ['cli/main.ts', 'agent/core/files'],
    ['cli/main.ts', 'machines/rollout/rollout.machine'],
    ['server/jobs.ts', 'cli/core/version'],
    ['src/main.tsx', 'tests/support/database'],
    ['src/main.tsx', 'src/build/here'],
    ['src/build/two-sheets.ts', 'src/theme/tokens'],
  ])('do not let %s import %s', (file, target) => {
    expect(broken([{ file, target }])).toHaveLength(1)
  })

  it.each([
    ['machines/auth/auth.machine.ts', 'machines/port'],
    ['src/features/tags/page.tsx', 'src/features/tags/row'],
    ['src/app/router.ts', 'src/route-tree.gen'],
    ['server/fleet/tags/routes.ts', 'server/core/http/api'],
    ['server/fleet/tags/routes.ts', 'server/accounts/projects/settings'],
    ['server/jobs.ts', 'server/updates/rollouts/tick'],
    ['server/seed/demo.ts', 'server/api'],
    ['server/fleet/tags/routes.ts', 'contract/fleet/tags'],
    ['src/build/two-sheets.ts', 'src/build/here'],
    ['cli/main.ts', 'contract/updates/releases'],
    ['agent/main.ts', 'cli/keys/sign'],
    ['contract/endpoints.ts', 'contract/updates/releases'],
    ['contract/updates/releases.ts', 'contract/updates/secure-boot/bundles'],
    ['server/updates/rollouts/tick.ts', 'server/updates/rollouts/advance'],
    ['server/fleet/devices/routes.ts', 'server/fleet/devices/steps/move'],
    ['server/fleet/devices/read.ts', 'server/fleet/devices/state/groups.repository'],
    ['src/features/devices/bulk/bulk-bar.tsx', 'src/features/devices/list/selection'],
  ])('let %s import %s', (file, target) => {
    expect(broken([{ file, target }])).toEqual([])
  })
})

type Entry = {
  version?: string
  integrity?: string
  resolved?: string
  link?: boolean
  optionalDependencies?: Record<string, string>
}

describe('T-25: what is installed', () => {
  const lock: { packages: Record<string, Entry> } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const manifest: Record<'dependencies' | 'devDependencies', Record<string, string>> = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  )
  const entries = Object.entries(lock.packages).filter(([path]) => path !== '')

  it('is pinned by its hash, without its download address', () => {
    const bad = entries.filter(
      ([, { integrity, resolved, link }]) => !integrity?.startsWith('sha512-') || resolved !== undefined || link,
    )
    expect(entries.length).toBeGreaterThan(300)
    expect(bad.map(([path]) => path)).toEqual([])
  })

  // Without these entries `npm ci` refuses the lock file; npm leaves them out when it cannot read a package while it writes the file.
  it('has an entry for every platform of an optional dependency', () => {
    const missing = entries.flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !lock.packages[`node_modules/${name}`] && !lock.packages[`${path}/node_modules/${name}`])
        .map((name) => `${path}: ${name}`),
    )
    expect(missing).toEqual([])
  })

  it('is required in exact versions', () => {
    const asked = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })
    expect(asked.filter(([, version]) => !/^(npm:@?[\w/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([])
    for (const [name, version] of asked)
      expect(version.endsWith(lock.packages[`node_modules/${name}`]?.version ?? '?'), name).toBe(true)
  })
})

/** With the values of its constants in place of their names, so that a limit by name is read like one by number. */
const withValues = (text: string): string => {
  const constants = /^ *(?:export )?const (\w+) = (\d[\d_]*(?: \* \d[\d_]*)*)$/gm
  const values = new Map([...text.matchAll(constants)].map(([, name, value]) => [name, value]))
  return text.replace(/(?<![\w.$])[A-Za-z]\w*(?!\w|:| =)/g, (word) => values.get(word) ?? word)
}

/** Limits of waits that are numbers: options and constants, the last argument of a test or a hook (from 10,000), and calls of `vi.waitFor`. */
const fixedLimits = (source: string): string[] => {
  const text = withValues(source)
  const number = /\b(?:timeout|testTimeout|hookTimeout)(?::| =) (?:\d|repetitions\().*|AbortSignal\.timeout\(\d.*/g
  const failing = /\bsetTimeout\(\s*\(\) => reject\(.*\),\s*\d.*/g
  const last = /^ *\}, (?:\d[\d_]{4}|repetitions\().*\)$|^ *\},\n *\d[\d_]{4,},\n *\)$/gm
  // Its limit is in its first lines.
  const waits = text
    .split(/\bvi\.wait(?:For|Until)\(/)
    .slice(1)
    .filter((call) => !call.split('\n', 5).join(' ').includes('within('))
    .map((call) => `vi.waitFor(${call.split('\n', 1).join()}`)
  return [...[number, failing, last].flatMap((form) => [...text.matchAll(form)]).map(([limit]) => limit.trim()), ...waits]
}

describe('what is written', () => {
  it('has the same random input in every run of npm test', async () => {
    const found = await Promise.all(
      [...tops, 'tests'].map(async (top) =>
        (await readdir(join(root, top), { recursive: true })).map((file) => `${top}/${file}`),
      ),
    )
    const tests = found.flat().filter((file) => file.endsWith('.test.ts') || file.endsWith('.test.tsx'))
    const texts = await Promise.all(tests.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })))
    const random = texts.filter(({ text }) => /^import .* from 'fast-check'$/m.test(text))
    expect(random.length).toBeGreaterThan(15)
    const seeded = /^import '.*support\/fixed-seed'$|\bseed: \d/m
    expect(random.filter(({ text }) => !seeded.test(text)).map(({ file }) => file)).toEqual([])
  })

  it('makes every client and pool of PostgreSQL where each gets its listener for errors', async () => {
    const folders = await Promise.all(
      [...tops, 'tests'].map(async (top) =>
        (await readdir(join(root, top), { recursive: true })).map((file) => `${top}/${file}`),
      ),
    )
    const files = folders.flat().filter((file) => /\.(tsx?|mjs)$/.test(file))
    const texts = await Promise.all(files.map(async (file) => ({ file, text: await readFile(join(root, file), 'utf8') })))
    const made = texts.filter(({ text }) => /from 'pg'|import\('pg'\)/.test(text) && /\bnew (\w+\.)?(Client|Pool)\(/.test(text))
    expect(made.map(({ file }) => file)).toEqual(['server/core/database/clients.ts'])
  })

  it('runs every transaction of the sign-in host again that lost against another one', async () => {
    const files = (await readdir(join(root, 'server/sign-in'), { recursive: true })).filter((file) => file.endsWith('.ts'))
    const texts = await Promise.all(
      files.map(async (file) => ({ file, text: await readFile(join(root, 'server/sign-in', file), 'utf8') })),
    )
    expect(texts.filter(({ text }) => /\btransact\(/.test(text)).length).toBeGreaterThan(5)
    expect(texts.filter(({ text }) => /\.transaction\(/.test(text)).map(({ file }) => file)).toEqual([])
  })

  // A test that takes the newest mail of a shared host takes that of another test.
  it('reads the outbox of a shared host by address', async () => {
    const files = (await readdir(join(root, 'tests/e2e'), { recursive: true })).filter((file) => file.endsWith('.ts'))
    const texts = await Promise.all(
      files.map(async (file) => ({ file, text: await readFile(join(root, 'tests/e2e', file), 'utf8') })),
    )
    const own = ['support/outbox.ts', 'support/visitor.ts', 'sign-in-pages.test.ts', 'every-route.test.ts']
    const readers = texts.filter(({ text }) => /['`}]\/outbox\b/.test(text)).map(({ file }) => file)
    expect(readers.filter((file) => own.includes(file)).length).toBeGreaterThan(2)
    expect(readers.filter((file) => !own.includes(file))).toEqual([])
  })

  it('runs every test file in a project of vitest', async () => {
    const config = await readFile(join(root, 'vite.config.ts'), 'utf8')
    const included = [...config.matchAll(/'tests\/(?:\{([\w,]+)\}|(\w+))\/\*\*\/\*\.test\.tsx?'/g)].flatMap(([, many, one]) =>
      (many ?? one ?? '').split(','),
    )
    const files = (await readdir(join(root, 'tests'), { recursive: true })).filter((file) => /\/.*\.test\.tsx?$/.test(file))
    expect(files.length).toBeGreaterThan(150)
    expect(files.filter((file) => !included.includes(file.split('/')[0] ?? ''))).toEqual([])
  })

  // A fixed limit fails on a machine that is slow enough: `within` of tests/support/machine-load.ts grows with its load, as the
  // defaults of vite.config.ts do.
  it('has no limit of a wait in a test that does not grow with the load of the machine', async () => {
    const folders = await Promise.all(
      [...tops, 'tests'].map(async (top) =>
        (await readdir(join(root, top), { recursive: true })).map((file) => `${top}/${file}`),
      ),
    )
    // Benchmarks measure; the last two have the limits of the check itself.
    const others = /^tests\/(bench\/|machine-load\.test|structure\.test)/
    const files = folders.flat().filter((file) => /\.test\.tsx?$|^tests\/.*\.tsx?$/.test(file) && !others.test(file))
    expect(files.length).toBeGreaterThan(600)
    const found = await Promise.all(
      files.map(async (file) => fixedLimits(await readFile(join(root, file), 'utf8')).map((limit) => `${file}: ${limit}`)),
    )
    expect(found.flat()).toEqual([])
  })

  it.each([
    ['await expect.poll(read, { interval: 5, timeout: 20_000 }).toBe(1)', 1],
    ['const timeout = 60_000', 1],
    ['vi.setConfig({ testTimeout: repetitions(60_000, 900_000) })', 1],
    ["it('waits', async () => {\n}, 120_000)", 1],
    ["it(\n  'waits',\n  async () => {\n  },\n  60_000,\n)", 1],
    ['await vi.waitFor(() => expect(isGone()).toBe(true))', 1],
    ['await vi.waitFor(() => expect(isGone()).toBe(true), 5000)', 1],
    ['socket.once("end", go)\nAbortSignal.timeout(5000)', 1],
    ['const longest = 30_000\nfetch(url, { signal: AbortSignal.timeout(longest) })', 1],
    ['const most = 60 * 1000\nawait expect.poll(read, { timeout: most }).toBe(1)', 1],
    ["const most = 60_000\nit('waits', async () => {\n}, most)", 1],
    ['const limit = 30_000\nsetTimeout(() => reject(new Error("in vain")), limit)', 1],
    ['await expect.poll(read, { timeout: within(20_000) }).toBe(1)', 0],
    ['const longest = within(30_000)\nfetch(url, { signal: AbortSignal.timeout(longest) })', 0],
    ['const most = 60_000\nawait expect.poll(read, { timeout: within(most) }).toBe(1)', 0],
    ['const seconds = 900\nexpect(settings).toEqual({ limit: seconds })', 0],
    ['await vi.waitFor(() => expect(isGone()).toBe(true), within(5000))', 0],
    ["it('waits', { timeout: within(repetitions(60_000, 900_000)) }, async () => {\n})", 0],
    ['expect(limits).toEqual({ hook_timeout: 60 })', 0],
  ])('finds a fixed limit: %s', (text, count) => {
    expect(fixedLimits(text)).toHaveLength(count)
  })

  it('asks each question of the console in the same window, whose Cancel asks what becomes of a running request', async () => {
    const files = (await readdir(join(root, 'src'), { recursive: true })).filter((file) => file.endsWith('.tsx'))
    const texts = await Promise.all(files.map(async (file) => ({ file, text: await readFile(join(root, 'src', file), 'utf8') })))
    const asking = texts.filter(({ text }) => text.includes('alertdialog')).map(({ file }) => file)
    expect(asking.toSorted()).toEqual(['system/ask-dialog.tsx', 'system/modals/confirm.tsx'])
    const silent = /<Button[^<]*onClick=\{(\w+\.)?close\}[^<]*>\s*Cancel/
    expect(silent.test('<Button onClick={modal.close}>Cancel</Button>')).toBe(true)
    expect(texts.filter(({ text }) => silent.test(text)).map(({ file }) => file)).toEqual([])
  })

  it('names no local folder and no package registry', async () => {
    const folders = [...tops, 'tests', 'docs', '.ci']
    const inside = await Promise.all(
      folders.map(async (top) =>
        (await readdir(join(root, top), { recursive: true }).catch(() => [])).map((file) => `${top}/${file}`),
      ),
    )
    const files = [...(await readdir(root)), ...inside.flat()].filter((file) => /\.(tsx?|mjs|json|md|html|css|sql)$/.test(file))
    const leak = /\/(?:work|root|home\/\w+|Users\/\w+)\/[\w.-]+|registry\.(?:npmjs|yarnpkg)\.\w+|npm\.pkg\.github/
    const texts = files.filter((file) => file !== 'tests/structure.test.ts')
    const found = await Promise.all(
      texts.map(async (file) => ({ file, leak: leak.exec(await readFile(join(root, file), 'utf8'))?.[0] })),
    )
    expect(found.filter((it) => it.leak !== undefined)).toEqual([])
  })

  it('R17: has the product’s slug in one constant, and derives names from it', async () => {
    const files = (await sources()).filter((file) => /^(contract|machines|src)\//.test(file))
    const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))
    const written = new RegExp(`['"\`]${product.slug}['"\`_]`)
    expect(files.filter((_, index) => written.test(texts[index] ?? ''))).toEqual(['contract/core/limits.ts'])
    expect(applicationOptions.filter((option) => option.includes(product.slug))).toEqual([`${product.slug}_security_solutions`])
  })
})
