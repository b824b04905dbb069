import { mutationOptions } from '@tanstack/react-query'
import { type ClientConfigForm, createClientConfig } from '../../../../contract/fleet/client-configs'
import { checkDeviceConfig, createDeviceConfig, type DeviceConfigForm } from '../../../../contract/fleet/configs'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'

/** The answer contains a token that is never shown again: it stays with the page and out of the cache. */
export const createDeviceConfigMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<DeviceConfigForm>) => api(createDeviceConfig, { projectId }, { body: input.body, ...keyOf(input) }),
    gcTime: 0,
    onSuccess: (_config, _input, _kept, { client }) => client.invalidateQueries({ queryKey: ['enrollment-tokens', projectId] }),
  })

/** As above, for the files of hawkBit clients. */
export const createClientConfigMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<ClientConfigForm>) => api(createClientConfig, { projectId }, { body: input.body, ...keyOf(input) }),
    gcTime: 0,
    onSuccess: (_config, _input, _kept, { client }) => client.invalidateQueries({ queryKey: ['enrollment-tokens', projectId] }),
  })

export const checkDeviceConfigMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (config: Record<string, unknown>) => api(checkDeviceConfig, { projectId }, { body: { config } }),
  })
