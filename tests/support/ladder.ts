import { join, normalize } from 'node:path'

export const LADDER = `
  1 contract   2 machines   3 src/lib  src/theme   4 src/ui | src/api (not each other)   5 src/system
  6 src/features/*   7 src/routes   8 src/app   9 src/main.tsx
  server → contract, machines      agent → contract      src/build → itself      tests → anything
  nothing → main, tests, server, src/build

  A file imports only from rungs below its own, and never sideways between charts, features or server nouns.
`

export type Import = { file: string; target: string }

const rungs: [RegExp, number][] = [
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

const rungOf = (path: string) => rungs.find(([pattern]) => pattern.test(path.replace(/\.tsx?$/, '')))?.[1]

const folders = (path: string, depth: number) => path.split('/').slice(0, -1).slice(0, depth).join('/')

/** What may not look into its neighbour: one chart, one feature, one noun of the server. */
const roomOf = (path: string, nouns: ReadonlySet<string>) => {
  // machines/draw is the tool that draws them all.
  if (path.startsWith('machines/')) return ['machines', 'machines/draw'].includes(folders(path, 2)) ? undefined : folders(path, 2)
  if (path.startsWith('src/features/')) return folders(path, 3)
  const [top, noun = ''] = path.split('/')
  return top === 'server' && nouns.has(noun) ? `server/${noun}` : undefined
}

const programs: Readonly<Record<string, string[]>> = {
  server: ['server', 'contract', 'machines'],
  agent: ['agent', 'contract'],
  // What Vite runs, and no browser.
  'src/build': ['src/build'],
}

const climbs = (file: string, target: string) => {
  const top = file.split('/')[0] ?? ''
  const allowed = programs[folders(file, 2)] ?? programs[top]
  if (allowed) return !allowed.some((it) => target.startsWith(`${it}/`))
  const [from, to] = [rungOf(file), rungOf(target)]
  if (from === undefined || to === undefined) return true
  // On one rung, src/lib and src/theme or src/ui and src/api stay apart as well.
  return from === to ? folders(file, top === 'src' ? 2 : 1) !== folders(target, top === 'src' ? 2 : 1) : from < to
}

const isSideways = (file: string, target: string, nouns: ReadonlySet<string>) => {
  const [from, to] = [roomOf(file, nouns), roomOf(target, nouns)]
  return from !== undefined && to !== undefined && from !== to && from.split('/')[0] === to.split('/')[0]
}

/** The imports that break the ladder. `nouns` are the folders of the server that hold one noun each. */
export const broken = (imports: readonly Import[], nouns: ReadonlySet<string>): string[] =>
  imports
    .filter(({ file, target }) => climbs(file, target) || isSideways(file, target, nouns))
    .map(({ file, target }) => `${file} → ${target}`)

/** Where a relative import leads, from the top of the repository. */
export const targetOf = (file: string, specifier: string) => normalize(join(file, '..', specifier))
