import { readFile, writeFile } from 'node:fs/promises'
import { nodesOf, transitionsOf } from '../rows'
import { picture } from './picture'
import { charts } from './charts'

const nameOf = (room: string) => room.split('/').at(-1)!
const opening = '<!-- charts -->'
const closing = '<!-- /charts -->'

/** The first paragraph after the title of a chart's README. */
const paragraphOf = (readme: string) => readme.split('\n\n')[1] ?? ''

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`

type Page = { path: string; text: string }

/** All generated files with their content: the pictures, and the page that shows them all. */
export const pages = async (root: string): Promise<Page[]> => {
  const pictures = await Promise.all(
    charts.map(async ({ room, machine }) => ({
      path: `${root}/${room}/${nameOf(room)}.svg`,
      text: await picture(`The states of ${nameOf(room).replaceAll('-', ' ')}`, machine),
    })),
  )
  const sections = await Promise.all(
    charts.map(async ({ room, machine }) => {
      const readme = await readFile(`${root}/${room}/README.md`, 'utf8')
      const size = `${counted(nodesOf(machine.root).length - 1, 'state')}, ${counted(transitionsOf(machine).length, 'arrow')}`
      return `## [${nameOf(room).replaceAll('-', ' ')}](${room}/README.md)\n\n${paragraphOf(readme)}\n\n![${nameOf(room)}](${room}/${nameOf(room)}.svg)\n\n${size}.`
    }),
  )
  const readme = await readFile(`${root}/README.md`, 'utf8')
  const [before = '', rest = ''] = readme.split(opening)
  const after = rest.split(closing)[1] ?? ''
  return [...pictures, { path: `${root}/README.md`, text: `${before}${opening}\n${sections.join('\n\n')}\n${closing}${after}` }]
}

export const refresh = async (root: string): Promise<string[]> => {
  const all = await pages(root)
  await Promise.all(all.map(({ path, text }) => writeFile(path, text)))
  return all.map(({ path }) => path)
}
