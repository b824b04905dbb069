import { join } from 'node:path'
import { whenChanged } from './inputs.mjs'
import { publish } from './publish.mjs'
import { publishReference } from './reference.mjs'
import { root, runPackage, timed } from './run.mjs'

const tools = ['package-lock.json', 'vite.config.ts', 'tsconfig.json']
const shared = ['contract', ...tools]
const fresh = 'dist/console-fresh'

const vite = (...args) =>
  runPackage('vite/bin/vite.js', ['build', '--logLevel', 'warn', ...args], { env: { NODE_ENV: 'production' } })

const steps = {
  'the styles': {
    inputs: ['panda.config.ts', 'src/theme', 'package-lock.json'],
    outputs: ['styled-system/css/index.mjs'],
    work: () => runPackage('@pandacss/dev/bin.js', ['codegen', '--silent']),
  },
  'the route tree': {
    inputs: ['src/routes', 'tsr.config.json', 'package-lock.json'],
    outputs: ['src/route-tree.gen.ts'],
    work: () => runPackage('@tanstack/router-cli/bin/tsr.cjs', ['generate']),
  },
  'the console': {
    inputs: ['index.html', 'public', 'panda.config.ts', 'src', 'machines', ...shared],
    outputs: ['dist/console/index.html'],
    work: async () => {
      await vite('--outDir', fresh, '--emptyOutDir')
      await publish(join(root, fresh), join(root, 'dist/console'))
    },
  },
  'the server': {
    inputs: ['server', 'machines', ...shared],
    outputs: ['dist/server/main.mjs'],
    work: () => vite('--mode', 'server'),
  },
  'the agent': {
    inputs: ['agent', 'cli/keys', ...shared],
    outputs: ['dist/agent/teasel-agent.mjs'],
    work: () => vite('--mode', 'agent'),
  },
  'the command line': { inputs: ['cli', ...shared], outputs: ['dist/cli/teasel.mjs'], work: () => vite('--mode', 'cli') },
  'the API reference': {
    inputs: ['server/start/reference.mjs', 'package-lock.json'],
    outputs: ['dist/reference/viewer.js'],
    work: publishReference,
  },
  'the fleet': { inputs: ['agent', ...shared], outputs: ['dist/agent/fleet.mjs'], work: () => vite('--mode', 'fleet') },
}

const done = async (names) => {
  for (const name of names) {
    const { work, ...rest } = steps[name]
    const verb = name.startsWith('the styles') || name.startsWith('the route') ? 'Generating' : 'Building'
    await whenChanged(name.replaceAll(' ', '-'), rest, () => timed(`${verb} ${name}`, work))
  }
}

export const generate = () => done(['the styles', 'the route tree'])
export const buildAgents = () => done(['the agent', 'the command line', 'the fleet', 'the API reference'])
export const build = async () => {
  await done(['the console', 'the server'])
  await buildAgents()
}
