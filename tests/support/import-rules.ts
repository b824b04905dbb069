import { join, normalize } from 'node:path'

/** What stands directly in the folder, and composes its parts. */
const rest = 'the files directly in it'

/** The parts of a folder in the order in which they import: each only from those before it. */
const parts: Readonly<Record<string, readonly (readonly string[])[]>> = {
  contract: [['core'], ['device'], ['ddi'], ['fleet'], ['accounts'], ['updates'], ['overview'], [rest], ['openapi']],
  'server/updates/rollouts': [['rows'], ['decide'], ['offer', 'plan'], ['run'], ['steps'], [rest]],
  'server/fleet/devices': [['state'], [rest], ['list', 'steps'], ['tokens']],
  'src/features/devices': [['form', 'list', 'logs', 'metrics'], ['actions', 'imports', 'updates'], ['bulk', 'details'], [rest]],
  'src/features/access': [['secrets'], ['keys', 'tokens', 'webhooks'], [rest]],
}

/** The rules in words, for the message of a failing test. */
export const importRules = `
  1 contract   2 machines   3 src/lib  src/theme   4 src/ui | src/api (not each other)   5 src/system
  6 src/features/*   7 src/routes   8 src/app   9 src/main.tsx
  server → contract, machines      cli → contract      agent → contract, cli/keys      src/build → itself
  tests → anything
  nothing → main, tests, server, src/build, cli (except cli/keys)

  server: core < accounts < fleet < updates < overview | device-api | ddi (not each other)
          core, accounts < sign-in | console (not each other)
          backup, processes, seed, start and the files directly in server/ import from every domain
${Object.entries(parts)
  .map(([folder, order]) => `  ${folder}: ${order.map((rank) => rank.join(' | ')).join(' < ')}`)
  .join('\n')}
          parts of one rank do not import each other; a file that a lower part needs moves to that part or below it

  A file imports only from a lower rank, and never from another chart or another feature.
  The noun folders of a domain of the server form no circle.
  Only repositories (repository.ts, <part>.repository.ts), schema files and core import tables or drizzle-orm.
`

/** `file` and `target` as paths from the root of the repository; the target without its extension. */
export type Import = { file: string; target: string }

