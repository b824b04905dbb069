import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { selfQuery } from '../api/queries/accounts/self'
import { useSystem } from './system'

/** The features that are being tested, with their names. They only show pages and grant no permission (R20). */
export const experiments = ['Compare releases']

/** Shown by `experimental=true` in the address (§1), or always to an account in the experimental channel. */
export const useExperiments = (): boolean => {
  const { api } = useSystem()
  const { experimental } = useSearch({ strict: false })
  const { data: user } = useQuery(selfQuery(api))
  return experimental === 'true' || user?.feature_channel === 'experimental'
}
