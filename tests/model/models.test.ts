import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { AnyStateNode } from 'xstate'
import { afterAll, describe, expect, test } from 'vitest'
import { nodesOf, rowsOf, transitionsFrom } from '../../machines/rows'
import { tableIn } from '../../machines/table'
import { isTrue } from './behaviour/play'
import { type Chart, charts } from './charts'
import { mutantsOf } from './mutants'
import { challenge } from './random'
import { type Line, noteHeadless } from './report'
import { arrows, drive, paths } from './walk'
import { within } from '../support/machine-load'

const breaks = (attempt: () => void): boolean => {
  try {
    attempt()
    return false
  } catch {
    return true
  }
}

/** Whether the stories or the invariants fail; the seed makes the score the same in every run. */
const isFelt = ({ behaviour }: Chart, spoilt: Chart['model']) =>
  behaviour.stories.some((story) => !isTrue(spoilt, story)) || breaks(() => challenge(spoilt, behaviour.invariants, 100, 1))

const hasExit = (node: AnyStateNode): boolean =>
  transitionsFrom(node).some(({ target, reenter }) => target && (reenter || !target.includes(node))) ||
  (node.parent ? hasExit(node.parent) : false)

const lines: Line[] = []

describe.each(charts)('$name', (chart) => {
  const { model, folder, name } = chart
  const readme = readFileSync(`${folder}/README.md`, 'utf8')
  const walked = new Set<string>()
  const all = paths(model)
  const line: Line = {
    chart: name,
    states: nodesOf(model.machine.root).length - 1,
    transitions: arrows(model).length,
    paths: all.length,
    walked: 0,
    mutants: 0,
    killed: 0,
    felt: 0,
  }
  lines.push(line)

  // The table is written by hand: the only oracle that can detect a wrong transition.
  test('does what its README says', () => {
    expect(rowsOf(model.machine)).toEqual(tableIn(readme).map(({ from, on, when, to, does }) => ({ from, on, when, to, does })))
  })

  test.each(all.map((path) => [`${path.start}: ${path.title}`, path] as const))('%s', async (_, path) => {
    const taken = await drive(model, path, (live, foretold) => expect(live).toBe(foretold))
    for (const arrow of taken) walked.add(arrow)
  })

  test('every transition was taken', () => {
    const unwalked = arrows(model).filter((arrow) => !walked.has(arrow))
    line.walked = line.transitions - unwalked.length
    expect(unwalked).toEqual([])
  })

  test('every state that is not final can be left', () => {
    const ends = ['ended', 'succeeded', 'failed', 'excluded']
    const stuck = nodesOf(model.machine.root).filter(
      (node) =>
        node.type === 'atomic' &&
        node.parent?.type !== 'parallel' &&
        !node.tags.some((tag) => ends.includes(tag)) &&
        !hasExit(node),
    )
    expect(stuck.map(({ id }) => id)).toEqual([])
  })

  test('every mutation is detected, or its README says why not', { timeout: within(300_000) }, () => {
    const rows = rowsOf(model.machine)
    const faults = mutantsOf(model.machine).map(({ fault, inside, machine }) => {
      const felt = isFelt(chart, { ...model, machine })
      return { fault, felt, killed: felt || (!inside && !isDeepStrictEqual(rowsOf(machine), rows)) }
    })
    line.mutants = faults.length
    line.killed = faults.filter(({ killed }) => killed).length
    line.felt = faults.filter(({ felt }) => felt).length
    expect(faults.filter(({ killed, fault }) => !killed && !readme.includes(fault)).map(({ fault }) => fault)).toEqual([])
  })
})

test('at least 95 % of all mutations are detected', () => {
  const sum = (key: 'mutants' | 'killed') => lines.reduce((total, line) => total + line[key], 0)
  expect(sum('killed') / sum('mutants')).toBeGreaterThanOrEqual(0.95)
})

afterAll(() => noteHeadless(lines))
