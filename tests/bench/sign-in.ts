// Timing of the sign-in host, over real HTTP and a real database: `npx tsx tests/bench/sign-in.ts [tries]`. T-13: medians of 400
// answers each for a known and an unknown address; their difference must be under 5 % or 5 ms. T-12: p99 of another person's
// sign-ins while wrong passwords come from 20 addresses; it must be under 2 s.
import { createProjectInvites, revokeProjectInvite } from '../../contract/accounts/invites'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { call } from '../e2e/support/call'
import { signUpOverHttp } from '../e2e/support/visitor'
import { measured as note, owner, quantile, unlimited, withServer } from './server'

const tries = Number(process.argv[2] ?? 400)

/** Posts the form of a page from an address, with one token and cookie for all posts. */
const openForm = async (page: string, address: string) => {
  const shown = await fetch(page)
  const [cookie = ''] = (shown.headers.getSetCookie()[0] ?? '').split(';')
  const csrf = /name="csrf" value="([^"]+)"/.exec(await shown.text())?.[1] ?? ''
  return async (fields: Record<string, string>) => {
    const began = performance.now()
    const body = new URLSearchParams({ csrf, ...fields })
    const answer = await fetch(page, {
      method: 'POST',
      body,
      redirect: 'manual',
      headers: { cookie, 'x-forwarded-for': address },
    })
    await answer.text()
    return { status: answer.status, ms: performance.now() - began }
  }
}

/** Alternates between the two addresses, so that both are measured under the same load. */
const compare = async (name: string, ask: (email: string) => Promise<number>) => {
  const known: number[] = []
  const unknown: number[] = []
  for (let n = 0; n < tries; n++) {
    known.push(await ask(owner.email))
    unknown.push(await ask('ivan@example.com'))
  }
  const medians = [quantile(known, 0.5), quantile(unknown, 0.5)] as const
  const difference = Math.abs(medians[0] - medians[1])
  note(`T-13 ${name}, known, median of ${tries}`, medians[0], 'ms')
  note(`T-13 ${name}, unknown, median of ${tries}`, medians[1], 'ms')
  note(`T-13 ${name}, difference`, difference, 'ms')
  note(`T-13 ${name}, difference`, (100 * difference) / Math.max(...medians), '%')
}

const many = {
  TEASEL_LIMIT_REQUESTS_PER_MINUTE: unlimited,
  TEASEL_LIMIT_SIGN_IN_FAILURES: unlimited,
  TEASEL_LIMIT_SIGN_INS_PER_MINUTE: unlimited,
  TEASEL_LIMIT_MAILS_PER_HOUR: unlimited,
  TEASEL_LIMIT_MAILS_PER_DAY: unlimited,
}
await withServer(many, async (hosts, as) => {
  const { signIn, api } = hosts
  const measured = async (page: string, fields: Record<string, string>) => {
    const post = await openForm(`${signIn}${page}`, '203.0.113.1')
    return async (email: string) => (await post({ email, ...fields })).ms
  }
  await compare('reset', await measured('/forgot', {}))
  await compare('sign-up', await measured('/signup', { full_name: 'Ines' }))
  await signUpOverHttp(hosts, { ...owner, email: 'rosa@example.com' })
  const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
  const projectId = project.id
  await compare('invite', async (email) => {
    // The owner is a member already: of the other addresses one has an account.
    const emails = [email === owner.email ? 'rosa@example.com' : email]
    const began = performance.now()
    const { body } = await call(api, createProjectInvites, { projectId }, { as, body: { emails, base_role: 'viewer' } })
    const ms = performance.now() - began
    await call(api, revokeProjectInvite, { projectId, inviteId: body.invites[0]?.id ?? '' }, { as })
    return ms
  })
  await compare('sign-in', await measured('/signin', { password: 'not the password' }))
})

await withServer({}, async ({ signIn }) => {
  const over = new AbortController()
  let count = 0
  const attackers = Array.from({ length: 20 }, async (_, n) => {
    const post = await openForm(`${signIn}/signin`, `203.0.113.${n}`)
    while (!over.signal.aborted) {
      await post({ email: owner.email, password: 'not the password' })
      count++
    }
  })
  const times: number[] = []
  let refused = 0
  for (let n = 0; n < 100; n++) {
    const post = await openForm(`${signIn}/signin`, `198.51.100.${n}`)
    const { status, ms } = await post({ email: owner.email, password: owner.password })
    if (status === 303) times.push(ms)
    else refused++
  }
  over.abort()
  await Promise.all(attackers)
  note('T-12 tries with wrong passwords', count, '')
  note(`T-12 sign-ins beside them, of ${times.length + refused}`, times.length, '')
  note('T-12 sign-ins beside them, p99', quantile(times, 0.99), 'ms')
})
