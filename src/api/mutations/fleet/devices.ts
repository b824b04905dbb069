import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { cancelCommand, sendCommand } from '../../../../contract/fleet/device-commands'
import {
  acceptDevice,
  clearQuarantine,
  decommissionDevice,
  deleteDevice,
  disableDevice,
  enableDevice,
  issueDeviceToken,
  moveDevice,
  rejectDevice,
  restoreDevice,
} from '../../../../contract/fleet/device-lifecycle'
import { askForAttributes } from '../../../../contract/fleet/device-reports'
import { createDevice, type Device, updateDevice } from '../../../../contract/fleet/devices'
import type { BodyOf } from '../../../../contract/core/endpoint'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'
import { rereadStale } from '../renewed'

const actions = {
  accept: acceptDevice,
  reject: rejectDevice,
  restore: restoreDevice,
  enable: enableDevice,
  disable: disableDevice,
  decommission: decommissionDevice,
  clearQuarantine,
} as const
export type DeviceAction = keyof typeof actions

/** The answer is the changed device; lists, counts and decisions that depend on it are requested again. */
const renew = async (client: QueryClient, device: Device) => {
  client.setQueryData(['device', device.id], device)
  await Promise.all(
    [
      ['devices', device.project_id],
      ['overview', device.project_id],
      ['device', device.id],
    ].map((queryKey) => client.invalidateQueries({ queryKey })),
  )
}

export const createDeviceMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof createDevice>>) =>
      api(createDevice, { projectId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (_made, _input, _kept, { client }) => client.invalidateQueries({ queryKey: ['devices', projectId] }),
  })

export const updateDeviceMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ device, body }: { device: Device; body: BodyOf<typeof updateDevice> }) =>
      api(updateDevice, { deviceId: device.id }, { body, ifMatch: device.revision }),
    onSettled: (_done, error, { device }, _kept, { client }) => rereadStale(client, error, ['device', device.id]),
    onSuccess: (device, _input, _kept, { client }) => renew(client, device),
  })

/** Actions without fields: `mutate({ device, action: 'accept' })`. */
export const deviceActionMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ device, action }: { device: Device; action: DeviceAction }) => api(actions[action], { deviceId: device.id }),
    onSuccess: (device, _input, _kept, { client }) => renew(client, device),
  })

export const deleteDeviceMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (device: Device) => api(deleteDevice, { deviceId: device.id }, { ifMatch: device.revision }),
    onSettled: (_done, error, device, _kept, { client }) => rereadStale(client, error, ['device', device.id]),
    onSuccess: (_done, device, _kept, { client }) => {
      client.removeQueries({ queryKey: ['device', device.id] })
      return Promise.all(
        [
          ['devices', device.project_id],
          ['overview', device.project_id],
        ].map((queryKey) => client.invalidateQueries({ queryKey })),
      )
    },
  })

/** The answer is the device in the other project, with a new id. */
export const moveDeviceMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ device, body }: { device: Device; body: BodyOf<typeof moveDevice> }) =>
      api(moveDevice, { deviceId: device.id }, { body, ifMatch: device.revision }),
    onSettled: (_done, error, { device }, _kept, { client }) => rereadStale(client, error, ['device', device.id]),
    onSuccess: async (moved, { device }, _kept, { client }) => {
      client.setQueryData(['device', moved.id], moved)
      await Promise.all(
        [device.project_id, moved.project_id].flatMap((projectId) =>
          ['devices', 'overview'].map((list) => client.invalidateQueries({ queryKey: [list, projectId] })),
        ),
      )
    },
  })

/** The answer contains a token that is never shown again: it stays with the dialog and out of the cache. */
export const issueDeviceTokenMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ device, body }: { device: Device; body: BodyOf<typeof issueDeviceToken> }) =>
      api(issueDeviceToken, { deviceId: device.id }, { body }),
    onSuccess: ({ device_token: _token, former_token_until: _until, ...device }, _input, _kept, { client }) =>
      renew(client, device),
  })

export const sendCommandMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof sendCommand>> & { deviceId: string }) =>
      api(sendCommand, { deviceId: input.deviceId }, { body: input.body, ...keyOf(input) }),
    onSettled: (_command, _error, { deviceId }, _kept, { client }) =>
      client.invalidateQueries({ queryKey: ['device', deviceId, 'commands'] }),
  })

/** Also after a refusal: the device has then fetched the command. */
export const cancelCommandMutation = (api: Api, deviceId: string) =>
  mutationOptions({
    mutationFn: (commandId: string) => api(cancelCommand, { deviceId, commandId }),
    onSettled: (_command, _error, _input, _kept, { client }) =>
      client.invalidateQueries({ queryKey: ['device', deviceId, 'commands'] }),
  })

export const askForAttributesMutation = (api: Api, deviceId: string) =>
  mutationOptions({
    mutationFn: () => api(askForAttributes, { deviceId }),
    onSuccess: (report, _input, _kept, { client }) => client.setQueryData(['device', deviceId, 'report'], report),
  })
