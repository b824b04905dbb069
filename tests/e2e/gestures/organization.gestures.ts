import { titles } from '../../../contract/core/errors'
import { createOrganization } from '../../../contract/accounts/organization'
import { memberPermissions, organizations } from '../../../contract/accounts/organizations'
import { organizationProjects } from '../../../contract/accounts/projects'
import { createOrganizationProject } from '../../../contract/accounts/project-changes'
import { self } from '../../../contract/accounts/users'
import type { organizationMachine, ports, Scope } from '../../../machines/organization/organization.machine'
import { organizationModel } from '../../../machines/organization/organization.model'
import { storageKeys } from '../../../src/lib/storage-keys'
import { call } from '../support/call'
import { type Hosts, newUser, type Visitor } from '../support/hosts'
import { moveTime } from './clock'
import { reconnect, signOutElsewhere } from './second-tab'
import type { Gestures } from './gestures'
import { passing } from './passing'
import { openTestPage, type TestPage } from './test-page'
import { type Call, callOf, pageAt } from './request-script'

/** The two organizations of the model's samples: their names and ids. */
type House = { name: string; id: string; grants: Call; projects: Call }
type Cast = { person: Visitor; kept: Record<string, string>; a: House; b: House }
type World = TestPage & Cast & { hosts: Hosts }

const user = callOf(self)
const list = callOf(organizations)

const houseOf = (name: string, id: string): House => {
  const permissions = callOf(memberPermissions, { organizationId: id })
  return {
    name,
    id,
    // Those of the organization itself: inside a project the same path has a query.
    grants: { name: `permissions of ${name}`, is: (request) => permissions.is(request) && !request.url().includes('?') },
    projects: callOf(organizationProjects, { organizationId: id }),
  }
}
const found = async (hosts: Hosts, { token }: Visitor, name: string) => {
  const { body } = await call(hosts.api, createOrganization, {}, { as: token, body: { name } })
  const organizationId = body.public_id
  await call(hosts.api, createOrganizationProject, { organizationId }, { as: token, body: { name: `${name} house` } })
  return houseOf(name, organizationId)
}

const byId = '(select id from organizations where public_id = $1), (select id from users where email = $2)'
const letIn = `insert into members (organization_id, user_id, base_role, joined_at) values (${byId}, 'admin', now()) on conflict do nothing`
const putOut = `delete from members where (organization_id, user_id) in (select ${byId})`

const minute = 60_000
const home = ({ hosts }: World) => `${hosts.console}/account/settings/organizations/list`
const addressOf = ({ hosts }: World, word: string) => `${hosts.console}/organizations/${word}/projects`
const houseAt = ({ a, b }: World, scope: Scope) => (scope === 'a' ? a : b)
const here = (world: World, { context }: { context: { scope: Scope } }) => houseAt(world, context.scope)

const link = ({ page }: World, name: string) => page.getByRole('link', { name, exact: true })
const switcher = ({ page }: World, name = '') => page.getByRole('button', { name: new RegExp(`^Organization: ${name}`) })
const tryAgain = ({ page }: World) => page.getByRole('button', { name: 'Try again' })
/** One notice for each loss; each stays while time does not move. */
const told = ({ page }: World, did: (type: string) => number) =>
  did('organization.lost') === 0
    ? page.getByText(titles.organizationLost).waitFor({ state: 'detached' })
    : page.getByText(titles.organizationLost).waitFor()

/** Opens it from any page, by the list of organizations. */
const enter = async (world: World, house: House) => {
  const { page, wire } = world
  const way = link(world, `Projects of ${house.name}`)
  if (!(await way.isVisible())) {
    await page.getByRole('button', { name: 'User Menu' }).click()
    await page.getByRole('menuitem', { name: 'Organizations' }).click()
  }
  // Hovering preloads its projects; the permissions are requested at the visit.
  await way.hover()
  await wire.held(house.projects)
  await way.click()
}

/** The user is requested again as well if the data is old. */
const answerList = async ({ wire }: World, answer: () => Promise<unknown>) => {
  await wire.held(list)
  await wire.free(user)
  await answer()
  wire.hold(user)
}

/** After a reconnect stale data is requested again, with a delay of up to two seconds. */
const askListAnew = async (world: World) => {
  await reconnect(world)
  await moveTime(world.page, 2000)
  await world.wire.held(list)
}

/** Opened once by its URL: only the switcher leads to the personal space. */
const openPersonal = async (world: World) => {
  const { page, wire } = world
  await wire.free(user)
  await wire.free(list)
  await page.goto(addressOf(world, 'none'))
  await switcher(world, 'No Organization').waitFor()
  wire.hold(user, list)
}

