import { createFileRoute, redirect } from '@tanstack/react-router'
import { notify } from '../system/failure/notify'

/** §2: unknown paths redirect to /organizations; R21: with a notice. */
export const Route = createFileRoute('/$')({
  beforeLoad: ({ preload }) => {
    if (!preload) void notify({ kind: 'info', text: 'That page does not exist' })
    throw redirect({ to: '/organizations', search: true, replace: true })
  },
})
