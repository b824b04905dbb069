import { expect, it } from 'vitest'
import type { HardwareModel } from '../../../contract/fleet/hardware-models'
import { standardClient } from '../../../contract/ddi/model-client'
import type { Project } from '../../../contract/accounts/projects'
import { withFormer, withModel } from './model-change'

const model = (id: string, name = id): HardwareModel => ({
  id,
  name,
  platform: 'linux',
  slots: 'single',
  client: { ...standardClient, boards: [] },
})
const project = (...models: HardwareModel[]) => ({ settings: { hardware_models: models } }) as unknown as Project

it('a changed field of a hardware model is the only one that changes, of this model and of the others', () => {
  const now = project({ ...model('gw'), platform: 'nxp-hab' }, model('cam', 'Camera'))
  expect(withModel(now, model('gw'), { name: 'Gateway', 'client.kind': 'rauc' })).toEqual([
    { ...model('gw', 'Gateway'), platform: 'nxp-hab', client: { ...standardClient, kind: 'rauc' } },
    model('cam', 'Camera'),
  ])
})

it('a changed hardware model that was removed meanwhile returns with the change', () =>
  expect(withModel(project(model('cam')), model('gw'), { name: 'Gateway' })).toEqual([model('cam'), model('gw', 'Gateway')]))

it('a new hardware model never replaces one that another person has added under its id', () =>
  expect(withModel(project(model('gw', 'Theirs')), undefined, { ...model('gw', 'Mine') }).map(({ name }) => name)).toEqual([
    'Theirs',
    'Mine',
  ]))

it('Undo of a hardware model leaves the other models as they are', () => {
  const before = project(model('gw'))
  const theirs = model('cam', 'Theirs')
  expect(withFormer(project(model('gw', 'Changed'), theirs), 'gw', before)).toEqual([model('gw'), theirs])
  expect(withFormer(project(theirs), 'gw', before)).toEqual([theirs, model('gw')])
  expect(withFormer(project(model('gw'), theirs), 'cam', before)).toEqual([model('gw')])
})
