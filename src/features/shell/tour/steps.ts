import type { TourStep } from '../../../ui/tour'

/** What a step needs to be in sight: on a phone the side nav is not, and what stands in its place is pointed at instead. */
const seen = (...selectors: string[]) => {
  for (const selector of selectors)
    for (const element of document.querySelectorAll<HTMLElement>(selector)) if (element.checkVisibility()) return element
  return null
}
const step = (id: string, title: string, text: string, ...selectors: string[]): TourStep => ({
  id,
  title,
  text,
  find: () => seen(...selectors),
})
/** Beside the side nav. */
const beside = (...given: Parameters<typeof step>): TourStep => ({ ...step(...given), side: 'right' })
const place = (name: string) => `nav[aria-label=Project] a[href*="/${name}"]`

const search = step(
  'search',
  'Everything is a few letters away',
  'Projects, pages, devices, releases and actions by name. Ctrl K, or ⌘ K on a Mac, opens it from anywhere.',
  'header button[aria-label^="Search"]',
)
const you = step(
  'you',
  'Your side of it',
  'Your account and organizations, light or dark, and the way out.',
  'header button[aria-label="User Menu"]',
)

const projects = [
  step(
    'project',
    'A project is one product in the field',
    'Its devices, releases, keys and logs. The card says how many devices are online and how many need a look.',
    'ul[aria-label=Projects] li',
    'main h1',
    'h1',
  ),
  step(
    'add-project',
    'Begin with a project',
    'Give the product a name; all else can be changed later in its settings.',
    'a[href$="/projects/add"]',
  ),
  step(
    'organization',
    'Whose projects these are',
    'Your own stand under No Organization; those of a team under its name. Each has its members and its rights.',
    'header button[aria-label^="Organization:"]',
  ),
  search,
  you,
]

const project = [
  beside(
    'monitor',
    'How the fleet is doing',
    'Counts, versions, open rollouts and metrics. What needs a person stands under Attention.',
    place('monitor'),
    'main h1',
  ),
  beside(
    'access',
    'Keys come first',
    'Devices install only what is signed. Under Settings, Access, register the public half of your key; the private half never leaves you.',
    place('access'),
    place('settings'),
  ),
  beside(
    'devices',
    'Then devices',
    'The generator writes device.json; a device that starts with it enrolls by itself and shows up here.',
    place('devices'),
  ),
  beside(
    'releases',
    'Then releases',
    'Files and a manifest, signed by you and checked in this browser, rolled out in waves that stop by themselves when too many fail.',
    place('releases'),
  ),
  step('menu', 'The rest of the project', 'Devices, Releases and Settings are in this menu.', 'header button[aria-label=Menu]'),
  search,
]

const devices = [
  step(
    'facets',
    'The fleet in one strip',
    'Connectivity, updates, health and versions of all devices that the filters leave. A value is a filter.',
    'main section[aria-label=Connectivity]',
    'main h1',
  ),
  step(
    'filter',
    'Find by name or serial number',
    'The address keeps filter and order, so a view can be sent to a colleague.',
    'main input[type=search]',
  ),
  step(
    'generator',
    'How a device gets in',
    'The configuration names your keys and the server, and holds a token that lets the device enroll.',
    'main a[href*="device-config-generator"]',
  ),
  step(
    'device',
    'One device',
    'Its name opens what it reported, its logs, and the answer to why it does not update.',
    'main td a',
  ),
]

const releases = [
  step(
    'add-release',
    'A release is a promise',
    'What is installed where, on which models, and whose signature proves it. It can be drafted now and signed later.',
    'main a[href*="/releases/list/add"]',
  ),
  step('release', 'How far it is', 'Each row says how many devices have it, how many failed and what still waits.', 'main td a'),
  step('filter', 'Find by name', 'By the name or version that your changelog uses.', 'main input[type=search]'),
]

const device = [
  step(
    'decision',
    'Why is it not updating?',
    'The checks that the server makes, in its order, with what it saw. The first that fails is the reason.',
    'main section[aria-label^="Why"], main h2',
  ),
  step('tabs', 'What it told', 'Update events by attempt, and its log as it came in.', 'nav[aria-label=Device]'),
]

const release = [
  step(
    'proof',
    'Who signed it',
    'The signature is checked in this browser against the key of this project, not believed.',
    'main h1',
  ),
  step(
    'tabs',
    'Status and assets',
    'Rollouts and their waves; the files, their hashes and where they go.',
    'nav[aria-label=Release]',
  ),
]

export type Page = keyof typeof pages
const pages = { projects, project, devices, device, releases, release, other: [search, you] }

/** By the route's path, innermost first. */
const kinds: readonly [RegExp, Page][] = [
  [/\/devices\/list\/\$deviceId/, 'device'],
  [/\/devices/, 'devices'],
  [/\/releases\/list\/\$releaseId/, 'release'],
  [/\/releases/, 'releases'],
  [/\/\$projectId/, 'project'],
  [/\/projects\/$/, 'projects'],
]
export const pageOf = (fullPath: string): Page => kinds.find(([path]) => path.test(fullPath))?.[1] ?? 'other'

/** The steps whose element is in sight at this moment. */
export const stepsOf = (page: Page): TourStep[] => pages[page].filter(({ find }) => find() !== null)
