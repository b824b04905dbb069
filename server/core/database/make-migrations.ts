import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { array, create, number, type } from 'superstruct'
import { root } from '../root'

// `npm run migrations`: until the first release the whole schema is two migrations, regenerated from its sources.
const folder = join(root, 'server/core/database/migrations')
const rules = join(root, 'server/core/database/rules')

const kit = (...flags: string[]) =>
  execFileSync(process.execPath, [join(root, 'node_modules/drizzle-kit/bin.cjs'), 'generate', ...flags], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })

const edit = (path: string, change: (value: Record<string, unknown>) => Record<string, unknown>) =>
  writeFileSync(path, `${JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8'))), null, 2)}\n`)

rmSync(folder, { recursive: true, force: true })
kit('--name=tables')
kit('--name=rules', '--custom')

const parts = readdirSync(rules)
  .filter((name) => name.endsWith('.sql'))
  .toSorted()
  .map((name) => readFileSync(join(rules, name), 'utf8').trim())
writeFileSync(join(folder, '0001_rules.sql'), `${parts.join('\n--> statement-breakpoint\n')}\n`)

// The generator writes the time and random ids into its metadata; the same sources must give the same files.
const uuid = (name: string) =>
  createHash('sha256')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
for (const [index, name] of ['0000', '0001'].entries())
  edit(join(folder, `meta/${name}_snapshot.json`), (snapshot) => ({
    ...snapshot,
    id: uuid(name),
    prevId: index === 0 ? '00000000-0000-0000-0000-000000000000' : uuid('0000'),
  }))
edit(join(folder, 'meta/_journal.json'), ({ entries, ...journal }) => ({
  ...journal,
  entries: create(entries, array(type({ idx: number() }))).map((entry) => ({ ...entry, when: Date.UTC(2026, 0, 1) + entry.idx })),
}))
