import { Suspense, useEffect, useState } from 'react'
import { type Permission, permissions, permissionWords } from '../../../contract/core/permissions'
import { lazyPart } from '../../system/page/lazy'
import { useRouteScope } from '../../system/scope/scope'

const AskDialog = lazyPart(() => import('../../system/scope/ask-for-access').then((part) => part.AskDialog))

/** The permission named by the text of `useRefusal` on a disabled control. */
const permissionOf = (control: Element | null): Permission | undefined => {
  const described = document.getElementById(control?.getAttribute('aria-describedby') ?? '')
  const words = /Needs “([^”]+)”/.exec((described ?? control)?.textContent ?? '')?.[1]
  return permissions.find((permission) => permissionWords(permission) === words)
}

/**
 * A press on a control that is disabled for want of a permission asks for it, in the organization of the route or of the control's
 * `data-organization`.
 */
export const RefusedControls = () => {
  const { scope, projectId } = useRouteScope()
  const [asked, setAsked] = useState<{ permission: Permission; organizationId: string }>()
  useEffect(() => {
    const ask = ({ target }: MouseEvent) => {
      const control = target instanceof Element ? target.closest('[aria-disabled=true], label:has(:disabled)') : null
      const permission = permissionOf(control)
      const organizationId = control?.getAttribute('data-organization') ?? scope
      if (permission !== undefined && organizationId) setAsked({ permission, organizationId })
    }
    document.addEventListener('click', ask)
    return () => document.removeEventListener('click', ask)
  }, [scope])
  if (asked === undefined) return null
  return (
    <Suspense>
      <AskDialog {...asked} projectId={projectId} onClose={() => setAsked(undefined)} />
    </Suspense>
  )
}
