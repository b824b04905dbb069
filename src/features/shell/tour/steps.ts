import type { TourStep } from '../../../ui/overlay/tour'

/** The first visible element: on a phone the side nav is hidden, and the button in its place is highlighted instead. */
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
/** Next to the side nav. */
const beside = (...given: Parameters<typeof step>): TourStep => ({ ...step(...given), side: 'right' })
const place = (name: string) => `nav[aria-label=Project] a[href*="/${name}"]`

const search = step(
  'search',
  'Search everything',
  'Projects, pages, devices, releases and actions by name. Ctrl K, or ⌘ K on a Mac, opens it from anywhere.',
  'header button[aria-label^="Search"]',
)
const you = step('you', 'Your account', 'Account, organizations, theme and sign-out.', 'header button[aria-label="User Menu"]')

const projects = [
  step(
    'project',
    'A project is one product',
    'Its devices, releases, keys and logs. The card shows how many devices are online and how many need attention.',
    'ul[aria-label=Projects] li',
    'main h1',
    'h1',
  ),
  step('add-project', 'Add a project', 'Enter a name. Everything else can be set later.', 'a[href$="/projects/add"]'),
  step(
    'organization',
    'Organizations',
    'Your own projects are under No Organization, those of a team under its name. Each organization has its own members and roles.',
    'header button[aria-label^="Organization:"]',
  ),
  search,
  you,
]

const project = [
  beside(
    'monitor',
    'Fleet status',
    'Counts, versions, open rollouts and metrics. Devices that need a person are listed under Attention.',
    place('monitor'),
    'main h1',
  ),
  beside(
    'access',
    'Add a signing key first',
    'Devices install only signed releases. Register your public key under Settings, Access. The private key stays with you.',
    place('access'),
    place('settings'),
  ),
  beside(
    'devices',
    'Then add devices',
    'The config generator creates device.json. A device that starts with it enrolls by itself and appears here.',
    place('devices'),
  ),
  beside(
    'releases',
    'Then add releases',
    'Files and a manifest that you sign. They are rolled out in waves, which halt when too many devices fail.',
    place('releases'),
  ),
  step('menu', 'The rest of the project', 'Devices, Releases and Settings are in this menu.', 'header button[aria-label=Menu]'),
  search,
]

const devices = [
  step(
    'facets',
    'Fleet filters',
    'Connectivity, updates, health and versions of the devices shown. Select a value to filter by it.',
    'main section[aria-label=Connectivity]',
    'main h1',
  ),
  step(
    'filter',
    'Find by name or serial number',
    'The page address contains filter and order, so you can share a view.',
    'main input[type=search]',
  ),
  step(
    'generator',
    'Enroll devices',
    'The configuration contains your public keys, the server address and a token to enroll with.',
    'main a[href*="device-config-generator"]',
  ),
  step('device', 'One device', 'Open it to see its reports, its logs and why it does not update.', 'main td a'),
]

const releases = [
  step(
    'add-release',
    'Add a release',
    'A release defines which files are installed where and on which models. Create a draft now and sign it later.',
    'main a[href*="/releases/list/add"]',
  ),
  step('release', 'Progress', 'Each row shows how many devices succeeded, failed and are waiting.', 'main td a'),
  step('filter', 'Find by name', 'By name or version.', 'main input[type=search]'),
]

const device = [
  step(
    'decision',
    'Why is it not updating?',
    'The checks of the server in order, with the values found. The first failed check is the reason.',
    'main section[aria-label^="Why"], main h2',
  ),
  step('tabs', 'Reports of the device', 'Update events by attempt, and the device log.', 'nav[aria-label=Device]'),
]

const release = [
  step('proof', 'Signature', 'This browser verifies the signature with the public key of the project.', 'main h1'),
  step(
    'tabs',
    'Status and assets',
    'Rollouts and their waves; the files, their hashes and install locations.',
    'nav[aria-label=Release]',
  ),
]

const bundles = [
  step(
    'add-bundle',
    'Add a bundle',
    'The signed boot stages for one kind of board, their public keys, and the values that are written into the board.',
    'main a[href*="/secure-boot/list/add"]',
  ),
  step(
    'bundle',
    'State and devices',
    'Each row shows how many required parts are there and how many devices have it.',
    'main td a',
  ),
]

const bundle = [
  step('parts', 'Parts and checks', 'Files are checked for the platform: format, hashes, signatures and keys.', 'main section'),
  step(
    'plan',
    'What is written for good',
    'The steps in order, with their commands. Steps that cannot be undone are marked.',
    'main ol[aria-label^="Steps"]',
  ),
]

export type Page = keyof typeof pages
const pages = { projects, project, devices, device, releases, release, bundles, bundle, other: [search, you] }

/** By the route's path, innermost first. */
const kinds: readonly [RegExp, Page][] = [
  [/\/devices\/list\/\$deviceId/, 'device'],
  [/\/devices/, 'devices'],
  [/\/secure-boot\/list\/\$artifactsBundleId/, 'bundle'],
  [/\/secure-boot/, 'bundles'],
  [/\/releases\/list\/\$releaseId/, 'release'],
  [/\/releases/, 'releases'],
  [/\/\$projectId/, 'project'],
  [/\/projects\/$/, 'projects'],
]
export const pageOf = (fullPath: string): Page => kinds.find(([path]) => path.test(fullPath))?.[1] ?? 'other'

/** The steps whose element is visible now. */
export const stepsOf = (page: Page): TourStep[] => pages[page].filter(({ find }) => find() !== null)
