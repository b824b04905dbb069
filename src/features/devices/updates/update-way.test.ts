import { expect, it } from 'vitest'
import layout from '../../../../machines/device-update/device-update.layout.json'
import { boxesOf } from '../../../../machines/geometry'
import { updateStates } from '../../../../contract/device/update-events'
import { wayOf } from './update-way'

const drawn = layout.edges.map(({ id }) => id)
const reports = (...states: (string | null)[]) => states.map((to_state) => ({ to_state }))

it('every state of an update is a node of the drawn chart', () => {
  const nodes = boxesOf(layout).map(({ id }) => id)
  const lost = updateStates.filter((state) => !wayOf([], state).lit.some((id) => id.endsWith(`.${state}`) && nodes.includes(id)))
  expect(lost).toEqual([])
})

it('the way of an attempt follows its reports along arrows of the drawn chart', () => {
  const way = wayOf(reports('offered', 'downloading', null, 'downloading', 'downloaded', 'verifying', 'failed'), 'failed')
  expect(way.lit).toEqual(['deviceUpdate.failed'])
  expect(way.walked.filter((edge) => !drawn.includes(edge))).toEqual([])
  expect(way.walked).toHaveLength(5)
  expect(way.last).toEqual([way.walked.at(-1)])
})

it('shows the state of the server where it is not that of the last report', () => {
  const way = wayOf(reports('offered', 'downloading'), 'held')
  expect(way.lit).toEqual(['deviceUpdate.open', 'deviceUpdate.open.held'])
  expect(way.last).toEqual([])
})

it('has no active node in a state that it does not know', () => {
  expect(wayOf(reports('offered', 'teleporting'), 'teleporting').lit).toEqual([])
})
