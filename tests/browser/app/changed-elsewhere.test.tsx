import { useMutation } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRoute, createRouter, Outlet, RouterProvider } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import { createAccessRequest } from '../../../contract/accounts/access-requests'
import { projectAuditLog } from '../../../contract/accounts/audit'
import { memberPermissions } from '../../../contract/accounts/organizations'
import { project } from '../../../contract/accounts/projects'
import type { Endpoint } from '../../../contract/core/endpoint'
import type { Permission } from '../../../contract/core/permissions'
import { rejectDevice } from '../../../contract/fleet/device-lifecycle'
import { type Device, device as readDevice, devices } from '../../../contract/fleet/devices'
import type { Api } from '../../../src/api/client'
import { ApiError } from '../../../src/api/failure'
import { deviceActionMutation } from '../../../src/api/mutations/fleet/devices'
import { createQueryClient } from '../../../src/api/query-client'
import DevicePage from '../../../src/features/devices/device-page'
import { RefusedControls } from '../../../src/features/shell/refused-controls'
import { createModals } from '../../../src/system/modals/modals'
import { useRefusal } from '../../../src/system/scope/grants'
import { useSystem } from '../../../src/system/system'
import { Button } from '../../../src/ui/button'
import { Toaster } from '../../../src/ui/overlay/toast'
import { makeSystem, mount } from './system'

const organizationId = 'org_hedgerow0001'
const projectId = '01K0000000000000000000PRJ1'
const list = '/organizations/$organizationId/projects/$projectId/devices/list'
const at = `/organizations/${organizationId}/projects/${projectId}/devices/list`

const refusal = (status: number, code: string, message: string) =>
  new ApiError({
    status,
    code,
    message,
    details: [],
    requestId: 'request-1',
    requiredPermission: undefined,
    requiredPlan: undefined,
    retryAfterS: undefined,
    about: undefined,
  })

type Answers = ReadonlyMap<Endpoint, () => unknown>

/** A page of a device on the query client of the console, with a server that answers these endpoints, and no others. */
const open = (component: () => ReactNode, answers: Answers) => {
  const api = (async (endpoint: Endpoint) => {
    const answer = answers.get(endpoint)
    if (!answer) throw refusal(500, 'internal', `no answer for ${endpoint.path}`)
    return answer()
  }) as unknown as Api // Implements only these endpoints.
  const top = createRootRoute({ component: () => <Outlet /> })
  const route = createRoute({ getParentRoute: () => top, path: `${list}/$deviceId`, component })
  const router = createRouter({
    routeTree: top.addChildren([route]),
    history: createMemoryHistory({ initialEntries: [`${at}/d1`] }),
  })
  const system = makeSystem(createQueryClient())
  const modals = createModals()
  system.modals.actor = modals
  onTestFinished(() => modals.stop())
  mount(
    { ...system, api },
    <>
      {/* It has other routes than the router of the console. */}
      <RouterProvider router={router as never} />
      <Toaster />
    </>,
  )
  return system
}

const grants = (...permissions: Permission[]) => ({ permissions, baseRole: 'viewer' })

const device = { id: 'd1', project_id: projectId, revision: 1, name: 'gw-1', lifecycle: 'pending' } as unknown as Device // The fields that are read.

const Reject = () => {
  const { api } = useSystem()
  const { mutate, isPending } = useMutation(deviceActionMutation(api))
  return (
    <>
      <Button
        refused={useRefusal('project:manage_devices')}
        disabled={isPending}
        onClick={() => mutate({ device, action: 'reject' })}
      >
        Reject
      </Button>
      <RefusedControls />
    </>
  )
}
const reject = () => page.getByRole('button', { name: 'Reject' })

it('a permission that was given elsewhere is known after a person asks for it, and the question closes with the answer', async () => {
  let answer = grants('device:view')
  const asked = vi.fn<() => never>(() => {
    throw refusal(409, 'already_held', 'Your role has this permission already')
  })
  open(
    Reject,
    new Map<Endpoint, () => unknown>([
      [memberPermissions, () => answer],
      [createAccessRequest, asked],
    ]),
  )
  await expect.element(reject()).toHaveAttribute('aria-disabled', 'true')
  answer = grants('device:view', 'project:manage_devices')
  await reject().click({ force: true })
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Ask', exact: true }).click()
  await expect.element(page.getByText('Your role has this permission already')).toBeVisible()
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(reject()).not.toHaveAttribute('aria-disabled', 'true')
  expect(asked).toHaveBeenCalledOnce()
})

