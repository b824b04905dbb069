import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'
import { withClient } from '../../../server/core/database/roles'
import { lives } from '../../support/program'

/** What hosts leave that are not stopped by the file that started them. */
export type Remains = { pid: number; data: string; database: string }

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of a file for each hosts that are kept for several test files. */
    kept: string
  }
}

export const note = (folder: string, remains: Remains): Promise<void> =>
  writeFile(join(folder, `${remains.pid}.json`), JSON.stringify(remains))

const end = async ({ pid, data, database }: Remains, server: string) => {
  if (lives(pid)) process.kill(pid, 'SIGTERM')
  while (lives(pid)) await sleep(50)
  await withClient(server, (client) => client.query(`drop database if exists ${database} with (force)`))
  await rm(data, { recursive: true, force: true })
}

/** Stops the hosts that the test files shared, after the last of them. */
export const setup = async (project: TestProject) => {
  const folder = await mkdtemp(join(tmpdir(), 'teasel-kept-'))
  project.provide('kept', folder)
  return async () => {
    const { url } = project.getProvidedContext().postgres
    for (const name of await readdir(folder)) {
      const remains: Remains = JSON.parse(await readFile(join(folder, name), 'utf8'))
      await end(remains, url)
    }
    await rm(folder, { recursive: true, force: true })
  }
}
