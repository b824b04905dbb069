import { afterEach, describe, expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { SessionGate } from '../../../src/features/session/session-gate'
import { OfflineBanner } from '../../../src/features/shell/offline-banner'
import { missing } from '../../../src/system/page/lazy'
import { makeSystem, mount } from './system'

const token = `ses_${'a'.repeat(49)}`
const inside = <h1>The page</h1>

afterEach(() => {
  localStorage.clear()
  sessionStorage.clear()
})

describe('the gate before every page', () => {
  it('keeps the token and offers to try again when the API host gives no answer', async () => {
    localStorage.setItem('session_token', token)
    const system = makeSystem()
    mount(system, <SessionGate>{inside}</SessionGate>)
    system.auth.start()
    await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible()
    await expect.element(page.getByText('An error occurred, please try again later.', { exact: true })).toBeVisible()
    expect(localStorage.getItem('session_token')).toBe(token)
    expect(page.getByText('The page').query()).toBeNull()
  })

  it('says that it redirects to sign-in, and redirects once, when there is no token', async () => {
    const system = makeSystem()
    let left = 0
    system.auth.on('signIn.left', () => (left += 1))
    mount(system, <SessionGate>{inside}</SessionGate>)
    system.auth.start()
    await expect.element(page.getByText('Redirecting to sign-in...', { exact: true })).toBeVisible()
    for (let n = 0; n < 10; n += 1)
      system.refused({ status: 401, sessionTag: 'aaaaaa', handledBy: undefined, organizationId: undefined })
    await expect.poll(() => left).toBe(1)
  })

  it('shows the new version before anything else (§8)', async () => {
    const system = makeSystem()
    mount(system, <SessionGate>{inside}</SessionGate>)
    system.chunkReload.start()
    window.dispatchEvent(new Event(missing))
    await expect.element(page.getByRole('heading', { name: 'Updating application…', exact: true })).toBeVisible()
  })

  it('defers the new version while work would be lost (R11)', () => {
    const system = makeSystem()
    system.chunkReload.start()
    system.work.note('form', true)
    window.dispatchEvent(new Event(missing))
    expect(system.chunkReload.getSnapshot().hasTag('deferred')).toBe(true)
    system.work.note('form', false)
    expect(system.chunkReload.getSnapshot().hasTag('updating')).toBe(true)
  })
})

it('shows the exact text of §1 while offline', async () => {
  const system = makeSystem()
  mount(system, <OfflineBanner />)
  system.connection.start()
  window.dispatchEvent(new Event('offline'))
  await expect
    .element(
      page.getByText('It appears that you are offline. Please reconnect if you are trying to access the control center.', {
        exact: true,
      }),
    )
    .toBeVisible()
  window.dispatchEvent(new Event('online'))
  await expect.element(page.getByRole('status')).not.toBeInTheDocument()
})
