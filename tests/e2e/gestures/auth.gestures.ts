import { expect } from 'vitest'
import { titles } from '../../../contract/core/errors'
import { organizations } from '../../../contract/accounts/organizations'
import { createSession, deleteCurrentSession } from '../../../contract/accounts/sessions'
import { self } from '../../../contract/accounts/users'
import type { authMachine, ports, SessionTag, StuckReason } from '../../../machines/auth/auth.machine'
import { authModel } from '../../../machines/auth/auth.model'
import { storageKeys } from '../../../src/lib/storage-keys'
import { statusOf } from '../support/call'
import { type Hosts, newUser, type Visitor } from '../support/hosts'
import { signInOverHttp } from '../support/visitor'
import { cryptography, type Cryptography } from './cryptography'
import type { Gestures } from './gestures'
import { passing } from './passing'
import { openTestPage, type TestPage } from './test-page'
import { type Call, callOf, pageAt, scriptOf } from './request-script'

type Cast = { hosts: Hosts; person: Visitor; another: Visitor }
type World = TestPage &
  Cast & {
    /** A second tab of this origin, without the console. */
    tab: TestPage['page']
    cryptography: Cryptography
    signIn: Call
    wanted: string
  }

const program = scriptOf('index.html')
const [redeeming, asking, ending] = [callOf(createSession), callOf(self), callOf(deleteCurrentSession)]
/** A call in parallel with the one for the user: its 401 is handled by the same code. */
const another = callOf(organizations)
const path = '/organizations/none/projects?experimental=true'

const words: Readonly<Record<StuckReason, string>> = {
  loop: 'Sign-in did not complete',
  storage: 'This browser stores no data for this site',
  departure: 'This browser could not prepare the sign-in',
  exchange: 'The sign-in could not be completed',
}

const tokenOf = ({ person, another: other }: World, tag: SessionTag | null) => (tag === 'aaaaaa' ? person : other).token
const kept = ({ tab }: World) => tab.evaluate((key) => localStorage.getItem(key), storageKeys.session)
const keep = ({ tab }: World, token: string) =>
  tab.evaluate(([key, value]) => localStorage.setItem(key!, value!), [storageKeys.session, token])
const heading = ({ page }: TestPage, name: string | RegExp) => page.getByRole('heading', { name })
const button = ({ page }: TestPage, name: string) => page.getByRole('button', { name, exact: true })

/** Checks that the state's token is in storage, and nowhere else. */
const holds = async (world: World, tag: SessionTag | null) => {
  await expect.poll(() => kept(world)).toBe(tag === null ? null : tokenOf(world, tag))
  expect(world.page.url()).not.toContain('code')
}
/** Creates a new session if an earlier path has ended it. */
const living = async (hosts: Hosts, person: Visitor) => {
  if ((await statusOf(hosts.api, self, {}, { as: person.token })) === 401)
    person.token = await (await signInOverHttp(hosts, person)).redeem()
}

/** Returns from the sign-in host to the same tab: the document's script has stored the code. */
const comeBack = async ({ page, hosts, person, wanted }: World) => {
  const round = await signInOverHttp(hosts, person)
  await page.evaluate(
    ([key, verifier, to, returned]) => {
      sessionStorage.setItem(key!, JSON.stringify({ verifier, wanted: to }))
      sessionStorage.setItem('sign_in_code', returned!)
      history.replaceState(null, '', '/')
    },
    [`sign_in.${round.state}`, round.verifier, wanted, JSON.stringify({ code: round.code, state: round.state })],
  )
}

const breakStorage = (method: 'getItem' | 'setItem') =>
  Object.assign(Storage.prototype, {
    [method]: () => {
      throw new DOMException('The user has forbidden site data', 'SecurityError')
    },
  })
/** Two automatic redirects within this minute. */
const haveRounds = () => sessionStorage.setItem('sign_in_rounds', JSON.stringify([Date.now(), Date.now()]))

const redirecting = async (world: World, did: (type: string) => number) => {
  await heading(world, titles.redirecting).waitFor()
  await holds(world, null)
  await world.wire.asked(world.signIn, did('signIn.left'))
}

/** Checks the last redirect to the sign-in host: its challenge in the URL, its verifier and return path in this tab only. */
const remembers = async ({ page, wanted, wire, signIn }: World) => {
  const asked = new URL(wire.last(signIn))
  const state = asked.searchParams.get('state') ?? ''
  expect([asked.pathname, asked.searchParams.get('code_challenge_method')]).toEqual(['/signin', 'S256'])
  const round = await page.evaluate((key) => sessionStorage.getItem(key), `sign_in.${state}`)
  expect(JSON.parse(round ?? '{}')).toMatchObject({ wanted, verifier: expect.stringMatching(/^[\w-]{43}$/) })
}

