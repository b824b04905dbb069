import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { delimiter } from 'node:path'
import { runPackage, say, timed } from '../../server/start/run.mjs'
import { canInstall, installPackages } from './debian.mjs'

// The first draws as the others, without windows, for a sixth less of the processor.
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']

const onPath = () =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((path) => existsSync(path))

const ofPlaywright = async () => {
  const { chromium } = await import('playwright-core')
  return existsSync(chromium.executablePath()) ? chromium.executablePath() : undefined
}

const there = async () => process.env.TEASEL_CHROMIUM || onPath() || (await ofPlaywright())

const fromDebian = async () => {
  if (await canInstall()) await installPackages('chromium-headless-shell')
}

const fromPlaywright = () => {
  const withSystem = process.getuid?.() === 0 && process.platform === 'linux' ? ['--with-deps'] : []
  return runPackage('playwright/cli.js', ['install', ...withSystem, 'chromium'], { loud: true })
}

/** The path of a Chromium: an installed one, otherwise the package manager's, otherwise Playwright's. */
export const findChromium = async () => {
  for (const get of [undefined, fromDebian, fromPlaywright]) {
    if (get) await timed('Getting a Chromium', get).catch((error) => say(error.message))
    const path = await there()
    if (path) return path
  }
  throw new Error('There is no Chromium and none could be installed. Name one in TEASEL_CHROMIUM.')
}
