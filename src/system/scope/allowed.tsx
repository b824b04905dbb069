import type { ReactNode } from 'react'
import type { Permission } from '../../../contract/core/permissions'
import { useAllowed } from './grants'

/** For controls that the specification hides. A visible but disabled one is a `Button` with `refused={useRefusal(…)}`. */
export const Allowed = ({ needs, children }: { needs: Permission[]; children: ReactNode }) =>
  useAllowed(...needs) ? children : null
