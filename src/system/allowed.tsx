import type { ReactNode } from 'react'
import type { Permission } from '../../contract/permissions'
import { useAllowed } from './grants'

/** For what the specification hides. What stays in sight but disabled is a `Button` with `refused={useRefusal(…)}`. */
export const Allowed = ({ needs, children }: { needs: Permission[]; children: ReactNode }) =>
  useAllowed(...needs) ? children : null
