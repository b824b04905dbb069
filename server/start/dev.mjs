import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildAgents } from './build.mjs'
import { root } from './run.mjs'

const tsx = (...args) =>
  spawn(process.execPath, [join(root, 'node_modules/tsx/dist/cli.mjs'), ...args], { cwd: root, stdio: 'inherit' })

// The hosts run in processes of their own, whose files the watcher would not find by itself.
const watched = ['server', 'contract', 'machines'].flatMap((folder) => ['--include', `./${folder}/**/*.ts`])

/** The console from its sources by Vite's dev server, the other hosts by tsx, which starts them again when they change. */
export const develop = async () => {
  await buildAgents()
  process.env.TEASEL_HOSTS = 'api,sign-in'
  const children = [tsx('watch', '--clear-screen=false', ...watched, 'server/main.ts'), tsx('server/dev.ts')]
  const end = (signal) => children.forEach((child) => child.kill(signal))
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(signal))
  await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))))
}
