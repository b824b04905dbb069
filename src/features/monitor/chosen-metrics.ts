import { useQuery } from '@tanstack/react-query'
import { selfQuery } from '../../api/queries/accounts/self'
import { fleetMetrics } from '../../../contract/fleet/fleet-metrics'
import { storageKeys } from '../../lib/storage-keys'
import { useSystem } from '../../system/system'

/** More series than a chart request may have would follow. */
export const mostMetrics = 8

const parse = (text: string | null | undefined): string[] | undefined => {
  const names = [...new Set(text?.split(',').filter((name) => /^[a-z][a-z0-9_.]{0,62}$/.test(name)))].slice(0, mostMetrics)
  return names.length > 0 ? names : undefined
}

const stored = (key: string | undefined) => {
  try {
    return key === undefined ? null : localStorage.getItem(key)
  } catch {
    return null
  }
}

/**
 * The metrics on Monitor: those in the address, otherwise those that this user chose last for the project in this browser,
 * otherwise the usual ones.
 */
export const useChosenMetrics = (projectId: string, inAddress: string | undefined) => {
  const { data: user } = useQuery(selfQuery(useSystem().api))
  const key = user && `${storageKeys.monitorMetrics}.${user.id}.${projectId}`
  const names = parse(inAddress) ?? parse(stored(key)) ?? fleetMetrics.map(({ name }) => name)
  const remember = (chosen: readonly string[]) => {
    try {
      if (key !== undefined) localStorage.setItem(key, chosen.join())
    } catch {
      // Storage is full or blocked: the address still has them.
    }
  }
  return { names, remember }
}
