import { mutationOptions } from '@tanstack/react-query'
import type { BodyOf } from '../../../../contract/core/endpoint'
import { createLogSummary } from '../../../../contract/fleet/log-summaries'
import type { Api } from '../../client'

export const createLogSummaryMutation = (api: Api, deviceId: string) =>
  mutationOptions({
    mutationFn: (body: BodyOf<typeof createLogSummary>) => api(createLogSummary, { deviceId }, { body }),
    onSuccess: (_made, _body, _kept, { client }) => client.invalidateQueries({ queryKey: ['device', deviceId, 'log-summaries'] }),
  })
