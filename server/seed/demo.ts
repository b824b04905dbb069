import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import type { Release } from '../../contract/updates/releases'
import { hasUsers } from '../accounts/users/repository'
import type { Deps } from '../core/deps'
import { agentCommand } from '../core/agent-command'
import { openSeedApi } from './seed-api'
import { type ReleaseLine, lines } from './catalogue'
import { makeMoreProjects, makeOrganization, makeProjects } from './organization'
import { createPastClock } from './past-clock'
import { account } from './people'
import { type Demo, directoryOf, readDemo, writeDemo } from './demo-directory'
import { makeRelease } from './releases'

// The private key stays in a file of its owner (0600) that only the agent's command reads.
const keyPair = async (directory: string) => {
  const name = 'release'
  const paths = { keyPath: join(directory, `${name}.key.pem`), publicKeyPath: join(directory, `${name}.pub.pem`) }
  if (!existsSync(paths.keyPath)) await agentCommand(['keygen', '--out', directory, '--name', name])
  return { ...paths, publicKey: await readFile(paths.publicKeyPath, 'utf8') }
}

type Made = { line: ReleaseLine; release: Release }

const fleetOf = (deps: Deps, enrollmentToken: string, publicKeyPath: string, made: readonly Made[]): Demo['fleet'] => ({
  enrollmentToken,
  publicKeyPath,
  classes: ['gateway', 'camera', 'sensor'],
  installed: made.flatMap(({ line, release }) =>
    line.role === 'factory' ? [`${line.model}=${release.id}:${line.version}`] : [],
  ),
  stateDirectory: join(directoryOf(deps), 'fleet'),
})

/**
 * Fills an empty database with a sample organization: people, projects, tags, a key, signed releases. Everything goes through
 * the API's own routes, so that rules, counts and the audit chain are right. If the database is not empty, returns the demo of
 * an earlier start, or undefined.
 */
export const seedDemo = async (live: Deps): Promise<Demo | undefined> => {
  if (await hasUsers(live.db)) return readDemo(live)
  const directory = directoryOf(live)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { keyPath, publicKeyPath, publicKey } = await keyPair(directory)
  const past = createPastClock(live.clock())
  const deps: Deps = { ...live, clock: past.clock }
  const bench = openSeedApi(deps)
  try {
    const work = { deps, past, bench }
    const staff = await makeOrganization(work)
    const { projectId, keyId } = await makeProjects(work, staff, publicKey)
    const made: Made[] = []
    for (const line of lines) {
      past.daysAgo(line.age, 11, line.version % 50)
      const as = await bench.actAs(staff.developer)
      made.push({ line, release: await makeRelease({ ...bench, as, projectId, keyId, keyPath }, line) })
    }
    await makeMoreProjects(work, staff)
    past.daysAgo(0, 0)
    const body = { name: 'Field installation', kind: 'group', max_uses: 1000 } as const
    const { token } = await bench.ask(createEnrollmentToken, { projectId }, { as: await bench.actAs(staff.developer), body })
    const { owner, admin, developer, operator, password } = staff
    const demo: Demo = {
      email: account.email,
      password,
      projectId,
      people: { owner, admin, developer, operator },
      fleet: fleetOf(deps, token, publicKeyPath, made),
      next: made.flatMap(({ line, release }) => (line.role === 'next' ? [{ model: line.model, releaseId: release.id }] : [])),
    }
    await writeDemo(live, demo)
    return demo
  } finally {
    await bench.close()
  }
}
