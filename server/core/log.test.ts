import { expect, it } from 'vitest'
import { createLog } from './log'

const logged = (write: (log: ReturnType<typeof createLog>) => void) => {
  const lines: string[] = []
  write(createLog('info', { write: (line) => void lines.push(line) }))
  return lines.join('')
}

const secret = 'Zq7Xv3Kp9Lm2Nw8Bt4Ch6Jd1Fg5Rs0TyUoIaEeQqWwYyUu123456'

it.each([
  ['a token in a text', (log: ReturnType<typeof createLog>) => log.info(`refused ses_${secret}`)],
  ['a session header', (log: ReturnType<typeof createLog>) => log.info({ req: { headers: { 'x-session-token': secret } } })],
  [
    'an authorization header',
    (log: ReturnType<typeof createLog>) => log.info({ headers: { authorization: `Bearer ${secret}` } }),
  ],
  ['a password in a body', (log: ReturnType<typeof createLog>) => log.info({ body: { password: secret } })],
  ['a link that confirms an address', (log: ReturnType<typeof createLog>) => log.info({ req: { url: `/email/${secret}` } })],
  ['a reset link', (log: ReturnType<typeof createLog>) => log.info({ req: { url: `/reset/${secret}?x=1` } })],
  ['the link of a new account', (log: ReturnType<typeof createLog>) => log.info({ url: `/signup/${secret}?x=1` })],
  ['the proof in the mail of an invite', (log: ReturnType<typeof createLog>) => log.info({ url: `/signup?mail=${secret}` })],
  ['an invite link', (log: ReturnType<typeof createLog>) => log.info({ url: `http://localhost:3000/invites/${secret}` })],
  [
    'a sign-in code',
    (log: ReturnType<typeof createLog>) => log.info({ location: `http://localhost:5173/#code=${secret}&state=1` }),
  ],
  ['an error that quotes one', (log: ReturnType<typeof createLog>) => log.error(new Error(`bad token dvc_${secret}`))],
])('T-09: %s is masked', (_, write) => {
  const text = logged(write)
  expect(text).toContain('[masked]')
  expect(text).not.toContain(secret)
})

it('leaves the rest readable', () => {
  expect(JSON.parse(logged((log) => log.info({ url: '/devices/01H?sort=name' }, 'answered')))).toMatchObject({
    url: '/devices/01H?sort=name',
    msg: 'answered',
  })
})

it('an error is logged without the database client and the values of a statement', () => {
  const error = Object.assign(new Error('Failed query: insert into users\nparams: ines@example.com,\nhash of a password'), {
    code: '57P01',
    client: { secretKey: 'key-that-cancels', password: 'of-the-database' },
    cause: Object.assign(new Error('terminating connection'), { client: { secretKey: 'key-that-cancels' } }),
  })
  const text = logged((log) => log.error(error, 'it broke'))
  expect(JSON.parse(text)).toMatchObject({
    msg: 'it broke',
    err: { message: 'Failed query: insert into users', error_code: '57P01', cause: { message: 'terminating connection' } },
  })
  expect(text).not.toMatch(/key-that-cancels|of-the-database|ines@example|hash of a password/)
})
