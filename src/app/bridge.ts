import { titles } from '../../contract/core/errors'
import { failureOf } from '../api/failure'
import { permissionsQuery } from '../api/queries/accounts/permissions'
import { reloadOnce } from '../system/page/chunk-reload'
import { focusHeadingOfPage } from '../system/page/focus-heading'
import { closeErrors, notify } from '../system/failure/notify'
import { type Scope, scopeToPath } from '../system/scope/scope'
import type { System } from '../system/system'
import type { ConsoleRouter } from './router'

/** The only file in which charts navigate, notify or reload. */
export const bridge = (system: System, router: ConsoleRouter) => {
  const { api, queryClient, auth, organization, chunkReload, handOver, environment, firstPage, modals } = system
  router.subscribe('onRendered', firstPage.drawn)
  // At once: later it would take the focus from what a person has opened since.
  router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
    if (pathChanged && fromLocation !== undefined) focusHeadingOfPage(modals)
  })
  // §4 Modals: a dialog and the errors of a page are closed when the page changes.
  router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
    if (!pathChanged) return
    modals.actor?.send({ type: 'modals.closed' })
    closeErrors()
  })

  const openProjects = (scope: Scope, replace: boolean) =>
    router.navigate({
      to: '/organizations/$organizationId/projects',
      params: { organizationId: scopeToPath(scope) },
      search: true,
      replace,
    })

  // After signing in, the user returns to the requested path and query.
  auth.on('signIn.returned', () => router.history.replace(handOver.wanted()))
  // T-27: another user signed in from another tab; the content of this page was loaded with the previous user's rights.
  let opened = false
  auth.on('session.opened', () => {
    if (opened) void router.invalidate()
    opened = true
  })
  auth.on('signIn.left', ({ automatic }) => handOver.leave(automatic))

  organization.on('organization.opened', ({ scope }) => void openProjects(scope, false))
  /** How a user can resolve the refusal themselves, if they can. */
  const wayBack = (lost: Scope) => {
    const failure = failureOf(queryClient.getQueryState(permissionsQuery(api, lost).queryKey)?.error)
    if (failure?.code !== 'second_factor_required') return {}
    const onClick = () => void router.navigate({ to: '/account/settings/security', search: true })
    return { detail: failure.message, action: { label: 'Security', onClick } }
  }
  organization.on('organization.lost', ({ lost, scope }) => {
    void notify({ kind: 'warning', text: titles.organizationLost, ...wayBack(lost) })
    void openProjects(scope, true)
  })

  chunkReload.on('reload.announced', () => void notify({ kind: 'info', text: titles.newVersion }))
  chunkReload.on('reload.due', () => reloadOnce(window, environment.build))
}
