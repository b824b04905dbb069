import { existsSync } from 'node:fs'
import { say, timed } from '../../server/start/run.mjs'
import { canInstall, installPackages } from './debian.mjs'

const packages = ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'python3-swift']
const isThere = () => ['proxy', 'account', 'container', 'object'].every((name) => existsSync(`/usr/bin/swift-${name}-server`))

/** Gets OpenStack Swift of Debian, whose S3 API the storage is tested with. Without it those tests are named as not run. */
export const findSwift = async () => {
  if (!isThere() && (await canInstall()))
    await timed('Installing OpenStack Swift from Debian', () => installPackages(...packages)).catch((error) => say(error.message))
  say(isThere() ? 'swift: /usr/bin/swift-proxy-server' : 'swift: not installed, so the tests with an S3 service do not run')
}
