import { titles } from '../../contract/errors'
import { failureOf } from '../api/failure'
import { permissionsQuery } from '../api/queries/permissions'
import { reloadOnce } from '../system/chunk-reload'
import { closeErrors, notify } from '../system/notify'
import { type Scope, scopeToPath } from '../system/scope'
import type { System } from '../system/system'
import type { ConsoleRouter } from './router'

/** The only file where charts move the router, notify or reload. */
export const bridge = (system: System, router: ConsoleRouter) => {
  const { api, queryClient, auth, organization, chunkReload, handOver, environment, firstPage, modals } = system
  router.subscribe('onRendered', firstPage.drawn)
  // §4 Modals: what was opened over a page goes with it, and so does what failed there.
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

  // §4.2 of the product: the path and query asked for are where the user lands.
  auth.on('signIn.returned', () => router.history.replace(handOver.wanted()))
  // T-27: somebody else signed in from another tab; what stands here was entered with the rights of the one before.
  let opened = false
  auth.on('session.opened', () => {
    if (opened) void router.invalidate()
    opened = true
  })
  auth.on('signIn.left', ({ automatic }) => handOver.leave(automatic))

  organization.on('organization.opened', ({ scope }) => void openProjects(scope, false))
  /** Whoever can mend the refusal themselves is told how. */
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