it('a permission that was taken away elsewhere is known after the next refusal: the control is refused then', async () => {
  let answer = grants('device:view', 'project:manage_devices')
  open(
    Reject,
    new Map<Endpoint, () => unknown>([
      [memberPermissions, () => answer],
      [
        rejectDevice,
        () => {
          throw refusal(403, 'forbidden', 'Needs “manage devices”. Roles that have it: owner, admin')
        },
      ],
    ]),
  )
  await expect.element(reject()).toBeEnabled()
  await expect.element(reject()).not.toHaveAttribute('aria-disabled', 'true')
  answer = grants('device:view')
  await reject().click()
  await expect.element(reject()).toHaveAttribute('aria-disabled', 'true')
})

const pending = {
  ...device,
  created_at: '2026-06-01T10:00:00+00:00',
  updated_at: '2026-06-01T10:00:00+00:00',
  serial_number: 'SN-1',
  hardware_model: 'gw',
  protocol: 'native',
  connectivity: 'online',
  first_seen_at: '2026-06-01T10:00:00+00:00',
  last_seen_at: '2026-06-01T10:00:00+00:00',
  next_check_in_at: null,
  polling_interval_s: null,
  token_sharing: null,
  installed: null,
  installed_revoked: null,
  update: null,
  updates_enabled: true,
  updates_paused_until: null,
  quarantine: null,
  tags: [],
  attributes: {},
  metadata: {},
  trusted_keys: [],
  secure_boot: { state: 'unknown', rollback_version: null },
  health: { status: 'unknown', reasons: [] },
  client: null,
  notes: '',
  deleted_at: null,
} as unknown as Device // The fields that are read.
const entry = { action: 'device.delete', occurred_at: '2026-06-01T11:00:00+00:00', actor: { kind: 'user', name: 'Ana Ruiz' } }

/** The page of a pending device that another person takes away while it is open. */
const openDevice = (deleted: readonly unknown[], entries: readonly unknown[]) => {
  let isGone = false
  const gone = () => {
    throw refusal(404, 'not_found', 'The Requested Resource Cannot Be Found')
  }
  const system = open(
    DevicePage,
    new Map<Endpoint, () => unknown>([
      [memberPermissions, () => grants('device:view', 'project:manage_devices', 'project:view_audit_log')],
      [readDevice, () => (isGone ? gone() : pending)],
      [project, () => ({ id: projectId, settings: { polling_interval_s: 300 } })],
      [devices, () => ({ devices: deleted, next_cursor: null, total: deleted.length, facets: {} })],
      [projectAuditLog, () => ({ entries, next_cursor: null, total: entries.length })],
      [rejectDevice, gone],
    ]),
  )
  return { takeAway: (now: boolean) => void (isGone = now), system }
}
const pressReject = async () => {
  await reject().click()
  const question = page.getByRole('alertdialog')
  await question.getByRole('button', { name: 'Reject', exact: true }).click()
}

it('a device that somebody deleted says by whom and until when it can be restored, and has no controls, until it is restored', async () => {
  const { takeAway, system } = openDevice([{ ...pending, deleted_at: '2026-06-01T11:00:00+00:00' }], [entry])
  await expect.element(reject()).toBeVisible()
  takeAway(true)
  await pressReject()
  const alert = page.getByRole('alert')
  await expect
    .element(alert)
    .toHaveTextContent(/^gw-1 was deleted by Ana Ruiz on 06\/01\/2026 .{8}\. It can be restored until 07\/01\/2026 .{8}\./)
  await expect.element(alert.getByRole('link', { name: 'Deleted Devices' })).toHaveAttribute('href', `${at}/deleted`)
  await expect.element(page.getByRole('heading', { level: 1, name: 'gw-1' })).toBeVisible()
  const isOfPage = (control: Element) => control.closest('[data-scope=toast]') === null
  expect(page.getByRole('button').elements().filter(isOfPage)).toEqual([])
  await expect.element(page.getByRole('navigation', { name: 'Device', exact: true })).not.toBeInTheDocument()
  expect(alert.elements()).toHaveLength(1)
  takeAway(false)
  await system.queryClient.invalidateQueries({ queryKey: ['device', 'd1'] })
  await expect.element(reject()).toBeVisible()
  await expect.element(alert).not.toBeInTheDocument()
})

it('a device that was moved away while its page was open says so, and leads to the list', async () => {
  const { takeAway } = openDevice([], [{ ...entry, action: 'device.move' }])
  await expect.element(reject()).toBeVisible()
  takeAway(true)
  await pressReject()
  const alert = page.getByRole('alert')
  await expect.element(alert).toHaveTextContent(/^gw-1 was moved to another project by Ana Ruiz on 06\/01\/2026/)
  await expect.element(alert.getByRole('link', { name: 'Devices' })).toHaveAttribute('href', at)
  await expect.element(alert.getByRole('link', { name: 'Deleted Devices' })).not.toBeInTheDocument()
})