export const auth = {
  model: authModel,
  prepare: async (hosts): Promise<Cast> => ({ hosts, person: await newUser(hosts), another: await newUser(hosts) }),
  open: async (console, cast): Promise<World> => {
    const { hosts, person } = cast
    await living(hosts, person)
    const context = await console.open()
    const stage = await openTestPage(context)
    const tab = await context.newPage()
    await tab.goto(`${hosts.console}/favicon.svg`)
    const signIn = pageAt(hosts.signIn)
    // The sign-in host answers without a page, so that the current one can be checked.
    await stage.wire.always(signIn, 204)
    stage.wire.hold(program, redeeming, asking, ending, another)
    const world = { ...stage, ...cast, tab, signIn, wanted: path, cryptography: await cryptography(stage.page) }
    await stage.page.goto(hosts.console + path, { waitUntil: 'commit' })
    return world
  },
  // Sign Out is in the header, which is missing before the session is open.
  possible: (at, { type }) => type !== 'signOut.asked' || at.matches({ holding: 'signedIn' }),
  events: {
    'session.refused': ({ wire }) => wire.refuse(another, 401),
    'signOut.asked': async ({ page }) => {
      await page.getByRole('button', { name: 'User Menu' }).click()
      await page.getByRole('menuitem', { name: 'Sign Out' }).click()
    },
    'signIn.asked': (world) => button(world, 'Sign in').click(),
    'token.removedElsewhere': ({ tab }) => tab.evaluate((key) => localStorage.removeItem(key), storageKeys.session),
    'token.changedElsewhere': (world, { sessionTag }) => keep(world, tokenOf(world, sessionTag)),
    'retry.asked': (world) => button(world, 'Try again').click(),
    'connection.restored': async ({ context, page }) => {
      await context.setOffline(true)
      await expect.poll(() => page.evaluate(() => navigator.onLine)).toBe(false)
      await context.setOffline(false)
    },
    // Dispatches the event of a page restored by the Back button; under test the browser keeps none.
    'page.returned': ({ page }) =>
      page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))),
  },
  answers: {
    arrival: {
      done: async (world, arrival) => {
        if (arrival.found === 'code') await comeBack(world)
        if (arrival.found === 'token') await keep(world, tokenOf(world, arrival.sessionTag))
        await world.wire.pass(program)
      },
      error: async ({ page, wire }) => {
        await page.evaluate(breakStorage, 'getItem' as const)
        await wire.pass(program)
      },
    },
    exchange: {
      done: async (world) => {
        const [answer] = await Promise.all([
          world.page.waitForResponse((response) => response.url().endsWith('/sessions') && response.status() === 201),
          world.wire.pass(redeeming),
        ])
        world.person.token = (await answer.json()).session_token
      },
      error: ({ wire }, status) => wire.refuse(redeeming, status),
    },
    self: {
      done: ({ wire }) => wire.pass(asking),
      // A 401 is reported twice, by the port and by the client: either one leads to the same state.
      error: ({ wire }, status) => wire.refuse(asking, status),
    },
    signOut: {
      done: ({ wire }) => wire.pass(ending),
      error: ({ wire }, status) => wire.refuse(ending, status),
    },
    departure: {
      done: async ({ page, cryptography: { answer } }, { storage, rounds }) => {
        if (rounds > 0) await page.evaluate(haveRounds)
        if (storage === 'blocked') await page.evaluate(breakStorage, 'setItem' as const)
        await answer()
      },
      error: ({ cryptography: { fail } }) => fail(),
    },
  },
  states: {
    restoring: async ({ page, wire, cryptography: { asked } }, _, did) => {
      // Stored data is read at once: of a restored page only the effects can be checked.
      if (did('signIn.left') > 0) return asked()
      await wire.held(program)
      await page.getByRole('main', { name: 'Loading' }).waitFor()
    },
    exchanging: async (world) => {
      await world.wire.held(redeeming)
      await holds(world, null)
      await heading(world, /./).waitFor({ state: 'detached' })
    },
    'holding.verifying': async (world, { context }) => {
      await world.wire.held(asking)
      await holds(world, context.sessionTag)
      await heading(world, /./).waitFor({ state: 'detached' })
    },
    'holding.unreachable': async (world, { context }) => {
      await heading(world, titles.fallback).waitFor()
      await button(world, 'Try again').waitFor()
      await holds(world, context.sessionTag)
    },
    'holding.signedIn': async (world, { context }) => {
      await heading(world, /^Projects/).waitFor()
      await holds(world, context.sessionTag)
      expect(world.page.url()).toBe(world.hosts.console + world.wanted)
    },
    signingOut: async ({ page, wire }) => {
      await wire.held(ending)
      await page.getByRole('main', { name: 'Loading' }).waitFor()
    },
    clearing: passing,
    leaving: async (world, _, did) => {
      await world.cryptography.asked()
      await redirecting(world, did)
    },
    gone: async (world, _, did) => {
      await redirecting(world, did)
      await remembers(world)
    },
    stuck: async (world, { context }) => {
      await heading(world, 'You are not signed in').waitFor()
      await world.page.getByText(words[context.reason ?? 'loop']).waitFor()
      await button(world, 'Sign in').waitFor()
    },
  },
} satisfies Gestures<typeof authMachine, typeof ports, World, Cast>
