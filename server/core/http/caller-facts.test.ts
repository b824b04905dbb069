import { expect, it } from 'vitest'
import { standardSettings } from '../../accounts/projects/settings'
import type { DeviceActor } from './actors'
import { withFacts } from './caller-facts'

it('the facts of a calling device are given once, so that a second try reads them again', () => {
  const caller = { kind: 'device', id: '1', projectId: '2', auditChainId: '3', name: 'device', tokenHash: '4' } as const
  const device: DeviceActor = { ...caller, settings: standardSettings }
  const { takeFacts, ...known } = withFacts(device, 'facts')
  expect(known).toEqual(device)
  expect([takeFacts(), takeFacts()]).toEqual(['facts', undefined])
})