const ranks: [RegExp, number][] = [
  [/^contract\//, 1],
  [/^machines\//, 2],
  [/^src\/(lib|theme)\//, 3],
  [/^src\/(ui|api)\//, 4],
  [/^src\/system\//, 5],
  [/^src\/features\//, 6],
  [/^src\/(routes\/|route-tree\.gen)/, 7],
  [/^src\/app\//, 8],
  [/^src\/main$/, 9],
]

const rankOf = (path: string) => ranks.find(([pattern]) => pattern.test(path.replace(/\.tsx?$/, '')))?.[1]

const folders = (path: string, depth: number) => path.split('/').slice(0, -1).slice(0, depth).join('/')

/** Charts and features: two of a kind do not import each other. */
const siblingOf = (path: string) => {
  // machines/draw is the tool that draws them all.
  if (path.startsWith('machines/')) return ['machines', 'machines/draw'].includes(folders(path, 2)) ? undefined : folders(path, 2)
  return path.startsWith('src/features/') ? folders(path, 3) : undefined
}

const programs: Readonly<Record<string, string[]>> = {
  server: ['server', 'contract', 'machines'],
  agent: ['agent', 'contract', 'cli/keys'],
  cli: ['cli', 'contract'],
  // Run by Vite, not by a browser.
  'src/build': ['src/build'],
}

const isUpward = (file: string, target: string) => {
  const top = file.split('/')[0] ?? ''
  const allowed = programs[folders(file, 2)] ?? programs[top]
  if (allowed) return !allowed.some((it) => target.startsWith(`${it}/`))
  const [from, to] = [rankOf(file), rankOf(target)]
  if (from === undefined || to === undefined) return true
  // Of the same rank, src/lib and src/theme or src/ui and src/api must not import each other either.
  return from === to ? folders(file, top === 'src' ? 2 : 1) !== folders(target, top === 'src' ? 2 : 1) : from < to
}

const isSideways = (file: string, target: string) => {
  const [from, to] = [siblingOf(file), siblingOf(target)]
  return from !== undefined && to !== undefined && from !== to && from.split('/')[0] === to.split('/')[0]
}

/** The domains that each domain of the server may import from, besides itself. */
const domains: Readonly<Record<string, readonly string[]>> = {
  core: [],
  accounts: ['core'],
  fleet: ['core', 'accounts'],
  updates: ['core', 'accounts', 'fleet'],
  overview: ['core', 'accounts', 'fleet', 'updates'],
  'device-api': ['core', 'accounts', 'fleet', 'updates'],
  ddi: ['core', 'accounts', 'fleet', 'updates'],
  'sign-in': ['core', 'accounts'],
  console: ['core', 'accounts'],
}

const domainOf = (path: string) => {
  const [top, domain, ...rest] = path.split('/')
  return top === 'server' && rest.length > 0 ? domain : undefined
}

const isAgainstDomains = (file: string, target: string) => {
  const from = domainOf(file)
  const allowed = domains[from ?? '']
  return from !== undefined && allowed !== undefined && target.startsWith('server/')
    ? ![from, ...allowed].includes(domainOf(target) ?? '')
    : false
}

const nounOf = (path: string) => {
  const [top, domain = '', noun = '', ...rest] = path.split('/')
  const isNoun = top === 'server' && domain in domains && rest.length > 0 && noun !== 'schema'
  return isNoun ? `server/${domain}/${noun}` : undefined
}

/** The imports between noun folders of one domain that are part of a circle, as `folder → folder`. */
export const circles = (imports: readonly Import[]): string[] => {
  const edges = new Map<string, Set<string>>()
  for (const { file, target } of imports) {
    const [from, to] = [nounOf(file), nounOf(target)]
    if (from === undefined || to === undefined || from === to || domainOf(file) !== domainOf(target)) continue
    edges.set(from, (edges.get(from) ?? new Set()).add(to))
  }
  const reachable = (start: string) => {
    const seen = new Set([start])
    // A set yields what is added while it is iterated.
    for (const noun of seen) for (const next of edges.get(noun) ?? []) seen.add(next)
    return seen
  }
  return [...edges].flatMap(([from, targets]) =>
    [...targets].filter((to) => reachable(to).has(from)).map((to) => `${from} → ${to}`),
  )
}

const mayQuery = (file: string) => /^server\/core\/|\/schema\/|[/.]repository\.ts$/.test(file)

/** Only repositories, schema files and core import tables or the query builder; `target` may be a package. */
export const isQueryOutsideRepository = ({ file, target }: Import): boolean =>
  file.startsWith('server/') && (/^drizzle-orm(\/|$)/.test(target) || /\/schema\//.test(target)) && !mayQuery(file)

// Routes and pages compose all parts of their folder.
const composes = (name: string) => /^(routes|[\w-]+-page)$/.test(name)

const isAgainstParts = (file: string, target: string) =>
  Object.entries(parts).some(([folder, order]) => {
    if (!file.startsWith(`${folder}/`) || !target.startsWith(`${folder}/`)) return false
    const [from, to] = [file, target].map((path) => {
      const [part = '', inside] = path.slice(folder.length + 1).split('/')
      return {
        name: part.replace(/\.tsx?$/, ''),
        rank: order.findIndex((rank) => rank.includes(inside === undefined ? rest : part)),
      }
    }) as [{ name: string; rank: number }, { name: string; rank: number }]
    const isSame = from.rank === to.rank && (order[from.rank]?.includes(rest) || from.name === to.name)
    return !isSame && !composes(from.name) && (from.rank <= to.rank || to.rank < 0)
  })

/** The imports that break the rules, as `file → target`. */
export const broken = (imports: readonly Import[]): string[] =>
  imports
    .filter(
      ({ file, target }) =>
        isUpward(file, target) || isSideways(file, target) || isAgainstDomains(file, target) || isAgainstParts(file, target),
    )
    .map(({ file, target }) => `${file} → ${target}`)

/** The target of a relative import, from the root of the repository. */
export const targetOf = (file: string, specifier: string) => normalize(join(file, '..', specifier))
