import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildAgents } from './build.mjs'
import { root } from './run.mjs'

const tsx = (...args) =>
  spawn(process.execPath, [join(root, 'node_modules/tsx/dist/cli.mjs'), ...args], { cwd: root, stdio: 'inherit' })

// The hosts run in their own processes, whose files the watcher would not find.
const watched = ['server', 'contract', 'machines'].flatMap((folder) => ['--include', `./${folder}/**/*.ts`])

/** Serves the console from its sources with Vite's dev server, the other hosts with tsx, which restarts them on changes. */
export const develop = async () => {
  await buildAgents()
  process.env.TEASEL_HOSTS = 'api,sign-in'
  const children = [tsx('watch', '--clear-screen=false', ...watched, 'server/main.ts'), tsx('server/dev.ts')]
  const end = (signal) => children.forEach((child) => child.kill(signal))
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => end(signal))
  await Promise.all(children.map((child) => new Promise((resolve) => child.once('exit', resolve))))
}
