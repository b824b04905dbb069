import { readFile, writeFile } from 'node:fs/promises'
import type { AnyStateMachine } from 'xstate'
import { nodesOf, transitionsOf } from '../rows'
import { deviceUpdateMachine } from '../device-update/device-update.machine'
import { rolloutMachine } from '../rollout/rollout.machine'
import { fuseStepMachine } from '../secure-boot/fuse-step/fuse-step.machine'
import { secureBootMachine } from '../secure-boot/secure-boot.machine'
import { charts } from './charts'
import { drawnChart, layoutOf } from './layout'
import { picture } from './picture'

const nameOf = (folder: string) => folder.split('/').at(-1)!
const opening = '<!-- charts -->'
const closing = '<!-- /charts -->'

/** The first paragraph after the title of a chart's README. */
const paragraphOf = (readme: string) => readme.split('\n\n')[1] ?? ''

const drawnInConsole: readonly AnyStateMachine[] = [rolloutMachine, deviceUpdateMachine, secureBootMachine, fuseStepMachine]

const formatCount = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

type Page = { path: string; text: string }

/** All generated files with their content: the pictures, and the page that shows them all. */
export const pages = async (root: string): Promise<Page[]> => {
  const pictures = await Promise.all(
    charts.map(async ({ folder, machine }) => ({
      path: `${root}/${folder}/${nameOf(folder)}.svg`,
      text: await picture(`The states of ${nameOf(folder).replaceAll('-', ' ')}`, machine),
    })),
  )
  const sections = await Promise.all(
    charts.map(async ({ folder, machine }) => {
      const readme = await readFile(`${root}/${folder}/README.md`, 'utf8')
      const size = `${formatCount(nodesOf(machine.root).length - 1, 'state')}, ${formatCount(transitionsOf(machine).length, 'transition')}`
      return `## [${nameOf(folder).replaceAll('-', ' ')}](${folder}/README.md)\n\n${paragraphOf(readme)}\n\n![${nameOf(folder)}](${folder}/${nameOf(folder)}.svg)\n\n${size}.`
    }),
  )
  const readme = await readFile(`${root}/README.md`, 'utf8')
  const [before = '', rest = ''] = readme.split(opening)
  const after = rest.split(closing)[1] ?? ''
  // The console draws these with their present state, and does not contain the layout library.
  const layouts = await Promise.all(
    charts
      .filter(({ machine }) => drawnInConsole.includes(machine))
      .map(async ({ folder, machine }) => ({
        path: `${root}/${folder}/${nameOf(folder)}.layout.json`,
        text: `${JSON.stringify(drawnChart(await layoutOf(machine)))}\n`,
      })),
  )
  return [
    ...pictures,
    ...layouts,
    { path: `${root}/README.md`, text: `${before}${opening}\n${sections.join('\n\n')}\n${closing}${after}` },
  ]
}

export const refresh = async (root: string): Promise<string[]> => {
  const all = await pages(root)
  await Promise.all(all.map(({ path, text }) => writeFile(path, text)))
  return all.map(({ path }) => path)
}
