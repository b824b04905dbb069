import { focusManager, MutationObserver, onlineManager, type QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError, refused, unanswered } from './failure'
import { createQueryClient, retryDelay, retryOn } from './query-client'

const refusal = (status: number, retryAfterS?: number) =>
  new ApiError({
    status,
    code: 'x',
    message: 'x',
    details: [],
    requestId: undefined,
    requiredPermission: undefined,
    requiredPlan: undefined,
    retryAfterS,
    about: undefined,
  })

describe('R2 which requests are retried', () => {
  const shouldRetry = retryOn()
  it.each([0, 1])('no answer: after failure %d, another try', (failed) =>
    expect(shouldRetry(failed, unanswered('network_error', null))).toBe(true),
  )
  it('no answer: at most two more', () => expect(shouldRetry(2, unanswered('network_error', null))).toBe(false))
  it.each([400, 401, 403, 404, 409, 412, 422, 500, 502, 504])('%d never', (status) =>
    expect(shouldRetry(0, refusal(status))).toBe(false),
  )
  it.each([429, 503])('%d by Retry-After', (status) => {
    expect(shouldRetry(0, refusal(status, 3))).toBe(true)
    expect(shouldRetry(2, refusal(status, 3))).toBe(false)
    expect(retryDelay(0, refusal(status, 3), () => 0)).toBe(3000)
  })
  it('does not wait for minutes', () => expect(shouldRetry(0, refusal(429, 600))).toBe(false))
  it('never retries after an error of the client', () => expect(shouldRetry(0, new TypeError('x'))).toBe(false))
  it('spreads the retries of many tabs', () => expect(retryDelay(1, unanswered('timeout', null), () => 1)).toBe(3000))
})

describe('§7 a list of retry codes', () => {
  const tries = async (status: number, own: { retry?: ReturnType<typeof retryOn> }) => {
    let asked = 0
    const client = createQueryClient()
    const queryFn = () => {
      asked += 1
      return Promise.reject(refusal(status))
    }
    const observer = new QueryObserver(client, { queryKey: ['job'], queryFn, retryDelay: 0, ...own })
    const ended = new Promise<void>((resolve) => {
      observer.subscribe(({ fetchStatus, status: now }) => now === 'error' && fetchStatus === 'idle' && resolve())
    })
    await ended
    client.clear()
    return asked
  }
  beforeEach(() => void vi.stubGlobal('window', new EventTarget()))
  afterEach(() => void vi.unstubAllGlobals())

  it.each([
    ['409 is not asked again by itself', 409, {}, 1],
    ['409 is where the query lists it', 409, { retry: retryOn([409]) }, 3],
    ['503 is asked again by itself', 503, {}, 3],
    ['503 is not where the query lists others', 503, { retry: retryOn([409]) }, 1],
    ['nor where it lists none', 503, { retry: retryOn([]) }, 1],
  ])('%s', async (_, status, own, wanted) => expect(await tries(status, own)).toBe(wanted))

  it.each([unanswered('network_error', null), refusal(503, 1)])(
    'R2: a change is never sent again by itself (%s)',
    async (error) => {
      let sent = 0
      const mutationFn = () => {
        sent += 1
        return Promise.reject(error)
      }
      await expect(new MutationObserver(createQueryClient(), { mutationFn, retryDelay: 0 }).mutate()).rejects.toBe(error)
      expect(sent).toBe(1)
    },
  )
})

describe('§9 the query cache', () => {
  const minute = 60_000
  const key = { queryKey: ['projects'] }
  let line: EventTarget
  let client: QueryClient
  let asked: number
  const query = { ...key, queryFn: () => Promise.resolve((asked += 1)) }
  const moment = (ms: number) => vi.advanceTimersByTimeAsync(ms)
  /** Mounts and unmounts a page that shows the query. */
  const look = () => new QueryObserver(client, query).subscribe(() => {})

  beforeEach(() => {
    vi.useFakeTimers()
    line = new EventTarget()
    vi.stubGlobal('window', line)
    asked = 0
    client = createQueryClient()
    client.mount()
  })
  afterEach(() => {
    client.clear()
    client.unmount()
    focusManager.setFocused(undefined)
    onlineManager.setOnline(true)
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })

  it('is fresh for 5 minutes: a page that shows the data again requests it only after that', async () => {
    look()()
    await moment(5 * minute - 1)
    look()()
    await moment(0)
    expect(asked).toBe(1)
    await moment(1)
    look()()
    await moment(0)
    expect(asked).toBe(2)
  })

  it('is kept for 10 minutes after the last page that showed it', async () => {
    const leave = look()
    await moment(60 * minute)
    leave()
    await moment(10 * minute - 1)
    expect(client.getQueryData(key.queryKey)).toBe(1)
    await moment(1)
    expect(client.getQueryData(key.queryKey)).toBeUndefined()
  })

  it('is not refetched when the window gets the focus, regardless of its age', async () => {
    const leave = look()
    await moment(60 * minute)
    focusManager.setFocused(false)
    focusManager.setFocused(true)
    await moment(minute)
    expect(asked).toBe(1)
    leave()
  })

  it('is refetched within two seconds when the connection returns and the data is stale', async () => {
    const leave = look()
    await moment(minute)
    const lose = async () => {
      line.dispatchEvent(new Event('offline'))
      await moment(0)
      line.dispatchEvent(new Event('online'))
      await moment(2000)
    }
    await lose()
    expect(asked).toBe(1)
    await moment(5 * minute)
    await lose()
    expect(asked).toBe(2)
    leave()
  })
})

it.each([
  [unanswered('network_error', undefined), true],
  [refused(new Response('', { status: 504 }), undefined), true],
  [refusal(403), true],
  [refusal(404), true],
  [refusal(409), true],
  [refusal(410), true],
  [refusal(412), true],
  [refusal(402), false],
  [refusal(422), false],
  [refusal(429), false],
])(
  'what was read is read again after a change whose answer was lost, or whose refusal contradicts it: %o',
  async (error, isRead) => {
    vi.stubGlobal('window', new EventTarget())
    const client = createQueryClient()
    client.setQueryData(['projects'], [])
    const change = new MutationObserver(client, { mutationFn: () => Promise.reject(error) })
    await expect(change.mutate()).rejects.toBe(error)
    expect(client.getQueryState(['projects'])?.isInvalidated).toBe(isRead)
  },
)
