import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from '../../server/core/root'

export const startBareServer = async (url: string) => {
  const child = fork(join(root, 'tests/bench/bare-server.ts'), [url], { execArgv: ['--import', 'tsx'], stdio: 'pipe' })
  const [port] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  return { base: `http://127.0.0.1:${port.toString().trim()}`, pid: child.pid ?? 0, stop: () => child.kill('SIGTERM') }
}