export const organization = {
  model: organizationModel,
  prepare: async (hosts): Promise<Cast> => {
    const [owner, person] = [await newUser(hosts), await newUser(hosts)]
    const { body } = await call(hosts.api, self, {}, { as: person.token })
    const [a, b] = [await found(hosts, owner, 'Alder'), await found(hosts, person, 'Birch')]
    return { person, a, b, kept: { [`${storageKeys.organization}.${body.data.id}`]: b.id } }
  },
  open: async (console, cast): Promise<World> => {
    const hosts = console.hosts()
    await hosts.sql(letIn, [cast.a.id, cast.person.email])
    const stage = await openTestPage(await console.open(cast.person, cast.kept), { callsEnd: false })
    const world: World = { ...stage, ...cast, hosts }
    await stage.wire.always(pageAt(`${hosts.signIn}/`), 204)
    await stage.page.goto(home(world))
    await link(world, cast.a.name).waitFor()
    await switcher(world).waitFor()
    stage.wire.hold(user, list, ...[cast.a, cast.b].flatMap(({ grants, projects }) => [grants, projects]))
    // Long enough ago that everything is requested again. The list on this page was due meanwhile, and its refetch failed.
    await moveTime(stage.page, 6 * minute)
    await stage.wire.refuse(list, 500)
    return world
  },
  possible: (at, move) => {
    const { scope } = at.context
    switch (move.type) {
      case 'route.entered':
        return !('scope' in move) || move.scope !== null || at.matches('idle')
      // The refusal of the projects that were requested on the way.
      case 'organization.refused':
        return 'scope' in move && move.scope === scope && (at.matches('verifying') || at.hasTag('member'))
      // A lost organization is no longer listed; Alder belongs to another user.
      case 'organizations.changed':
        return 'organizations' in move && scope === 'a' && String(move.organizations) === 'b' && at.hasTag('member')
      case 'permissions.stale':
        return scope === 'a' && at.hasTag('member')
      // A failure behind a loaded page has no Try again button there.
      case 'retry.asked':
        return at.hasTag('failed')
      case 'xstate.done.actor.choices':
        return JSON.stringify(move.output) === JSON.stringify({ stored: 'b', organizations: ['a', 'b'] })
      default:
        return true
    }
  },
  events: {
    'route.entered': (world, { scope }) => {
      if (scope === null) return openPersonal(world)
      return scope === undefined ? world.page.getByRole('link', { name: 'Teasel' }).click() : enter(world, houseAt(world, scope))
    },
    'organization.chosen': async (world, { scope }) => {
      await switcher(world).click()
      const name = scope === null ? 'No Organization' : houseAt(world, scope).name
      await world.page.getByRole('option', { name, exact: true }).click()
    },
    'organization.refused': (world, { scope }) => world.wire.refuse(houseAt(world, scope).projects, 403),
    'organizations.changed': async (world) => {
      await world.hosts.sql(putOut, [world.a.id, world.person.email])
      await askListAnew(world)
      await world.wire.pass(list)
    },
    // Refuses something that was allowed a moment ago.
    'permissions.stale': async (world) => {
      await world.wire.pass(world.a.projects)
      await link(world, `${world.a.name} house`).waitFor()
      await askListAnew(world)
      await world.wire.refuse(list, 403)
    },
    'retry.asked': (world) => tryAgain(world).click(),
    'session.closed': (world) => signOutElsewhere(world, world.hosts),
  },
  answers: {
    choices: {
      done: (world) => answerList(world, () => world.wire.pass(list)),
      error: (world, status) => answerList(world, () => world.wire.refuse(list, status)),
    },
    grants: {
      done: (world, _, at) => world.wire.pass(here(world, at).grants),
      error: (world, status, at) => world.wire.refuse(here(world, at).grants, status),
    },
    trial: {
      done: async ({ wire, b }) => {
        await wire.pass(b.grants)
        await wire.pass(b.projects)
      },
      error: async ({ wire, b }, status) => {
        await wire.refuse(b.grants, status)
        await wire.refuse(b.projects, status)
      },
    },
    session: { done: ({ wire }) => wire.pass(user), error: ({ wire }, status) => wire.refuse(user, status) },
  },
  states: {
    idle: async (world) => {
      await link(world, world.a.name).or(world.page.getByText('Redirecting to sign-in...')).first().waitFor()
      await world.wire.held(list, 0)
    },
    choosing: ({ wire }) => wire.held(list),
    deciding: passing,
    verifying: async (world, at, did) => {
      await world.wire.held(here(world, at).grants)
      await switcher(world, here(world, at).name).waitFor()
      await told(world, did)
    },
    'ready.personal': async (world, _, did) => {
      await world.page.waitForURL(addressOf(world, 'none'))
      await switcher(world, 'No Organization').waitFor()
      await told(world, did)
    },
    'ready.member.current': async (world, at, did) => {
      const { id, name, grants } = here(world, at)
      await world.page.waitForURL(addressOf(world, id))
      await switcher(world, name).waitFor()
      await world.wire.held(grants, 0)
      await told(world, did)
    },
    'ready.member.renewing': async (world, at, did) => {
      await world.wire.held(here(world, at).grants)
      await link(world, `${here(world, at).name} house`).waitFor()
      await told(world, did)
    },
    'fallingBack.probing': async (world, _, did) => {
      await world.wire.held(user)
      await told(world, did)
    },
    'fallingBack.listing': async (world, _, did) => {
      await world.wire.held(list)
      await told(world, did)
    },
    'fallingBack.picking': passing,
    'fallingBack.trying': async (world, _, did) => {
      await world.wire.held(world.b.grants)
      await world.wire.held(world.b.projects)
      await told(world, did)
    },
    'failed.choosing': async (world, _, did) => {
      await tryAgain(world).waitFor()
      await told(world, did)
    },
    // A loaded page stays, but hides everything that needs a permission.
    'failed.verifying': async (world, _, did) => {
      await tryAgain(world)
        .or(link(world, `${world.a.name} house`))
        .waitFor()
      await link(world, 'Add Project').waitFor({ state: 'detached' })
      await told(world, did)
    },
  },
} satisfies Gestures<typeof organizationMachine, typeof ports, World, Cast>
