import { queryOptions } from '@tanstack/react-query'
import { bundleDevices, deviceSecureBoot } from '../../../../contract/updates/secure-boot/devices'
import type { Api } from '../../client'

/** What a device reports about its secure boot, and how that differs from its bundle. */
export const deviceSecureBootQuery = (api: Api, deviceId: string) =>
  queryOptions({
    queryKey: ['device', deviceId, 'secure-boot'],
    queryFn: ({ signal }) => api(deviceSecureBoot, { deviceId }, { signal }),
  })

export const bundleDevicesQuery = (api: Api, bundleId: string) =>
  queryOptions({
    queryKey: ['bundle', bundleId, 'devices'],
    queryFn: ({ signal }) => api(bundleDevices, { bundleId }, { signal }),
  })
